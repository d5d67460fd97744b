"""One short game, played once by the real command, for all tests that need a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.logs import SEED, Log
from cli.running import nodealer


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    path = tmp_path_factory.mktemp("log") / "game.jsonl"
    done = nodealer("play", "--seed", str(SEED), "--seats", "3", "--hands", "2", "--log", str(path))
    assert done.returncode == 0, done.stderr
    return Log(path)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "changed.jsonl"
