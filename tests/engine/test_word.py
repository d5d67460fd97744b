"""A word of a player: in the log, signed, at any time, and without any effect at the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cli.running import called
from conformance.harness import Game, stands
from nodealer.engine.bodies import Agree, Move, Propose, Word, read_body
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.engine.rosters import proposal_id
from nodealer.errors import BadSignature, EntryRefused, IllegalMove, Malformed
from nodealer.log.entry import read_entry, sign_entry
from nodealer.log.roster import Roster
from nodealer.wire import WORD_BYTES_MAX, encode

Make = Callable[..., Game]


def playing(game: Game) -> bool:
    return game.state.phase is Phase.PLAYING and bool(game.state.hand.decks)


def test_a_word_changes_nothing_at_any_moment(game: Make) -> None:
    """Not between hands, not in one, and not for what the others are about to say."""
    quiet = game(hands=2).play()
    table = game(hands=2)
    for _ in range(len(quiet.log)):
        if stands(table, Phase.ENDED):
            break
        before, due = table.state.digest(), list(table.state.duties.open)
        speaking = [seat for seat in table.state.roster.seats if seat not in table.state.ended]
        for seat in speaking[:1]:
            assert table.order(table.seats[seat].send_note(f"hand {table.state.hand.number}")) is Outcome.ACCEPTED
        assert (table.state.digest(), list(table.state.duties.open)) == (before, due)
        for data in table.step():
            table.order(data)
    said = [read_body(bytes(read_entry(data).entry.body)) for data in table.log]
    assert stands(table, Phase.ENDED) and table.state.results == quiet.state.results
    assert {one.text for one in said if isinstance(one, Word)} == {"hand 0", "hand 1", "hand 2"}
    assert table.replica().digest() == table.replica(eager=False).digest()


def test_a_move_that_crosses_a_word_still_counts(game: Make) -> None:
    table = game().play(until=lambda g: any(seat.must_move for seat in g.seats.values()))
    mover = next(seat for seat in table.seats.values() if seat.must_move)
    other = next(seat for seat in table.seats.values() if seat is not mover)
    move, word = mover.move({"show": True}), other.send_note("hurry up")
    assert [table.order(word), table.order(move)] == [Outcome.ACCEPTED, Outcome.ACCEPTED]


def test_who_is_gone_may_still_say_something(game: Make) -> None:
    table = game().play(until=playing)
    table.order(table.seats[1].leave())
    assert 1 in table.state.gone
    assert table.order(table.seats[1].send_note("good luck")) is Outcome.ACCEPTED


def test_after_its_hand_a_word_is_late(game: Make) -> None:
    table = game(hands=2).play()
    ends = table.state.chronicle.hand_ends[0]
    replica = table.replica(ends - 1)
    other = next(seat for seat in replica.state.roster.seats if seat != table.signer(table.log[ends - 1]))
    late = table.by_hand(other, Word("wait"), replica)
    replica.append(table.log[ends - 1])
    assert replica.state.hand.number == 1
    # Signed for that hand after it was over, it was never due.
    entry = msgspec.structs.replace(read_entry(late).entry, seen=replica.head)
    with pytest.raises(EntryRefused, match="another hand"):
        replica.append(sign_entry(table.persons[other].key, entry))
    assert replica.append(late).outcome is Outcome.DROPPED


def test_after_the_end_nothing_is_said(game: Make) -> None:
    table = game(hands=1).play()
    assert stands(table, Phase.ENDED)
    with pytest.raises(IllegalMove):
        table.seats[0].send_note("one more thing")
    replica = table.replica()
    before = replica.state.digest()
    assert replica.append(table.by_hand(0, Word("one more thing"), replica)).outcome is Outcome.DROPPED
    assert replica.state.digest() == before


def test_a_seat_that_is_not_at_the_table_any_more_says_nothing(game: Make) -> None:
    table = game(hands=2).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica()
    rest = Roster(replica.state.roster.members[:2])
    late = table.by_hand(2, Word("crossed"), replica)
    for seat, body in ((0, Propose(rest, ())), (1, Agree(proposal_id(rest, 0, 1)))):
        replica.append(table.by_hand(seat, body, replica))
    assert replica.state.roster == rest
    assert replica.append(late).outcome is Outcome.DROPPED
    with pytest.raises(EntryRefused):
        replica.append(table.by_hand(2, Word("still here"), replica))


def test_how_long_a_word_is(game: Make) -> None:
    table = game().play(until=playing)
    assert table.order(table.seats[0].send_note("ä" * (WORD_BYTES_MAX // 2))) is Outcome.ACCEPTED
    for text in ("ä" * (WORD_BYTES_MAX // 2) + "a", "a" * (WORD_BYTES_MAX + 1)):
        with pytest.raises(IllegalMove, match="4096 bytes"):
            table.seats[0].send_note(text)
        replica = table.replica()
        with pytest.raises(EntryRefused, match="4096 bytes"):
            replica.append(table.by_hand(0, Word(text), replica))
    for data in (b'{"type":"word"}', b'{"type":"word","text":""}', b'{"type":"word","text":1}'):
        with pytest.raises(Malformed):
            read_body(data)


def test_a_word_cannot_be_changed_and_is_nobody_elses(game: Make) -> None:
    table = game().play(until=playing)
    said = table.seats[0].send_note("I bet 10")
    replica = table.replica()
    with pytest.raises(BadSignature):
        replica.append(said.replace(b"bet 10", b"bet 90"))
    entry = read_entry(said).entry
    with pytest.raises(BadSignature):
        replica.append(sign_entry(table.persons[1].key, entry))
    assert replica.append(said).outcome is Outcome.ACCEPTED
    # Two words with one number are a contradiction, like any two entries.
    other = msgspec.structs.replace(entry, body=msgspec.Raw(encode(Word("I bet 90"))))
    assert replica.append(sign_entry(table.persons[0].key, other)).outcome is Outcome.FAULT
    assert replica.state.expelled == {0}


def test_a_word_is_no_answer(game: Make) -> None:
    """Who talks and does not move holds the table up as before."""
    table = game().play(until=lambda g: any(seat.must_move for seat in g.seats.values()))
    mover = next(seat for seat in table.seats.values() if seat.must_move)
    table.order(mover.send_note("let me think"))
    assert (
        mover.must_move
        and mover.number in next(s for s in table.seats.values() if s is not mover).blocking_duties.values()
    )
    assert isinstance(read_body(encode(Move(bytes(32), msgspec.Raw(b"{}")))), Move)


def test_a_golden_log_with_another_word_is_broken(tmp_path: Path) -> None:
    log = Path(__file__).parents[1] / "golden" / "free-mask.jsonl"
    shown = called("show", str(log))
    assert "Ben says: I bet 10" in shown.stdout
    (tmp_path / "log").write_bytes(log.read_bytes().replace(b"I bet 10", b"I bet 90"))
    assert called("verify", str(tmp_path / "log")).returncode in (1, 2)
