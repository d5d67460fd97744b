"""`nodealer show`: a game again, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import nodealer as api
from cli.logs import Log
from cli.running import called
from cli.test_verify import _proof
from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.client.events import Late
from nodealer.client.narrator import Narrator
from nodealer.engine.bodies import Agree, Leave, Propose
from nodealer.engine.replica import Outcome
from nodealer.engine.rosters import proposal_id
from nodealer.group import group
from nodealer.log.roster import Roster
from nodealer.protocols import STEPS


def test_a_game_for_people(log: Log) -> None:
    done = called("show", str(log.path))
    assert done.returncode == 0 and not done.stderr
    assert "Hand 1" in done.stdout and "Hand 2" in done.stdout and "result" in done.stdout
    assert "Ada shuffle: " in done.stdout and "shuffle proof" in done.stdout
    # Each kind of step is explained once.
    assert [done.stdout.count(STEPS["mask"][kind].means) for kind in ("shuffle", "rekey", "release")] == [1, 1, 1]
    assert "needs no proof" in done.stdout
    assert "CLEAN" in done.stdout.splitlines()[-2]


def test_a_game_for_programs(log: Log) -> None:
    done = called("show", str(log.path), "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "session" and kinds[-1] == "verified" and kinds.count("result") == 2
    assert events[-1]["verdict"] == "clean"
    assert all(isinstance(event["text"], str) for event in events if event["event"] in ("board", "move", "result"))
    shuffles = [event for event in events if event["event"] == "cards" and event["step"] == "shuffle"]
    assert [event["name"] for event in shuffles] == ["Ada", "Ben", "Cleo"] * 2
    assert shuffles[0]["text"] == "Ada shuffled; proven: the same cards"
    assert all(
        event["outcome"] and event["outcome"][0].split(" with ")[0].split()[-2] in ("wins", "share")
        for event in events
        if event["event"] == "result"
    )
    assert all(event["proofs"] and event["bytes"] > 5000 for event in shuffles)


def test_a_false_proof_is_shown_where_it_is(log: Log, target: Path) -> None:
    number = log.first_of("shuffle")
    log.save(target, [*log.entries[:number], log.signed_again(number, *_proof(log.entries[number]))])
    done = called("show", str(target), "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert next(event for event in events if event["event"] == "fault")["entry"] == number
    assert "FAULT Ada" in called("show", str(target)).stdout


def test_a_table_without_rules(tmp_path: Path) -> None:
    path = tmp_path / "free.jsonl"
    table = api.table(["Ada", "Ben"])
    table.shuffle(["[red]one", "[/bold]", "[three"])
    table.deal(Ben=1)
    opened = table.open(1)
    table.show("Ben")
    table.save(path)
    done = called("show", str(path))
    assert done.returncode == 0 and not done.stderr
    assert f"board: {opened[0]}" in done.stdout and "Ada asks to deal: Ben 1" in done.stdout


def test_bad_files(tmp_path: Path, log: Log, target: Path) -> None:
    assert called("show", str(tmp_path)).returncode == 2
    assert called("show", str(tmp_path / "no")).returncode == 2
    target.write_bytes(log.path.read_bytes()[:-50])
    done = called("show", str(target))
    assert done.returncode == 3 and "INCOMPLETE" in done.stdout and "Traceback" not in done.stderr
    # Also on a page there is nothing to show: it says so at once.
    assert called("show", str(tmp_path / "none.jsonl"), "--no-browser").returncode == 2


def test_a_seat_that_is_not_in_the_roster_any_more_still_has_its_name() -> None:
    """Its late words stand in the log, and so does a book, which is never too late."""
    table = Game(ClearProtocol(group()), TinyRules())
    replica = table.replica(0)
    roster = Roster(replica.state.roster.members[:2])
    late = table.by_hand(2, Leave(), replica)
    for seat, body in ((0, Propose(roster, ())), (1, Agree(proposal_id(roster, 0, 0)))):
        replica.append(table.by_hand(seat, body, replica))
    assert replica.state.roster == roster
    applied = replica.append(late)
    told = list(Narrator.for_table(replica.config).describe(applied))
    assert applied.outcome is Outcome.DROPPED
    assert told == [Late("Cy", "leave")]
