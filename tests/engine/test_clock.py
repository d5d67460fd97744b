"""The timekeeper: which ticks are refused, what is late, who pays for it, and what late alone cannot do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from conformance.games import TinyRules
from conformance.harness import Game, Source, forked, refusal, stands, statement
from nodealer.cards.operations import Look
from nodealer.engine.bodies import Agree, Break, Leave, Move, Newcomer, Propose, Tick, Without, Word
from nodealer.engine.clock import Clock, TimedDuty
from nodealer.engine.duties import Duties
from nodealer.engine.hand import open_duties
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.rosters import proposal_id
from nodealer.engine.state import TableState
from nodealer.engine.votes import _decide, voters
from nodealer.errors import EntryRefused, IllegalMove
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.roster import TIMEKEEPER, Roster, member_of, sign_newcomer
from nodealer.log.session import Limits
from nodealer.wire import INTEGER_MAX, encode

Make = Callable[..., Game]
LIMITS = Limits(move=30_000, cards=10_000, bank=60_000, refill=5_000)
HURRIED = Limits(move=30_000, cards=10_000, bank=0, refill=0)


def ticked(game: Game, replica: Replica, time: int, **changes: Any) -> Outcome:
    """The timekeeper says what time it is."""
    return replica.append(game.by_hand(keeper(game), Tick(time), replica, **changes)).outcome


def keeper(game: Game) -> int:
    member = game.config.session.proposal.roster.timekeeper
    assert member is not None
    return member.seat


def clock_of(replica: Replica) -> Clock:
    assert replica.state.clock is not None
    return replica.state.clock


def late(replica: Replica) -> set[int]:
    """The seats that are late."""
    clock = clock_of(replica)
    return {clock.timed[id].seat for id in clock.late}


def moving(state: TableState) -> set[int]:
    return {known.duty.seat for known in state.duties.open.values() if known.is_move and known.is_blocking}


def at_turn(make: Make, seats: int = 3, limits: Limits = HURRIED, **rules: Any) -> tuple[Game, Replica, int]:
    """A table at which one seat is to move, with the number of that seat."""
    game = make(TinyRules(deck_max=2 * seats, **rules), seats=seats, clock=limits)
    game.play(until=lambda g: bool(moving(g.state)))
    return game, game.replica(), min(moving(game.state))


# --- A table with a timekeeper ---


def test_nobody_waits_for_the_timekeeper(game: Make) -> None:
    table = game(seats=3, clock=LIMITS, hands=2).play()
    assert stands(table, Phase.ENDED) and len(table.state.chronicle.records) == 2
    assert keeper(table) not in {table.signer(data) for data in table.log}
    assert keeper(table) not in table.state.ended | table.state.gone
    assert keeper(table) not in table.state.hand.binding.seats


def test_it_has_no_word_but_its_own(game: Make) -> None:
    """It may talk like everybody. It cannot vote, leave or sit: what else it signs changes nothing."""
    table, replica, slow = at_turn(game)
    told = forked(replica)
    assert told.append(table.by_hand(keeper(table), Word("half time"), told)).outcome is Outcome.ACCEPTED
    assert told.state.digest() == replica.state.digest()
    for body in (statement(replica, slow), Leave()):
        assert refusal(replica, table.by_hand(keeper(table), body, replica)) is Outcome.DROPPED
    roster = replica.state.roster
    for refused in (Propose(roster, ()), Agree(bytes(32)), Move(bytes(32), msgspec.Raw(b"{}"))):
        assert isinstance(refusal(replica, table.by_hand(keeper(table), refused, replica)), EntryRefused)


# --- Refused ticks ---


def test_only_the_timekeeper_ticks(game: Make) -> None:
    table, replica, _ = at_turn(game)
    for seat in range(3):
        refused = refusal(replica, table.by_hand(seat, Tick(0), replica))
        assert isinstance(refused, EntryRefused) and "only the timekeeper" in refused.reason
    without = game(seats=3).play(until=lambda g: stands(g, Phase.PLAYING))
    refused = refusal(without.replica(), without.by_hand(0, Tick(0), without.replica()))
    assert isinstance(refused, EntryRefused) and "only the timekeeper" in refused.reason


@pytest.mark.parametrize("body", [b'{"type":"tick","time":-1}', b'{"type":"tick","time":1.5}', b'{"type":"tick"}'])
def test_a_time_is_a_number(game: Make, body: bytes) -> None:
    table, replica, _ = at_turn(game)
    assert isinstance(refusal(replica, table.by_hand(keeper(table), body, replica)), EntryRefused)


def test_time_does_not_go_back(game: Make) -> None:
    table, replica, _ = at_turn(game)
    ticked(table, replica, 50_000)
    refused = refusal(replica, table.by_hand(keeper(table), Tick(49_999), replica))
    assert isinstance(refused, EntryRefused) and "earlier than the last" in refused.reason


def test_ticks_are_a_second_apart_unless_something_was_opened(game: Make) -> None:
    table, replica, mover = at_turn(game)
    ticked(table, replica, 50_000)
    for time in (50_000, 50_999):
        refused = refusal(replica, table.by_hand(keeper(table), Tick(time), replica))
        assert isinstance(refused, EntryRefused) and "less than a second" in refused.reason
    assert refusal(replica, table.by_hand(keeper(table), Tick(51_000), replica)) is Outcome.ACCEPTED
    before = replica.head
    duty = next(id for id, known in replica.state.duties.of_seat(mover).items() if known.is_move)
    replica.append(table.by_hand(mover, Move(duty, msgspec.Raw(encode({"show": False}))), replica))
    assert refusal(replica, table.by_hand(keeper(table), Tick(50_000), replica)) is Outcome.ACCEPTED
    # By what the tick had seen, and not by where it stands.
    refused = refusal(replica, table.by_hand(keeper(table), Tick(50_999), replica, seen=before))
    assert isinstance(refused, EntryRefused) and "less than a second" in refused.reason


def test_what_was_no_reason_to_refuse_a_tick_is_none_later(game: Make) -> None:
    """What was open when a tick was signed may be closed, and open again, when it comes: its signer is not stuck."""
    table, replica, _ = at_turn(game, together=True)
    ticked(table, replica, 0, seen=replica._heads[replica.height - 1])
    early = table.by_hand(keeper(table), Tick(1), replica)
    assert refusal(replica, early) is Outcome.ACCEPTED
    for seat in sorted(moving(replica.state)):
        duty = next(id for id, known in replica.state.duties.of_seat(seat).items() if known.is_move)
        replica.append(table.by_hand(seat, Move(duty, msgspec.Raw(encode({"show": False}))), replica))
        assert refusal(replica, early) in (Outcome.ACCEPTED, Outcome.DROPPED)


def test_a_tick_of_an_earlier_hand_is_late_and_counts_for_nothing(game: Make) -> None:
    table = game(seats=3, clock=HURRIED, hands=2).play(until=lambda g: g.state.hand.number == 1)
    replica = table.replica(len(table.log) - 1)
    early = table.by_hand(keeper(table), Tick(10**9), replica)
    replica.append(table.log[-1])
    before = replica.state.digest()
    assert replica.append(early).outcome is Outcome.DROPPED and replica.state.digest() == before
    assert ticked(table, replica, 0) is Outcome.ACCEPTED, "not even as the last one"
    other = table.by_hand(keeper(table), Tick(5_000), replica, hand=0)
    assert isinstance(refusal(replica, other), EntryRefused)


def test_after_the_end_a_tick_is_dropped(game: Make) -> None:
    table = game(seats=2, clock=HURRIED).play()
    replica = table.replica()
    assert ticked(table, replica, 5) is Outcome.DROPPED and clock_of(replica).last_tick is None


# --- What is late ---


def test_the_clock_of_a_duty_starts_with_the_first_tick_that_has_seen_it(game: Make) -> None:
    table, replica, mover = at_turn(game)
    opened = next(one.since for one in clock_of(replica).timed.values())
    blind = replica._heads[opened - 1]
    ticked(table, replica, 0, seen=blind)
    ticked(table, replica, 100_000, seen=blind)
    assert not late(replica), "these had not seen that anybody was to move"
    ticked(table, replica, 200_000)
    ticked(table, replica, 230_000)
    assert not late(replica), "within its limit"
    ticked(table, replica, 231_000)
    assert late(replica) == {mover}


def test_no_tick_nobody_late(game: Make) -> None:
    _, replica, _ = at_turn(game)
    assert clock_of(replica).last_tick is None and not late(replica)
    assert all(one.started is None for one in clock_of(replica).timed.values())


def test_cards_have_a_limit_of_their_own_and_persons_the_longer_one(game: Make) -> None:
    table = game(seats=3, clock=HURRIED).play(until=lambda g: stands(g, Phase.PLAYING))
    limits = {one.limit for one in clock_of(table.replica()).timed.values()}
    assert limits == {HURRIED.cards}
    choosing = game(TinyRules(peek=Look.REORDER), seats=3, clock=HURRIED)
    choosing.play(until=lambda g: any(k.duty.choice and k.duty.deck is not None for k in g.state.duties.open.values()))
    assert {one.limit for one in clock_of(choosing.replica()).timed.values()} == {HURRIED.move}
    between = game(seats=3, clock=HURRIED).replica()
    assert {one.limit for one in clock_of(between).timed.values()} == {HURRIED.move}


def test_what_nobody_waits_for_is_never_late(game: Make) -> None:
    """A book, and what is optional: an `end` is watched from when it holds up the table, not from when it was open."""
    table = game(protocol={"open_book_at_end": True}, seats=2, clock=HURRIED, hands=1)
    table.play(until=lambda g: bool(g.state.disclosures))
    replica = table.replica()
    book = next(id for id, known in replica.state.duties.open.items() if known.duty.kind == "book")
    ends = {id for id, known in replica.state.duties.open.items() if known.duty.kind == "end"}
    ticked(table, replica, 0)
    ticked(table, replica, 10**9)
    assert book not in clock_of(replica).late and not ends & clock_of(replica).late
    over = replace(replica.state, no_more_hands=True)
    watched = replace(clock_of(replica)).with_open_duties(Duties().with_open(open_duties(over), 99), 99).timed
    assert {watched[id].since for id in ends} == {99}


def test_late_is_late_until_it_is_done(game: Make) -> None:
    table, replica, mover = at_turn(game, together=True)
    for time in (0, 31_000, 32_000):
        ticked(table, replica, time)
    assert late(replica) == {0, 1, 2}
    duty = next(id for id, known in replica.state.duties.of_seat(mover).items() if known.is_move)
    answer = table.by_hand(mover, Move(duty, msgspec.Raw(encode({"show": False}))), replica)
    assert replica.append(answer).outcome is Outcome.ACCEPTED, "it may still answer"
    assert mover not in late(replica)


# --- Banks ---


def clock(banks: dict[int, int] | None = None, limits: Limits = LIMITS, **duties: tuple[int, int]) -> Clock:
    """A clock that watches duties of these names: seat and limit, all since the beginning."""
    watched = {name.encode(): TimedDuty(seat, 0, limit) for name, (seat, limit) in duties.items()}
    return Clock(limits, timed=watched, banks=banks or {})


def run(one: Clock, *times: int) -> Clock:
    for time in times:
        one = one.apply_tick(time, seen=0)
    return one


def test_the_bank_pays_what_is_beyond_the_limit() -> None:
    one = run(clock(a=(0, 30_000)), 1_000, 31_000)
    assert one.bank(0) == 60_000
    one = run(one, 31_500)
    assert one.bank(0) == 59_500, "only what is beyond the limit, though more time has passed since the tick before"
    one = run(one, 41_500, 91_000)
    assert one.bank(0) == 0 and not one.late
    assert run(one, 91_001).late == {b"a"}


def test_one_bank_for_all_duties_of_a_seat() -> None:
    one = run(clock(a=(0, 10_000), b=(0, 30_000), c=(1, 10_000)), 0, 40_000)
    assert one.bank(0) == 30_000, "the largest excess, once"
    assert one.bank(1) == 30_000
    over = run(one, 71_000)
    assert over.late == {b"a", b"b", b"c"} and over.bank(0) == 0


def test_what_cannot_be_paid_makes_late_only_what_is_beyond_its_limit() -> None:
    one = run(clock(limits=HURRIED, a=(0, 10_000), b=(0, 30_000)), 0, 20_000)
    assert one.late == {b"a"}


def test_time_between_ticks_is_paid_once() -> None:
    """Many ticks take no more than few."""
    few = run(clock(a=(0, 10_000)), 0, 50_000)
    many = run(clock(a=(0, 10_000)), *range(0, 50_001, 1_000))
    assert few.banks == many.banks == {0: 20_000}


def test_a_hand_refills_the_bank_and_never_overfills_it(game: Make) -> None:
    assert clock({0: 10_000, 1: 58_000}).refill_banks().banks == {0: 15_000}
    table = game(seats=3, clock=LIMITS)
    replica, begins = table.replica(), table.due()
    for time in (0, 50_000):
        ticked(table, replica, time)
    assert clock_of(replica).banks == dict.fromkeys(range(3), 40_000)
    for data in begins:
        replica.append(data)
    assert replica.state.phase is Phase.PLAYING and clock_of(replica).banks == dict.fromkeys(range(3), 45_000)


def test_the_bank_goes_with_the_seat(game: Make) -> None:
    """Who comes back does not come back with more time."""
    one = run(clock(a=(0, 10_000)), 0, 50_000).with_open_duties(Duties(), 5)
    assert one.bank(0) == 20_000 and one.bank(7) == LIMITS.bank


# --- Half is enough for what is late ---


def test_half_make_the_move_of_a_seat_that_is_late(game: Make) -> None:
    table, replica, slow = at_turn(game, seats=4, passes=True)
    first, second, third = (seat for seat in range(4) if seat != slow)
    for seat in (first, second):
        replica.append(table.by_hand(seat, statement(replica, slow), replica))
    assert not replica.state.chronicle.vote_results, "half is not more than half"
    ticked(table, replica, 0)
    assert not replica.state.chronicle.vote_results
    ticked(table, replica, 31_000)
    (said,) = replica.state.chronicle.vote_results
    assert (said.of, said.by, said.did) == (slow, (first, second), "move")
    assert slow not in replica.state.gone and third in voters(replica.state)


def test_half_go_on_without_a_card_message_that_is_late(game: Make) -> None:
    table = game(seats=2, clock=HURRIED)
    table.play(until=lambda g: stands(g, Phase.PLAYING) and len(set(g.state.duties.blocking.values())) == 1)
    replica = table.replica()
    slow = next(known.duty.seat for known in replica.state.duties.open.values() if known.is_blocking)
    for time in (0, 11_000):
        ticked(table, replica, time)
    assert late(replica) == {slow} and not replica.state.chronicle.vote_results, "late alone changes nothing"
    replica.append(table.by_hand(1 - slow, statement(replica, slow), replica))
    (said,) = replica.state.chronicle.vote_results
    assert (said.of, said.did) == (slow, "gone")


def test_fewer_than_half_can_do_nothing_however_late_it_is(game: Make) -> None:
    table, replica, slow = at_turn(game, seats=5)
    for seat in [seat for seat in range(5) if seat != slow][:2]:
        replica.append(table.by_hand(seat, statement(replica, slow), replica))
    for time in (0, 10**6, 10**9):
        ticked(table, replica, time)
    assert late(replica) == {slow} and not replica.state.chronicle.vote_results


def test_half_have_to_name_what_is_late(game: Make) -> None:
    """Half who named something else of the same seat, which is not late, are only half."""
    table, replica, slow = at_turn(game, seats=4)
    state = replica.state
    move = next(id for id, known in state.duties.of_seat(slow).items() if known.is_move)
    others = [seat for seat in range(4) if seat != slow]
    votes = {seat: frozenset({move}) for seat in others[:2]}
    for named, enough in ((frozenset({move}), True), (frozenset[bytes](), False)):
        late_now = replace(state, clock=replace(clock_of(replica), late=named)).with_hand(skip_votes=votes)
        twin = forked(replica)
        twin.state = late_now
        twin.append(table.by_hand(others[2], Word("well"), twin))
        assert bool(twin.state.chronicle.vote_results) is enough


def test_a_vote_for_the_other_duty_is_not_a_vote_for_the_late_one(game: Make) -> None:
    """Two of four: one names what is late, one what is not."""
    _, replica, slow = at_turn(game, seats=4)
    move = next(id for id, known in replica.state.duties.of_seat(slow).items() if known.is_move)
    known = replica.state.duties.open[move]
    cards = {name: replace(known, duty=replace(known.duty, deck=0, kind=name)) for name in ("one", "two")}
    ids = {name: one.duty.id for name, one in cards.items()}
    others = [seat for seat in range(4) if seat != slow]
    duties = replace(replica.state.duties, open={one.duty.id: one for one in cards.values()})
    for second, enough in (("two", False), ("one", True)):
        votes = {others[0]: frozenset({ids["one"]}), others[1]: frozenset({ids[second]})}
        stand_in = replace(clock_of(replica), late=frozenset({ids["one"]}))
        state = replace(replica.state, duties=duties, clock=stand_in).with_hand(skip_votes=votes)
        assert bool(_decide(state).gone) is enough


def test_where_somebody_keeps_the_time_nothing_is_broken_off(game: Make) -> None:
    table, replica, slow = at_turn(game, seats=2)
    duty = next(iter(replica.state.duties.of_seat(slow)))
    refused = refusal(replica, table.by_hand(1 - slow, Break(duty), replica))
    assert isinstance(refused, EntryRefused) and "cannot be aborted" in refused.reason
    with pytest.raises(IllegalMove, match="cannot be aborted"):
        table.seats[1 - slow].vote_abort()
    assert not table.seats[1 - slow].can_vote_abort


# --- A keeper that lies ---


def test_two_ticks_with_one_number_are_its_last(game: Make) -> None:
    table, replica, slow = at_turn(game, seats=2)
    ticked(table, replica, 0)
    hand = replica.state.hand
    twice = table.by_hand(keeper(table), Tick(40_000), replica, seq=0)
    assert replica.append(twice).outcome is Outcome.FAULT
    assert replica.state.expelled == {keeper(table)} and replica.state.fault is not None
    assert replica.state.hand.game is hand.game and replica.state.phase is Phase.PLAYING, "the hand goes on"
    refused = refusal(replica, table.by_hand(keeper(table), Tick(90_000), replica))
    assert isinstance(refused, EntryRefused) and "can no longer act" in refused.reason
    replica.append(table.by_hand(1 - slow, statement(replica, slow), replica))
    assert not late(replica) and not replica.state.chronicle.vote_results, "ties wait"
    table.play()
    assert stands(table, Phase.ENDED)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_keeper_and_one_friend_can_do_nothing(game: Make, seats: int) -> None:
    """At every moment of a game, whatever it ticks and whatever the friend says, nothing happens to anybody."""
    table = game(TinyRules(deck_max=2 * seats, together=True), seats=seats, clock=HURRIED, hands=2).play()
    replica = Replica(table.config, entropy=table.source)
    for height, data in enumerate([*table.log, b""]):
        if len(voters(replica.state)) > 2 and height % 3 == seats % 3:
            friend = voters(replica.state)[height % len(voters(replica.state))]
            twin = forked(replica)
            for time in (0, 10**6, 10**9):
                ticked(table, twin, time)
            named = statement(twin, *(set(range(seats)) - {friend}))
            if named.duties:
                twin.append(table.by_hand(friend, named, twin))
            ticked(table, twin, 10**12)
            assert not twin.state.chronicle.vote_results and twin.state.gone == replica.state.gone
            assert twin.state.hand.game is replica.state.hand.game and twin.state.ledger == replica.state.ledger
        if data:
            replica.append(data)


# --- Ticks that are held back ---


def scenario(source: Source) -> list[tuple[str, int]]:
    """Ticks, openings and closings, as they happen."""
    events, now = list[tuple[str, int]](), 0
    for _ in range(source.below(12) + 3):
        now += source.below(20_000) + 1_000
        events.append((("tick", "tick", "open", "close")[source.below(4)], now))
    return events


def told(events: list[tuple[str, int]], places: dict[int, int]) -> tuple[Clock, dict[int, bool]]:
    """What the clock shows once these have happened, each tick held back until so many events have.

    Duties are opened and closed one after the other, all of one seat; also gives which of them were ever late.
    """
    order = sorted(range(len(events)), key=lambda at: (places.get(at, at), at))
    limits = Limits(move=10_000, cards=10_000, bank=15_000, refill=0)
    one, ever, opened = Clock(limits), dict[int, bool](), dict[int, int]()
    for height, at in enumerate(order):
        kind, time = events[at]
        if kind == "tick":
            # It had seen what had happened when it was signed, wherever that stands now.
            seen = max(
                (height for height, earlier in enumerate(order) if events[earlier][0] != "tick" and earlier < at),
                default=-1,
            )
            one = one.apply_tick(time, seen)
        elif kind == "open":
            opened[at] = height
            one = replace(one, timed={**one.timed, bytes([at]): TimedDuty(0, height, limits.move)})
        elif opened:
            gone = bytes([min(opened)])
            opened.pop(min(opened))
            rest = {id: watched for id, watched in one.timed.items() if id != gone}
            one = replace(one, timed=rest, late=one.late - {gone})
        ever |= {id[0]: True for id in one.late}
    return one, ever


@pytest.mark.parametrize("seed", range(40))
def test_a_tick_that_is_held_back_shortens_nobodys_time(seed: int) -> None:
    """The relay may hold ticks back, in their order. Nobody becomes late by that, and no bank pays more; and as long as
    no answer overtakes a tick, it makes no difference at all."""
    source = Source(f"held back {seed}")
    events = scenario(source)
    straight, late_straight = told(events, {})
    held, by = dict[int, int](), 0
    for at in [at for at, (kind, _) in enumerate(events) if kind == "tick"]:
        by = max(by, min(len(events), at + source.below(5)))
        held[at] = by
    after, late_after = told(events, held)
    assert late_after.keys() <= late_straight.keys()
    assert after.bank(0) >= straight.bank(0)
    overtaken = any(
        events[other][0] == "close" and at < other <= place
        for at, place in held.items()
        for other in range(len(events))
    )
    if not overtaken:
        assert late_after == late_straight and after.banks == straight.banks


def test_where_a_tick_stands_makes_no_difference_to_what_it_saw(game: Make) -> None:
    """Moved behind entries that it had not seen, a tick shows the same."""
    table, replica, _ = at_turn(game, together=True, seats=4)
    ticks = [table.by_hand(keeper(table), Tick(0), replica)]
    words = [table.by_hand(seat, Word("hm"), replica) for seat in range(4)]
    found = set[frozenset[bytes]]()
    for place in range(5):
        twin = forked(replica)
        for data in (*words[:place], *ticks, *words[place:]):
            twin.append(data)
        ticked(table, twin, 31_000)
        found.add(clock_of(twin).late)
    assert len(found) == 1 and found != {frozenset()}


# --- Another timekeeper ---


def proposed(table: Game, replica: Replica, roster: Roster) -> bytes:
    replica.append(table.by_hand(0, Propose(roster, ()), replica))
    return proposal_id(roster, 0, replica.state.hand.number)


def test_another_timekeeper_needs_every_seat(game: Make) -> None:
    table = game(seats=4, clock=HURRIED)
    replica = table.replica()
    without = Roster(replica.state.roster.members[:-1])
    id = proposed(table, replica, without)
    for seat in (1, 2):
        replica.append(table.by_hand(seat, Agree(id), replica))
    assert replica.state.roster.timekeeper is not None, "three of four are more than half, and not all"
    replica.append(table.by_hand(3, Agree(id), replica))
    assert replica.state.roster == without
    duty = next(id for id, known in replica.state.duties.of_seat(1).items() if known.is_blocking)
    assert refusal(replica, table.by_hand(0, Break(duty), replica)) is Outcome.ACCEPTED, "now nobody keeps the time"
    back = table.config.session.proposal.roster
    assert refusal(replica, table.by_hand(1, Propose(back, ()), replica)) is Outcome.ACCEPTED


def test_another_timekeeper_has_a_clock_of_its_own(game: Make) -> None:
    """One that has run to the end of all numbers is replaced, and time goes on."""
    table = game(seats=3, clock=HURRIED)
    replica = table.replica()
    ticked(table, replica, INTEGER_MAX)
    old = replica.state.roster.members
    key = Identity(bytes(32))
    member = member_of(key, 7, "Zoe", TIMEKEEPER)
    roster = Roster((*old[:-1], member))
    newcomer = Newcomer(7, sign_newcomer(key, table.config.session.id, roster.digest, member))
    replica.append(table.by_hand(0, Propose(roster, (newcomer,)), replica))
    for seat in (1, 2):
        replica.append(table.by_hand(seat, Agree(proposal_id(roster, 0, 0)), replica))
    assert replica.state.roster == roster and clock_of(replica).last_tick is None
    for seq, time in enumerate((5, 30_006)):
        fields = (table.config.session.id, roster.digest, 0, 7, seq, replica.head, msgspec.Raw(encode(Tick(time))))
        assert replica.append(sign_entry(key, Entry(*fields))).outcome is Outcome.ACCEPTED
        assert late(replica) == (set(range(3)) if seq else set()), "nobody has begun"


def test_a_player_may_go_with_more_than_half_as_ever(game: Make) -> None:
    table = game(seats=4, clock=HURRIED)
    replica = table.replica()
    members = replica.state.roster.members
    smaller = Roster((*members[:3], members[4]))
    id = proposed(table, replica, smaller)
    for seat in (1, 2):
        replica.append(table.by_hand(seat, Agree(id), replica))
    assert replica.state.roster == smaller and replica.state.roster.timekeeper is not None


def test_a_session_without_limits_gets_no_timekeeper(game: Make) -> None:
    table = game(seats=3)
    replica = table.replica()
    other = game(seats=3, clock=HURRIED).config.session.proposal.roster.members[-1]
    roster = Roster((*replica.state.roster.members, other))
    refused = refusal(replica, table.by_hand(0, Propose(roster, ()), replica))
    assert isinstance(refused, EntryRefused) and "no time limits" in refused.reason


# --- When the timekeeper should tick ---


def test_when_a_tick_would_make_a_difference() -> None:
    one = clock(a=(0, 30_000))
    assert one.next_useful_tick(10_000) is None, "somebody has to start it"
    one = run(one, 500)
    assert one.next_useful_tick(10_000) == 30_501, "when the limit passes"
    one = run(one, 30_501)
    assert one.bank(0) == 59_999 and one.next_useful_tick(10_000) == 40_501, "while the bank runs"
    one = run(one, 89_000)
    assert one.next_useful_tick(10_000) == 90_501 and run(one, 90_501).late == {b"a"}, "and at its end"
    assert run(one, 90_501).next_useful_tick(10_000) is None


def test_a_tick_is_never_wanted_too_soon() -> None:
    one = run(clock(limits=HURRIED, a=(0, 10_000), b=(1, 10_100)), 0, 10_001)
    assert one.late == {b"a"} and one.next_useful_tick(10_000) == 11_001


def test_the_ticks_that_are_wanted_show_what_all_ticks_would() -> None:
    """A timekeeper that ticks when it should finds late what one that ticks always would, and soon."""
    for seats, bank in itertools.product((1, 2), (0, 500, 7_000)):
        limits = Limits(10_000, 10_000, bank, 0)
        duties = {f"d{seat}": (seat, 10_000 + 1_300 * seat) for seat in range(seats)}
        one = run(clock(None, limits, **duties), 0)
        while (wanted := one.next_useful_tick(10_000)) is not None:
            one = run(one, wanted)
        assert one.late == set(map(str.encode, duties)) and one.last_tick is not None
        assert one.last_tick <= max(limit + bank for _, limit in duties.values()) + 1_001


def test_without_names_the_duties_that_it_is_told_to(game: Make) -> None:
    table, replica, slow = at_turn(game)
    other = next(seat for seat in range(3) if seat != slow)
    duty = next(id for id, known in replica.state.duties.of_seat(slow).items() if known.is_move)
    table.order(table.seats[other].vote_skip_duties([duty]))
    assert table.state.hand.skip_votes == {other: frozenset({duty})}
    assert isinstance(
        refusal(table.replica(), table.by_hand(other, Without((bytes(32),)), table.replica())), EntryRefused
    )
