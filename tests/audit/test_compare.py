"""Two logs of one session: who was shown another table, and who signed two things."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from audit.conftest import Game
from cli.running import called
from nodealer.audit.compare import compare
from nodealer.audit.verify import verify_file
from nodealer.engine.bodies import Agree, Body, Leave, Newcomer, Propose
from nodealer.engine.replica import replay
from nodealer.engine.resolve import resolve_config
from nodealer.engine.rosters import proposal_id
from nodealer.errors import BadParameter
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.roster import Roster, member_of, sign_newcomer
from nodealer.wire import encode


def forked(game: Game, tmp_path: Path) -> tuple[Path, Path, int, int]:
    """The game, and another one in which a seat said something else at one place."""
    number = next(n for n in range(40, len(game.entries)) if b'"type":"move"' in game.entries[n])
    entry = game.entry(number)
    other = game.signed(number, msgspec.structs.replace(entry, body=msgspec.Raw(encode(Leave()))))
    one = game.save(tmp_path / "one.jsonl")
    two = game.save(tmp_path / "two.jsonl", [*game.entries[:number], other])
    return one, two, number, entry.seat


def test_who_signed_two_things_is_named(game: Game, tmp_path: Path) -> None:
    one, two, number, seat = forked(game, tmp_path)
    reports = verify_file(one, entropy=os.urandom), verify_file(two, entropy=os.urandom)
    assert [report.verdict for report in reports] == ["clean", "incomplete"], "alone nothing is to be seen"
    found = compare(one, two, reports)
    assert not found.agree and found.common == number
    assert [(c.seat, c.seq, c.entries) for c in found.contradictions] == [
        (seat, game.entry(number).seq, (number, number))
    ]


def test_through_the_command(game: Game, tmp_path: Path) -> None:
    one, two, number, seat = forked(game, tmp_path)
    done = called("verify", str(one), "--against", str(two), "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1 and document["against"]["common"] == number
    assert [one["seat"] for one in document["against"]["signed_twice"]] == [seat]
    text = called("verify", str(one), "--against", str(two))
    assert text.returncode == 1 and "DIVERGED" in text.stdout and f"player {seat} (seat {seat}, key" in text.stdout


def test_the_begin_of_a_log_agrees_with_it(game: Game, tmp_path: Path) -> None:
    whole, part = game.save(tmp_path / "whole"), game.save(tmp_path / "part", game.entries[:30])
    assert called("verify", str(whole), "--against", str(whole)).returncode == 0
    done = called("verify", str(whole), "--against", str(part))
    assert done.returncode == 3 and "agree in all 30 entries" in done.stdout


def test_two_orders_of_honest_entries_part_without_a_culprit(game: Game, tmp_path: Path) -> None:
    """Entries that crossed may be ordered in two ways: a relay can do that, and nobody signed two things."""
    begins = [n for n in range(3) if game.entry(n).seat == n]
    assert begins == [0, 1, 2]
    swapped = [game.entries[1], game.entries[0]]
    one, two = game.save(tmp_path / "one", game.entries[:2]), game.save(tmp_path / "two", swapped)
    found = compare(one, two, (verify_file(one, entropy=os.urandom), verify_file(two, entropy=os.urandom)))
    assert found.common == 0 and not found.agree and not found.contradictions


def test_logs_of_two_sessions_are_not_compared(game: Game, tmp_path: Path) -> None:
    one = game.save(tmp_path / "one")
    report = verify_file(one, entropy=os.urandom)
    with pytest.raises(BadParameter, match="not of the same session"):
        compare(one, one, (report, verify_file(tmp_path / "nothing", entropy=os.urandom)))
    assert called("verify", str(one), "--against", str(tmp_path / "nothing")).returncode == 2
    assert called("verify", str(one), str(one), "--against", str(one)).returncode == 2


def joined_by(game: Game, name: str, path: Path) -> Path:
    """The first hand, then somebody joins by the word of two players, and says something."""
    first = next(n for n in range(len(game.entries)) if game.entry(n).hand == 1)
    replica = replay(resolve_config(game.session), game.entries[:first], entropy=os.urandom)
    newcomer = Identity(os.urandom(32))
    member = member_of(newcomer, 3, name)
    roster = Roster((*replica.state.roster.members, member))
    signature = sign_newcomer(newcomer, game.session.id, roster.digest, member)
    said: list[tuple[Identity, int, Body]] = [
        (game.keys[0], 0, Propose(roster, (Newcomer(3, signature),))),
        (game.keys[1], 1, Agree(proposal_id(roster, 0, 1))),
        (newcomer, 3, Leave()),
    ]
    for key, seat, body in said:
        digest, seq, raw = replica.state.roster.digest, replica.count_signed_by(key.public), msgspec.Raw(encode(body))
        replica.append(sign_entry(key, Entry(game.session.id, digest, 1, seat, seq, replica.head, raw)))
    return game.save(path, replica.entries)


def test_two_newcomers_at_one_number_are_two_people(game: Game, tmp_path: Path) -> None:
    """Two players who let another person in at each of two tables have signed two things; those two people have not."""
    one, two = joined_by(game, "Dana", tmp_path / "one"), joined_by(game, "Eve", tmp_path / "two")
    found = compare(one, two, (verify_file(one, entropy=os.urandom), verify_file(two, entropy=os.urandom)))
    assert {contradiction.seat for contradiction in found.contradictions} == {0, 1}
