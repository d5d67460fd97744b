"""A program plays a seat: one JSON line asks, one answers."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.running import COMMAND, called, environment
from nodealer.cli.json_ui import LINES_AHEAD_MAX, _Input
from test_readme import blocks

Event = dict[str, Any]


def test_the_program_of_the_page_plays_a_hand(tmp_path: Path) -> None:
    """As it stands there, in a process of its own."""
    (program,) = blocks("docs/build/programs.md")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(XDG_STATE_HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1] == "clean"
    assert "Robin {'type': 'call'}" in lines and any(line.startswith("Ben {'type': ") for line in lines)


def talk(answers: Callable[[Event], list[str] | None], *arguments: str) -> tuple[list[Event], str, int]:
    """Play with what `answers` says to each question; None ends the input."""
    told: list[Event] = []
    command, pipe = [str(COMMAND), *arguments, "--json"], subprocess.PIPE
    with subprocess.Popen(command, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True) as game:
        assert game.stdin is not None and game.stdout is not None and game.stderr is not None
        for line in game.stdout:
            told.append(json.loads(line))
            if told[-1]["event"] == "ask":
                said = answers(told[-1])
                game.stdin.write("".join(f"{line}\n" for line in said or ()))
                game.stdin.close() if said is None else game.stdin.flush()
        complaints = game.stderr.read()
    return told, complaints, game.returncode


def test_a_program_that_talks_without_end_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    read = [0]

    def block() -> bytes:
        read[0] += 1
        return b"{}\n" * LINES_AHEAD_MAX

    async def listen() -> None:
        lines = _Input()
        lines.start()
        for _ in range(LINES_AHEAD_MAX):
            assert await lines.next_answer() == b"{}"
        await asyncio.sleep(0.1)
        assert read[0] <= 3, "as much as there is room for, and what is read last"

    monkeypatch.setattr("nodealer.cli.json_ui._read_block", block)
    asyncio.run(listen())


def gives_up(event: Event) -> list[str]:
    """Fold, or keep the cards of a pot that nobody else wants to oneself."""
    move = "muck" if event["page"]["legal"]["muck"] else "fold"
    return [json.dumps({"move": {"type": move}, "ask": event["ask"]})]


def test_a_program_that_goes_stops_the_game_and_another_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    told, complaints, code = talk(lambda event: None, "play", "--seats", "2", "--hands", "1")
    assert code == 130 and told[-1]["event"] == "ask" and "Stopped in hand 1" in complaints
    assert told[-1]["for"] == "move" and told[-1]["name"] == "Ada" and len(told[-1]["page"]["mine"]) == 2
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO())
        assert "is not a bot" in called("resume").stderr

    wrong = ["fold", "[]", '{"ask":2,"move":{"type":"fold"}}', '{"ask":1}', '{"ask":1,"choose":[0]}', '{"ask":1,"x":1}']
    wrong += ['{"ask":1,"move":{"type":"raise","to":1}}', '{"ask":1,"move":{"to":100000,"type":"raise"}}']
    told, complaints, code = talk(lambda event: [*(wrong if event["ask"] == 1 else ()), *gives_up(event)], "resume")
    assert (code, complaints) == (0, "Continuing in hand 1.\n")
    refused = [event["reason"] for event in told if event["event"] == "refused"]
    assert len(refused) == len(wrong) and "question 2" in refused[2] and "raise to 4–200" in refused[6]
    moves = [event["move"] for event in told if event["event"] == "move" and event["name"] == "Ada"]
    assert moves[0] == {"type": "fold"} and told[-1]["verdict"] == "clean"


# --- The name of the one who plays ---


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json", "--name", "Ben"), "Ben is the name of a bot at this table; choose another name"),
        (("--json", "--name", "bEN"), "Ben is the name of a bot"),
        (("--json", "--name", " Bob"), "your name begins or ends with a space"),
        (("--json", "--name", ""), "your name is empty"),
        (("--auto", "--name", "Bob"), "bots play all seats: --auto was given"),
        (("--name", "Bob"), "bots play all seats: there is no terminal"),
        (("--seed", "1", "--name", "Bob"), "bots play all seats: a rehearsal"),
        (("--json", "--cheat", "Bob", "--name", "Bob"), "Bob is you"),
    ],
)
def test_names_that_cannot_be(arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    done = called("play", "--seats", "2", *arguments)
    assert done.returncode == 2 and said in done.stderr and not done.stdout


# --- Commands ---


def test_a_program_gives_commands_and_hears_why_one_is_not_possible() -> None:
    """Whether it is asked something or not, and without a question being answered by it."""
    bad = ['{"command":"juggle"}', '{"command":7}', '{"command":"without","name":"Zed"}', '{"command":"remove"}']
    bad += ['{"command":"agree","of":1}', '{"command":"sit"}', '{"command":"claim"}']

    def answers(event: Event) -> list[str]:
        commands = [*bad, '{"command":"sit_out"}'] if event["ask"] == 1 else []
        return [*commands, *gives_up(event)]

    told, complaints, code = talk(answers, "play", "--seats", "3", "--hands", "2")
    assert (code, complaints) == (0, "")
    refused = [(event["command"], event["reason"]) for event in told if event["event"] == "refused"]
    assert [command for command, _ in refused] == [
        *("juggle", None, "without", "remove", "agree", "sit", "claim"),
    ]
    assert "no one is waiting for Zed" in refused[2][1] and "tables on the network" in refused[3][1]
    assert "sit out" in refused[5][1]
    left = [event["text"] for event in told if event["event"] == "leave" and event["name"] == "Ada"]
    assert left == ["sits out"] and told[-1]["verdict"] == "clean"
    assert {event["hand"] for event in told if event["event"] == "ask"} == {1}


def test_a_program_that_leaves() -> None:
    told, _, code = talk(lambda event: ['{"command":"leave"}'], "play", "--seats", "3", "--hands", "2")
    assert code == 0 and told[-1]["verdict"] == "clean"
    assert [event["text"] for event in told if event["event"] == "leave" and event["name"] == "Ada"] == [
        "leaves the hand"
    ]
    assert len([event for event in told if event["event"] == "ask"]) == 1
