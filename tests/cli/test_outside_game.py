"""A game that nobody here knows: one file in a folder, played, verified and shown by the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.running import COMMAND, called, environment
from conformance.harness import agree_session
from games import outside
from nodealer.log.session import Part, Session, read_session
from nodealer.wire import encode

GAME = "highest_game:GAME"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an author has written a game, and played it."""
    folder = tmp_path_factory.mktemp("author")
    shutil.copy(str(outside.__file__), folder / "highest_game.py")
    played = ("--auto", "--json", "--seats", "2", "--hands", "2", "--cards", "20", "--log", "game.jsonl")
    done = run(folder, "play", "--game", GAME, *played)
    assert done.returncode == 0, done.stderr
    (folder / "told.jsonl").write_text(done.stdout)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """In the author's folder, and afterwards as if we had never been there."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield folder
    sys.modules.pop("highest_game", None)


def session_of(folder: Path) -> Session:
    return read_session((folder / "game.jsonl").read_bytes().splitlines()[0])


def test_it_is_played_by_bots_in_processes(folder: Path) -> None:
    told = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]
    assert [event["text"] for event in told if event["event"] == "move"] == ["turns up"] * 4
    results = [event for event in told if event["event"] == "result"]
    assert len(results) == 2 and all(event["text"].endswith("has the highest") for event in results)
    assert all(event["cards"][0].startswith("the ") for event in told if event["event"] == "shows")
    assert told[-1]["verdict"] == "clean"
    assert bytes(session_of(folder).proposal.game.parameters) == b'{"cards":20}'


def test_somebody_else_verifies_it_who_has_the_game(here: Path) -> None:
    done = called("verify", "game.jsonl", "--game", GAME)
    assert done.returncode == 0 and "CLEAN" in done.stdout and "has the highest" in done.stdout
    many = called("verify", "game.jsonl", "game.jsonl", "--json", "--game", GAME)
    assert many.returncode == 0 and [one["verdict"] for one in json.loads(many.stdout)] == ["clean", "clean"]
    against = called("verify", "game.jsonl", "--against", "game.jsonl", "--game", GAME)
    assert against.returncode == 0 and "agree" in against.stdout
    shown = called("show", "game.jsonl", "--game", GAME)
    assert shown.returncode == 0 and "turns up" in shown.stdout and "has the highest" in shown.stdout


@pytest.mark.parametrize("command", ["verify", "show", "export"])
def test_without_the_game_it_cannot_be_judged(here: Path, command: str) -> None:
    done = called(command, "game.jsonl")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "'highest' version 3, which is not installed" in done.stdout + done.stderr


@pytest.mark.parametrize("game", ["highest_game:OLDER", "holdem"])
def test_another_game_does_not_judge_it(here: Path, game: str) -> None:
    done = called("verify", "game.jsonl", "--game", game)
    assert done.returncode == 2 and "'highest' version 3, but here is" in done.stdout


def test_a_game_without_a_format_is_not_exported(here: Path) -> None:
    done = called("export", "game.jsonl", "--game", GAME)
    assert done.returncode == 2 and "no export format" in done.stderr and not done.stdout


@pytest.mark.parametrize("command", ["verify", "show", "play", "export"])
@pytest.mark.parametrize("game", ["highest_game:NONE", "no_such_module:GAME", "highest_game:Highest", "json:GAME"])
def test_what_is_no_game(here: Path, command: str, game: str) -> None:
    done = called(command, *(() if command == "play" else ("game.jsonl",)), "--game", game)
    assert done.returncode == 2 and done.stderr.startswith("nodealer: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--card", "20"), "--cards"),
        (("--cards",), "needs a value"),
        (("--cards", "--auto"), "needs a value"),
        (("--cards=9", "--cards=8"), "twice"),
        (("--cards", "many"), "whole number"),
        (("--stack", "9"), "is a setting of holdem, not of"),
        (("stack",), "unknown option"),
        (("-x",), "unknown option"),
        (("--protocol", "duel"), "duel"),
    ],
)
def test_settings_that_it_does_not_have(here: Path, options: tuple[str, ...], said: str) -> None:
    done = called("play", "--auto", "--game", GAME, *options)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["evil_game:GAME", "evil_game", "./evil_game.py"])
def test_a_log_never_says_what_is_loaded(
    folder: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where a module of that name could be imported."""
    (tmp_path / "evil_game.py").write_text("from pathlib import Path\nPath('loaded').touch()\n")
    proposal = session_of(folder).proposal
    game = Part(name, 3, proposal.game.parameters)
    session = agree_session(replace(proposal, game=game), os.urandom)
    (tmp_path / "game.jsonl").write_bytes(encode(session) + b"\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for command in ("verify", "show", "export"):
        done = called(command, "game.jsonl")
        assert done.returncode == 2 and "not installed" in done.stdout + done.stderr
    assert not Path("loaded").exists() and "evil_game" not in sys.modules
