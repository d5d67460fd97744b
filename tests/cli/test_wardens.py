"""`nodealer play --game wardens`: bots, a person, the modes, and what verify and show make of it."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import time
from pathlib import Path

import pytest
from rich.console import Console

from cli.running import COMMAND, called, environment, nodealer
from games.wardens_dealer import dealt
from nodealer.cli.games import desk_for, words_for
from nodealer.cli.games.wardens import rules_of
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.wardens import Attack, Bury, Concede, EndTurn, Play
from nodealer.protocols.base import Binding, Duty
from nodealer.wire import encode


@pytest.mark.parametrize("mode", ["proven", pytest.param("committed", marks=pytest.mark.deep), "xor"])
def test_bots_play_and_the_log_is_clean(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "wardens.jsonl"
    done = nodealer("play", "--game", "wardens", "--auto", "--json", "--mode", mode, "--log", str(path))
    assert done.returncode == 0
    assert ("two have been played" in done.stderr.replace("\n", " ")) is (mode == "xor")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    (result,) = [event for event in told if event["event"] == "result"]
    assert result["winner"] in (0, 1) and "wins after" in result["text"]
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
        ("--parameters", '{"mode":"xor"}'),
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
    assert done.returncode == 2 and "belongs to wardens" in done.stderr


def test_a_person_in_the_terminal() -> None:
    """The table is shown, help is given, a wrong word changes nothing, and who concedes has lost."""
    main, other = pty.openpty()
    command = [str(COMMAND), "play", "--game", "wardens"]
    with subprocess.Popen(
        command, env=environment(), stdin=other, stdout=other, stderr=other, close_fds=True
    ) as process:
        os.close(other)
        answers, text, end = ["what\n", "?\n", "concede\n"], b"", time.monotonic() + 90
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
    assert "is not a move here" in said and "bury card 3" in said and "you may" in said
    assert "conceded" in said and "Ben wins" in said and "CLEAN" in said


# --- The desk ---


def test_what_a_person_types() -> None:
    dealer = dealt()
    view = dealer.view()
    desk = desk_for(dealer.game)
    assert desk is not None
    hand = list(dealer.hand().items())
    assert desk.read(view, "p 2\n") == Play(*hand[1])
    assert desk.read(view, "b 1") == Bury(hand[0][0])
    assert desk.read(view, "e") == EndTurn() and desk.read(view, "concede") == Concede()
    assert desk.read(view, "?") is None and desk.read(view, "") is None
    for wrong in ("p", "p 9", "p x", "p 1 z", "a 1", "x", "p -1", "p 1 a b", "b 0"):
        with pytest.raises(IllegalMove):
            desk.read(view, wrong)
    console = Console(file=io.StringIO(), width=120)
    desk.show(view, console)
    assert "light 24" in console.file.getvalue()  # type: ignore[attr-defined]


def test_attacks_by_letter() -> None:
    from games.test_wardens import with_wardens

    dealer = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", active=True)
    desk = desk_for(dealer.game)
    assert desk is not None
    mine, theirs = dealer.game.mine.wardens[0], dealer.game.theirs.wardens[0]
    assert desk.read(dealer.view(), "a 1 a") == Attack(mine.place, theirs.place)
    assert desk.read(dealer.view(), "a 1") == Attack(mine.place)
    words = words_for(dealer.game)
    assert words is not None
    assert words.move(dealer.game, 0, encode(Attack(mine.place, theirs.place))) == "lets Cinder Pup attack Reef Warden"


def test_choices() -> None:
    from dataclasses import replace

    from nodealer.group import group

    dealer = dealt()
    view = replace(dealer.view(), seen={(0, 7): 0, (0, 9): 1, (0, 8): 2})
    table = Binding("duel", 0, bytes(32), bytes(32), 0, (0, 1), (), group(backend="reference"))
    take, arrange = (Duty(table, 0, 0, step, bytes(32), choice=True) for step in ("take", "arrange"))
    desk = desk_for(dealer.game)
    assert desk is not None
    assert desk.choose(view, take, "2") == b"[9]" and desk.choose(view, arrange, "3 1 2") == b"[8,7,9]"
    for duty, text in ((take, "1 2"), (take, "4"), (take, ""), (arrange, "1 1 2"), (arrange, "1 2")):
        with pytest.raises(IllegalMove):
            desk.choose(view, duty, text)
    console = Console(file=io.StringIO(), width=120)
    desk.offer(view, take, console)
    assert "which one" in console.file.getvalue()  # type: ignore[attr-defined]


def test_decks_by_name() -> None:
    assert rules_of("root, veil").deck_max == 30
    with pytest.raises(BadParameter):
        rules_of("root")
