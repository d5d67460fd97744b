"""`--cheat` and `demo`: a bot cheats in a live game, and whoever has the log can see that it did."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import called, environment, nodealer
from nodealer.cli.cheat_option import parse_cheat
from nodealer.errors import BadParameter
from nodealer.protocols import make_protocol


def test_the_demo_names_the_cheater_twice() -> None:
    """At the table, and where only the log is; and the others have played on."""
    done = nodealer("demo")
    assert done.returncode == 0 and not done.stderr, done.stderr
    at_the_table, elsewhere = done.stdout.split("An independent check")
    for told in (at_the_table, elsewhere):
        assert "FAULT: Ben (seat 1" in told and "does not verify" in told
    assert "Ben cheats: this bot puts a card into the deck twice" in at_the_table
    assert "noticed at once, and the culprit is named" in at_the_table and "the log names Ben" in at_the_table
    # Unless chance lets one of the two win everything in the first: nobody is left to play with then.
    assert "Hand 2" in at_the_table or re.search(r"\b(Ada|Cleo) 0 \(", at_the_table)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--cheat", "Ben:other-card"), "a false key for a card that is dealt or opened: noticed at once"),
        (("--cheat", "Ben:steal"), "unknown cheat 'steal'; choose from double, mark"),
        (("--cheat", "Zoe"), "unknown seat 'Zoe'; choose from 0 Ada, 1 Ben"),
        (("--cheat", "2", "--seats", "2"), "unknown seat '2'"),
        (("--cheat", "ben", "--seed", "1"), "--cheat and --seed cannot be combined"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    done = called("play", "--auto", *arguments)
    assert done.returncode == 2 and reason in done.stderr and not done.stdout


def test_a_person_is_not_made_to_cheat() -> None:
    cheating = parse_cheat("0", ("Ada", "Ben"), make_protocol("mask"))
    with pytest.raises(BadParameter, match="Ada is you"):
        cheating.refuse(None, "Ada")
    cheating.refuse(None, None)


def test_who_plays_fair_does_not_load_the_attacks() -> None:
    seen = "import sys; import nodealer.cli.app, nodealer.cli.local_game, nodealer.client.bot_process; "
    done = subprocess.run(
        [sys.executable, "-c", seen + "print([name for name in sys.modules if 'attacks' in name])"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["double", "mark", "false-key", "two-things", "throw-out"])
@pytest.mark.parametrize(
    ("game", "protocol", "mode"),
    [("holdem", "lock", "{}"), ("holdem", "chain", '{"proven":false}'), ("wardens", "duel", '{"mode":"committed"}')],
)
def test_a_bot_cheats(game: str, protocol: str, mode: str, kind: str, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    table = ("--game", game, "--protocol", protocol, "--parameters", mode, "--hands", "1", "--log", str(log))
    done = nodealer("play", "--auto", *table, "--cheat", f"1:{kind}", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    cheat = next(event for event in events if event["event"] == "cheat")
    assert (cheat["name"], cheat["cheat"]) == ("Ben", kind)
    judged = nodealer("verify", str(log), "--json")
    assert done.returncode == judged.returncode == (1 if cheat["culprit"] else 0), done.stderr
    named = [fault["name"] for fault in json.loads(judged.stdout)["faults"]]
    assert named == (["Ben"] if cheat["culprit"] else []) and "Traceback" not in done.stderr
