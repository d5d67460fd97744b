"""One short game, played once by the real command, for all tests that need a log; and the end of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.logs import SEED, Log
from cli.person import Seat
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


@pytest.fixture(autouse=True)
def ended_programs() -> Iterator[None]:
    """End the programs of people at a terminal."""
    yield
    while Seat.running:
        Seat.running.pop().end()
