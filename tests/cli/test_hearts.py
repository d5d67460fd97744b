"""`nodealer play --game hearts`: tables that cannot be, a person in the terminal, and a whole game of bots."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from pathlib import Path

import pytest

from cli.running import COMMAND, called, environment, nodealer


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--seats", "3"), "hearts is for four"),
        (("--protocol", "lock"), "pass hidden cards"),
        (("--points", "0"), "1 to 10000 points"),
        (("--points", "many"), "whole number"),
    ],
)
def test_games_that_cannot_be(options: tuple[str, ...], why: str) -> None:
    done = called("play", "--game", "hearts", "--auto", *options)
    said = " ".join((done.stderr + done.stdout).replace("│", " ").split())
    assert done.returncode == 2 and why in said and "Traceback" not in done.stderr


def test_a_log_is_shown_and_exported() -> None:
    log = Path(__file__).parents[1] / "golden/hearts-mask.jsonl"
    shown = called("show", str(log))
    assert shown.returncode == 0 and "passes three cards to Ben" in shown.stdout and "takes the trick" in shown.stdout
    assert "must prove that they have no spade" in shown.stdout and "proof of hidden cards" in shown.stdout
    (hand,) = json.loads(called("export", str(log)).stdout)["hands"]
    assert len(hand["tricks"]) == 13 and sum(one["points"] for one in hand["points"]) in (26, 78)


@pytest.mark.deep
def test_bots_play_to_the_goal() -> None:
    """The hand after the one that ends the game does not begin, and nobody waits for it."""
    done = nodealer("play", "--game", "hearts", "--auto", "--json", "--points", "30")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    results = [event for event in told if event["event"] == "result"]
    assert done.returncode == 0 and told[-1]["verdict"] == "clean" and 1 < len(results) < 5
    assert [result["over"] for result in results] == [*[False] * (len(results) - 1), True]


@pytest.mark.deep
def test_a_person_in_the_terminal() -> None:
    """What cannot be is refused with a reason; the rules and the help are there."""
    main, other = pty.openpty()
    command = [str(COMMAND), "play", "--game", "hearts", "--hands", "1", "--terminal"]
    with subprocess.Popen(
        command, env=environment(), stdin=other, stdout=other, stderr=other, close_fds=True
    ) as process:
        os.close(other)
        answers, text, end = ["?\n", "??\n", "zz\n", "2c 2c 2c\n", "quit\n"], b"", time.monotonic() + 90
        answered = 0
        while time.monotonic() < end:
            try:
                text += os.read(main, 65536)
            except OSError:
                break
            # What the others do is told above the line, which is drawn again: that is no new question.
            if answers and b"?=help" in text[answered:] and text.endswith(b"> "):
                answered = len(text)
                os.write(main, answers.pop(0).encode())
        process.kill()
    os.close(main)
    said = text.decode(errors="replace")
    assert "pass three cards to Ben" in said and "plays the queen of spades" in said and "Every heart" in said
    assert "is no card" in said and ("three different cards" in said or "is not in your hand" in said)
