"""The law of the table: who can throw out whom, who can void a hand, and what neither can do.

Each test is an attack that once worked on a weaker rule, or the use that the rule is for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import msgspec
import pytest

from conformance.clear import bad_proof
from conformance.games import TinyRules
from conformance.harness import Game, forked, stands
from nodealer.engine.bodies import Break, Leave, Move, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.state import TableState
from nodealer.engine.votes import _decide, voters
from nodealer.errors import EntryRefused, IllegalMove
from nodealer.log.entry import read_entry, sign_entry
from nodealer.protocols.base import Duty
from nodealer.wire import encode

Make = Callable[..., Game]


def owed(state: TableState, seats: Iterable[int]) -> tuple[bytes, ...]:
    """All duties of these seats that can be named."""
    of = frozenset(seats)
    return tuple(sorted(id for id, known in state.duties.open.items() if known.duty.seat in of and known.is_blocking))


def say_without(game: Game, replica: Replica, seat: int, of: Iterable[int]) -> Outcome | None:
    """A seat names everything that others owe; None where they owe nothing."""
    named = owed(replica.state, of)
    return replica.append(game.by_hand(seat, Without(named), replica)).outcome if named else None


def say_break(game: Game, replica: Replica, seat: int) -> Outcome | None:
    named = owed(replica.state, set(replica.state.roster.seats) - {seat})
    return replica.append(game.by_hand(seat, Break(named[0]), replica)).outcome if named else None


def but_for_votes(state: TableState) -> bytes:
    """The state without what was only said."""
    return state.with_hand(skip_votes={}, abort_votes={}).digest()


def moments(game: Game) -> Iterator[Replica]:
    """A replica at every height of a log."""
    replica = Replica(game.config, entropy=game.source)
    yield forked(replica)
    for data in game.log:
        replica.append(data)
        yield forked(replica)


# --- Fewer than half can do nothing ---


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_minority_changes_nothing_at_any_moment(game: Make, seats: int) -> None:
    """One seat alone once took a pot from three live players in one entry, and the log was called clean."""
    table = game(TinyRules(deck_max=2 * seats, together=True), seats=seats).play()
    for replica in moments(table):
        for coalition in _minorities(voters(replica.state)):
            twin = forked(replica)
            before = but_for_votes(twin.state)
            others = set(twin.state.roster.seats) - set(coalition)
            for seat in coalition:
                say_without(table, twin, seat, others)
                if 2 * len(coalition) < len(voters(twin.state)):
                    say_break(table, twin, seat)
            assert but_for_votes(twin.state) == before
            assert not twin.state.faults and not twin.state.chronicle.vote_results


def _minorities(seats: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every single seat, and the largest coalitions below half, and exactly half."""
    yield from ((seat,) for seat in seats)
    yield from itertools.islice(itertools.combinations(seats, len(seats) // 2), 3)


def test_a_burst_of_one_seat_is_one_voice(game: Make) -> None:
    """Saying it again, of more, or in pieces does not make more of it."""
    table = game(TinyRules(together=True), seats=3).play(until=lambda g: _moving(g) == {0, 1, 2})
    replica = table.replica()
    for duty in owed(replica.state, {1, 2}):
        for _ in range(3):
            assert replica.append(table.by_hand(0, Without((duty,)), replica)).outcome is Outcome.ACCEPTED
    assert not replica.state.chronicle.vote_results and replica.state.gone == frozenset()


def _moving(game: Game) -> set[int]:
    return {known.duty.seat for known in game.state.duties.open.values() if known.is_move and not known.duty.optional}


# --- More than half ---


def test_more_than_half_go_on_without_a_seat(game: Make) -> None:
    table = game(seats=3).play(until=lambda g: any(d.duty.kind == "shuffle" for d in g.state.duties.open.values()))
    replica = table.replica()
    silent = next(d.duty.seat for d in replica.state.duties.open.values() if d.duty.kind == "shuffle")
    others = [seat for seat in range(3) if seat != silent]
    assert say_without(table, replica, others[0], {silent}) is Outcome.ACCEPTED
    assert silent not in replica.state.gone
    entry = replica.height
    assert say_without(table, replica, others[1], {silent}) is Outcome.ACCEPTED
    assert replica.state.gone == {silent}
    said = replica.state.chronicle.vote_results
    assert [(one.entry, one.by, one.of, one.did) for one in said] == [(entry, tuple(others), silent, "gone")]
    assert not replica.state.faults, "silence names no culprit"


def test_a_friend_who_says_nothing_stalls_nobody_who_has_the_majority(game: Make) -> None:
    """Where "all who stay" had to agree, a silent seat and one friend could stall any table."""
    for seats, stalled in ((4, True), (5, False)):
        table = game(TinyRules(deck_max=10, together=True), seats=seats)
        table.play(until=lambda g: len(_moving(g)) == seats)
        replica = table.replica()
        silent, friend = 0, 1
        for seat in range(seats):
            if seat not in (silent, friend):
                say_without(table, replica, seat, {silent})
        assert (not replica.state.chronicle.vote_results) is stalled


def test_the_third_of_four_votes_comes_last(game: Make) -> None:
    """Votes that came before count when the last one makes them enough, however much was said between."""
    table = game(TinyRules(deck_max=10, together=True, rounds=True), seats=4)
    table.play(until=lambda g: _moving(g) == {0, 1, 2, 3})
    replica = table.replica()
    say_without(table, replica, 0, {3})
    say_without(table, replica, 1, {3})
    for seat in (0, 1):
        move = next(id for id, d in replica.state.duties.of_seat(seat).items() if d.is_move)
        replica.append(table.by_hand(seat, Move(move, msgspec.Raw(encode({"show": False}))), replica))
    assert not replica.state.chronicle.vote_results
    say_without(table, replica, 2, {3})
    assert [one.of for one in replica.state.chronicle.vote_results] == [3]


# --- Exactly half ---


def test_half_can_void_a_hand_and_nothing_else(game: Make) -> None:
    table = game(TinyRules(stake=10), seats=2).play(until=lambda g: g.state.phase is Phase.PLAYING and len(g.log) > 4)
    replica = table.replica()
    waiting = next(seat for seat in (0, 1) if owed(replica.state, {1 - seat}) and not owed(replica.state, {seat}))
    assert say_without(table, replica, waiting, {1 - waiting}) is Outcome.ACCEPTED
    assert not replica.state.chronicle.vote_results, "one of two is not more than half"
    assert say_break(table, replica, waiting) is Outcome.ACCEPTED
    record = replica.state.chronicle.records[-1]
    assert record.void == "broken off" and replica.state.ledger.chips == {0: 10, 1: 10}
    assert replica.state.no_more_hands and not replica.state.faults and not replica.state.gone
    assert [one.did for one in replica.state.chronicle.vote_results] == ["broken off"]
    begins = [d for d in replica.state.duties.open.values() if d.duty.kind == "begin"]
    assert not begins, "it is the session's last hand"


def test_between_hands_breaking_off_only_ends_the_session(game: Make) -> None:
    table = game(TinyRules(stake=10), seats=2, hands=2)
    table.play(until=lambda g: g.state.phase is Phase.BETWEEN and g.state.hand.number == 1)
    replica = table.replica()
    chips = replica.state.ledger.chips
    assert say_break(table, replica, 0) is Outcome.ACCEPTED
    assert (
        replica.state.no_more_hands
        and replica.state.ledger.chips == chips
        and len(replica.state.chronicle.records) == 1
    )


# --- Votes ---


def test_a_vote_is_void_when_its_duty_closes_and_only_then(game: Make) -> None:
    """A vote never lives on for a later duty of the same seat; nor does an answer to one duty feed another."""
    table = game(TinyRules(deck_max=10), seats=4).play(until=lambda g: _moving(g) == {0})
    replica = table.replica()
    say_without(table, replica, 1, {0})
    say_without(table, replica, 2, {0})
    table.order(table.seats[0].move({"show": True}))
    for data in table.log[replica.height - 2 :]:
        replica.append(data)
    assert replica.state.hand.skip_votes == {}
    say_without(table, replica, 3, {0})
    assert not replica.state.chronicle.vote_results


def test_a_seat_with_two_duties_cannot_feed_one_and_starve_the_other(game: Make) -> None:
    table = game(TinyRules(deck_max=10), seats=3)
    table.play(until=lambda g: sum(d.duty.seat == 2 and d.is_blocking for d in g.state.duties.open.values()) >= 1)
    replica = table.replica()
    state = replica.state
    known = next(d for d in state.duties.open.values() if d.duty.seat == 2 and d.is_blocking)
    second = Duty(known.duty.binding, 7, 2, "other", known.duty.anchor)
    doubled = {**state.duties.open, second.id: replace(known, duty=second)}
    assert len([id for id in doubled if doubled[id].duty.seat == 2 and doubled[id].is_blocking]) == 2
    # Each voter names another one of the two: counted together, since neither is a move.
    both = replace(state, duties=replace(state.duties, open=doubled))
    votes = {0: frozenset({known.duty.id}), 1: frozenset({second.id})}
    assert set(_decide(both.with_hand(skip_votes=votes)).gone) == {2}
    # When one is fed, the vote for the other stays; the one for the fed duty is gone.
    fed = {id: duty for id, duty in doubled.items() if id != known.duty.id}
    rest = replace(state, duties=replace(state.duties, open=fed)).with_hand(skip_votes={1: votes[1]})
    assert not _decide(rest).gone
    assert set(_decide(rest.with_hand(skip_votes={0: frozenset({second.id}), **{1: votes[1]}})).gone) == {2}


def test_whoever_owes_a_card_message_has_no_word(game: Make) -> None:
    """A silent seat once kept its place by writing the statement itself. Said while owing, it does not revive."""
    table = game(seats=3).play(until=lambda g: sum(d.duty.deck is not None for d in g.state.duties.open.values()) >= 2)
    replica = table.replica()
    owing = sorted({d.duty.seat for d in replica.state.duties.open.values() if d.duty.deck is not None})
    assert say_without(table, replica, owing[0], {owing[1]}) is Outcome.DROPPED
    assert say_break(table, replica, owing[0]) is Outcome.DROPPED
    assert replica.state.hand.skip_votes == {} == replica.state.hand.abort_votes


@pytest.mark.parametrize("what", ["nothing", "its own", "optional", "not yet", "twice", "none"])
def test_what_cannot_be_named(game: Make, what: str) -> None:
    table = game(TinyRules(deck_max=10, together=True), seats=3).play(until=lambda g: _moving(g) == {0, 1, 2})
    replica = table.replica()
    (mine,), (theirs,) = owed(replica.state, {0}), owed(replica.state, {1})
    body = {
        "nothing": Without((bytes(32),)),
        "its own": Without((mine,)),
        "optional": Without((theirs,)),
        "not yet": Without((theirs,)),
        "twice": Without((theirs, theirs)),
    }.get(what)
    changes = {"seen": replica._heads[0]} if what == "not yet" else {}
    if what == "optional":
        known = replica.state.duties.open[theirs]
        may = replace(known, duty=replace(known.duty, optional=True))
        replica.state = replace(
            replica.state, duties=replace(replica.state.duties, open={**replica.state.duties.open, theirs: may})
        )
    data = table.by_hand(0, b'{"type":"without","duties":[]}' if body is None else body, replica, **changes)
    with pytest.raises(EntryRefused):
        replica.append(data)
    if body is not None and what not in ("twice", "optional"):
        with pytest.raises(EntryRefused):
            replica.append(table.by_hand(0, Break(body.duties[0]), replica, **changes))


def test_seats_without_cards_have_no_word(game: Make) -> None:
    """A server without cards once voided hands."""
    table = game(seats=4, protocol={"roles": ("server",)}, roles={3: "server"})
    table.play(until=lambda g: len(_moving(g)) == 1)
    replica = table.replica()
    assert 3 not in voters(replica.state)
    assert say_without(table, replica, 3, {0, 1, 2}) is Outcome.DROPPED
    assert say_break(table, replica, 3) is Outcome.DROPPED


def test_the_default_move_is_made_and_the_seat_stays(game: Make) -> None:
    table = game(TinyRules(deck_max=10, passes=True), seats=3).play(until=lambda g: _moving(g) == {0})
    replica = table.replica()
    for seat in (1, 2):
        say_without(table, replica, seat, {0})
    assert [(one.of, one.did) for one in replica.state.chronicle.vote_results] == [(0, "move")]
    assert replica.state.gone == frozenset()


def test_leaving_by_ones_own_word(game: Make) -> None:
    table = game(TinyRules(stake=10, deck_max=10), seats=3).play(until=lambda g: _moving(g) == {0})
    table.order(table.seats[1].leave())
    assert table.state.gone == {1} and not table.state.faults
    with pytest.raises(IllegalMove):
        table.seats[1].leave()
    replica = table.replica()
    assert replica.append(table.by_hand(1, Leave(), replica)).outcome is Outcome.DROPPED


# --- The end ---


def ending(make: Make, seats: int, **options: object) -> tuple[Game, Replica]:
    """A table whose last hand was broken off, because some seats are silent for good: the upper half."""
    silent = frozenset(range(seats - seats // 2, seats))
    table = make(TinyRules(deck_max=10, together=True), seats=seats, **options)
    table.play(until=lambda g: len(_moving(g)) == seats)
    table.silent = set(silent)
    for seat in range(seats - seats // 2):
        table.order(table.seats[seat].vote_abort())
    assert table.state.no_more_hands and stands(table, Phase.BETWEEN)
    table.hands = 0
    table.play()
    return table, table.replica()


@pytest.mark.parametrize("seats", [2, 4])
def test_after_the_last_hand_half_can_end_the_log(game: Make, seats: int) -> None:
    """Those who had signed the end once waited for ever for those who had made them break off."""
    table, replica = ending(game, seats)
    assert replica.state.phase is Phase.BETWEEN and len(replica.state.ended) == seats // 2
    chips = replica.state.ledger.chips
    phases = list[Phase]()
    for seat in range(seats // 2):
        assert say_break(table, replica, seat) is Outcome.ACCEPTED
        phases.append(replica.state.phase)
    assert phases == [*[Phase.BETWEEN] * (seats // 2 - 1), Phase.ENDED] and replica.state.ledger.chips == chips
    gone = {one.of for one in replica.state.chronicle.vote_results if one.did == "gone"}
    assert gone == set(range(seats // 2, seats)), "they stand beside the verdict"


def test_fewer_than_half_wait_at_the_end_too(game: Make) -> None:
    table, replica = ending(game, 4)
    for _ in range(3):
        say_break(table, replica, 0)
    assert replica.state.phase is Phase.BETWEEN and not replica.state.gone


def test_nobody_is_hurried_over_a_book_at_the_end(game: Make) -> None:
    """What is held goes back when the log ends: whoever has lost must not be able to end it before the book is open."""
    table = game(TinyRules(stake=10), protocol={"open_book_at_end": True}, seats=2, hands=1)
    table.play(until=lambda g: bool(g.state.disclosures))
    table.silent, table.hands = {0}, 0
    table.play()
    replica = table.replica()
    assert replica.state.disclosures and sum(replica.state.ledger.chips.values()) < 20
    for _ in range(3):
        say_break(table, replica, 1)
    assert replica.state.no_more_hands and replica.state.phase is Phase.BETWEEN, "the winner's book is still out"
    table.silent, late = set(), forked(replica)
    for data in table.seats[0].answer_duties():
        late.append(data)
    assert late.state.phase is Phase.ENDED and late.state.ledger.chips == {0: 11, 1: 9}


# --- Faults ---


def test_a_fault_is_a_leaving_with_a_name(game: Make) -> None:
    """The others go on where the cards let them, and the seat has no word any more."""
    table = game(TinyRules(stake=10, deck_max=10), seats=4, hands=2, liars={1: {(1, "key"): bad_proof}}).play()
    assert stands(table, Phase.ENDED)
    assert [fault.seat for fault in table.state.faults] == [1] and table.state.expelled == {1}
    assert len(table.state.chronicle.records) == 2 and all(r.void is None for r in table.state.chronicle.records)
    replica = table.replica()
    with pytest.raises(EntryRefused, match="can no longer act"):
        replica.append(table.by_hand(1, Leave(), replica))


def test_the_second_of_two_entries_with_one_number_undoes_nothing(game: Make) -> None:
    """If a fault gave the bets back, a folded friend with a throw-away key would be a refund."""
    table = game(TinyRules(stake=10, deck_max=10), seats=3).play(until=lambda g: _moving(g) == {0})
    replica = table.replica()
    last = next(read_entry(data).entry for data in reversed(table.log) if table.signer(data) == 2)
    other = sign_entry(table.persons[2].key, msgspec.structs.replace(last, body=msgspec.Raw(encode(Leave()))))
    decks = replica.state.hand.decks
    assert replica.append(other).outcome is Outcome.FAULT
    assert replica.state.expelled == {2} and replica.state.hand.number == 0
    assert replica.state.phase is Phase.PLAYING and replica.state.hand.decks.keys() == decks.keys()
    with pytest.raises(EntryRefused):
        replica.append(other)


def test_lazy_and_eager_have_the_same_log_after_a_fault(game: Make) -> None:
    """What was said between a false proof and the moment it is found is judged as if it had been found at once."""
    table = game(TinyRules(stake=10, deck_max=10), seats=4, hands=2, liars={1: {(1, "key"): bad_proof}}).play()
    eager, lazy = table.replica(), table.replica(eager=False)
    lazy.settle()
    assert eager.entries == lazy.entries == table.log and eager.digest() == lazy.digest()
    assert eager.checks_settled == lazy.checks_settled
