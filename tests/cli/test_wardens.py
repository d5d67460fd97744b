"""`nodealer play --game wardens`: bots, a person, the modes, and what verify and show make of it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from pathlib import Path

import pytest

from cli.running import COMMAND, called, environment, nodealer


@pytest.mark.parametrize("mode", ["proven", pytest.param("committed", marks=pytest.mark.deep), "xor"])
def test_bots_play_and_the_log_is_clean(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "wardens.jsonl"
    done = nodealer("play", "--game", "wardens", "--auto", "--json", "--mode", mode, "--log", str(path))
    assert done.returncode == 0
    assert ("two have been played" in done.stderr.replace("\n", " ")) is (mode == "xor")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    (result,) = [event for event in told if event["event"] == "result"]
    assert result["winner"] in (0, 1, None) and ("a tie" if result["winner"] is None else "wins") in result["text"]
    assert told[-1]["verdict"] == "clean"
    assert any("order of the whole deck" in text for text in told[-1]["not_proven"]) is (mode == "xor")
    assert any(event["event"] == "move" and "plays" in event["text"] for event in told)


def test_verify_and_show(tmp_path: Path) -> None:
    path = tmp_path / "wardens.jsonl"
    args = ("play", "--game", "wardens", "--seed", "4", "--decks", "root,veil", "--log", str(path))
    assert nodealer(*args).returncode == 0
    verified = called("verify", str(path))
    assert verified.returncode == 0 and "CLEAN" in verified.stdout and ("Ada" in verified.stdout)
    shown = called("show", str(path))
    assert shown.returncode == 0 and "plays" in shown.stdout and "ends turn 1" in shown.stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--seats", "3"),
        ("--protocol", "mask"),
        ("--mode", "rot13"),
        ("--decks", "ember"),
        ("--decks", "ember,gold"),
        ("--protocol", "mask", "--mode", "xor"),
        ("--parameters", '{"mode":"xor"}', "--mode", "committed"),
        ("--parameters", '{"mode":"rot13"}'),
        ("--blinds", "1/2"),
        ("--ante", "0"),
        ("--stack", "200"),
    ],
)
def test_games_that_cannot_be(options: tuple[str, ...]) -> None:
    done = called("play", "--game", "wardens", "--auto", *options)
    assert done.returncode == 2 and "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [("--mode", "xor"), ("--decks", "ember,tide")])
def test_what_belongs_to_wardens(options: tuple[str, ...]) -> None:
    done = called("play", "--auto", *options)
    assert done.returncode == 2 and "is a setting of wardens, not of" in done.stderr


def test_a_person_in_the_terminal() -> None:
    """The table is shown, help is given, a wrong word changes nothing, and who concedes has lost."""
    main, other = pty.openpty()
    command = [str(COMMAND), "play", "--game", "wardens"]
    with subprocess.Popen(
        command, env=environment(), stdin=other, stdout=other, stderr=other, close_fds=True
    ) as process:
        os.close(other)
        answers, text, end = ["what\n", "?\n", "??\n", "concede\n"], b"", time.monotonic() + 90
        while time.monotonic() < end:
            try:
                text += os.read(main, 65536)
            except OSError:
                break
            if answers and text.endswith(b"> "):
                os.write(main, answers.pop(0).encode())
        process.kill()
    os.close(main)
    said = text.decode(errors="replace")
    assert "is not a move;" in said and "bury card 3" in said and "your turn" in said
    assert "rival's light to win" in said and "You lost." in said
    assert "conceded" in said and "Ben wins" in said and "CLEAN" in said
