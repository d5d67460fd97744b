"""`python -O` removes the asserts by which pokerkit says that a move is illegal: then nothing is played or judged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.logs import Log
from cli.running import environment


def optimized(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("flags", [("-O",), ("-OO",), ()])
@pytest.mark.parametrize("command", ["verify", "show", "play", "rehearsal"])
def test_nothing_runs_without_asserts(log: Log, flags: tuple[str, ...], command: str) -> None:
    arguments = {"play": ("play", "--auto"), "rehearsal": ("play", "--seed", "1")}.get(
        command, (command, str(log.path))
    )
    changes = {} if flags else {"PYTHONOPTIMIZE": "1"}
    done = optimized(*flags, "-m", "nodealer.cli", *arguments, **changes)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "-O" in done.stdout + done.stderr and "CLEAN" not in done.stdout and "Hand 1" not in done.stdout


def test_several_files(log: Log) -> None:
    done = optimized("-O", "-m", "nodealer.cli", "verify", str(log.path), str(log.path))
    assert done.returncode == 2 and "CLEAN" not in done.stdout


def test_nor_does_a_seat(tmp_path: Path) -> None:
    code = (
        "import os; from nodealer.errors import BadParameter; from nodealer.games.free import Free\n"
        "from nodealer.client.local_table import seat_players; from nodealer.protocols import make_protocol\n"
        "try: seat_players(['Ada', 'Ben'], make_protocol('mask'), Free(), os.urandom)\n"
        "except BadParameter as error: print(error)"
    )
    assert "-O" in optimized("-O", "-c", code).stdout
    assert optimized("-c", code).stdout == ""
