"""Whether those who cheat are named, and whether a minority gains anything, looked at from outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from nodealer.engine.bodies import Book, Break, Tick, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.state import Fault, TableState
from nodealer.engine.votes import voters
from nodealer.games.base import Game
from nodealer.games.holdem.hand import Hand
from nodealer_lab.sim.cheats import seen_when
from nodealer_lab.sim.checkers.replay import Replayed, Seen
from nodealer_lab.sim.relay import entry_in


def nobody_blamed(seen: Seen) -> Iterator[str]:
    """No log names anybody but a liar, no audit does, and nobody is silenced but who plays from an old copy.

    Who does has nothing but the relay's word for what it signed before: a relay that shows it another order makes it
    sign a number twice. Nothing else is excused by that.
    """
    plan = seen.world.plan
    keeper = plan.seats if plan.keeper is not None and plan.keeper.how == "back" else None
    liars = {plan.liar, keeper, None if plan.cheater is None else plan.cheater[0]} - {None}
    restored = {plan.backup.place} if plan.backup is not None else set[int]()
    fooled = restored & seen.world.doomed if plan.fork is not None else set[int]()
    for node in seen.begun:
        if _named(node.replica.state.faults, fooled) - liars:
            yield f"the log of {node.name}: {node.replica.state.faults}"
        if node.living_participant.silenced is not None and node.place not in liars | restored:
            yield f"{node.name} is silenced: {node.living_participant.silenced}"
    for log in seen.logs:
        report = log.audited()
        named = _named(report.faults, fooled)
        if report.verdict not in ("clean", "incomplete", *(["fault"] if liars | fooled else [])) or named - liars:
            yield f"the audit of the log of {log.node.name}: {report.verdict}, {report.reason} {report.faults}"


def _named(faults: Iterable[Fault], fooled: Collection[int]) -> set[int | None]:
    """The seats at fault, but for those whom a relay has made sign a number twice."""
    return {fault.seat for fault in faults if not (fault.check == "signatures" and fault.seat in fooled)}


def guilty_named(seen: Seen) -> Iterator[str]:
    """What the claims say is seen at once is: no such entry stands in a log without its seat being named. What they say
    is seen later is seen when the cheater has opened its book of that hand. And whoever signs two things under one
    number is named where both were shown."""
    plan = seen.world.plan
    for log in seen.lasting:
        named = {fault.seat for fault in log.state.faults}
        if plan.cheater is not None and plan.cheater[0] not in named:
            yield from unnamed(log, *plan.cheater, {*seen.world.nodes[plan.cheater[0]].lied})
        for seat, number in contradictions(seen, log) if not log.state.chronicle.key_changes else ():
            if seat not in named:
                yield f"seat {seat} signed two entries with the number {number}, and {log.node.name} does not say so"


def unnamed(log: Replayed, seat: int, attack: str, lies: Collection[bytes]) -> Iterator[str]:
    """The lies of a seat that stand in a log, though by now they should have named it."""
    seen = seen_when(attack, log.replica.config.protocol)
    opened = {hand for applied in log.applied for hand in _opened(applied, seat)}
    for applied in log.applied:
        if applied.outcome is not Outcome.ACCEPTED or log.node.replica.entries[applied.number] not in lies:
            continue
        hand = applied.before.hand.number
        if seen == "at once" or (seen in ("at opening", "at the end") and hand in opened):
            yield f"entry {applied.number} of {log.node.name} is a cheat, {attack}: nobody is named"


def _opened(applied: Applied, seat: int) -> Iterator[int]:
    """The hand whose book a seat has opened with an entry that was taken."""
    if applied.outcome is Outcome.ACCEPTED and applied.entry.seat == seat and isinstance(applied.body, Book):
        yield applied.before.duties.open[applied.body.duty].duty.binding.hand


def contradictions(seen: Seen, log: Replayed) -> Iterator[tuple[int, int]]:
    """Seat and number of entries that came after another one with the same number had its place in the log."""
    # In their order: one that came before what it follows had no place then, and has to come again.
    to_come = deque(log.node.replica.entries)
    said = dict[tuple[int, int], bytes]()
    for frame in seen.world.relay.order(log.node.place):
        text = seen.world.text(frame)
        entry = entry_in(text)
        if entry is None:
            continue
        where = (entry.seat, entry.seq)
        if where in said and said[where] != text:
            yield where
        elif to_come and text == to_come[0]:
            said[where] = to_come.popleft()


# --- What a minority can do ---


def no_minority_gains(seen: Seen) -> Iterator[str]:
    """Nobody is thrown out, and no hand broken off, by fewer than the law asks for; and whoever leaves a hand, is
    thrown out or named in it has no more after it than before."""
    for log in seen.logs:
        for applied in log.applied:
            for wrong in too_few(applied):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"
        yield from gained_by_going(log)


def too_few(applied: Applied) -> Iterator[str]:
    """Statements that took effect with fewer words than they need. Those of who has no word do not count."""
    before, after = applied.before, applied.after
    said = after.chronicle.vote_results[len(before.chronicle.vote_results) :][:1]
    if not isinstance(applied.body, Without | Break | Tick):
        return
    have_word, timed = {*voters(before)}, before.roster.timekeeper is not None
    for one in said:
        twice, count = 2 * len(have_word.intersection(one.by)), len(have_word)
        half_is_enough = one.did == "broken off" or before.no_more_hands
        if timed:
            # What is late by this very tick is not among what is late any more.
            half_is_enough = isinstance(applied.body, Tick) or one.of in _late(before)
        if twice < count or (twice == count and not half_is_enough) or (timed and one.did == "broken off"):
            yield f"{one.by} of {count} have done it: {one.did}, {one.of}"


def _late(state: TableState) -> set[int]:
    """The seats of which something is late by the ticks."""
    clock = state.clock
    return set() if clock is None else {clock.timed[duty].seat for duty in clock.late}


def gained_by_going(log: Replayed) -> Iterator[str]:
    """Seats that were gone from a hand, or named in it, and have more when it is over than when it began."""
    began, gone = dict[int, int](), set[int]()
    for applied in log.applied:
        before, after = applied.before, applied.after
        if before.phase is not Phase.PLAYING and after.phase is Phase.PLAYING:
            began, gone = worth(after), set()
        if before.phase is Phase.PLAYING:
            going = (after.gone | after.expelled) - (before.gone | before.expelled)
            gone |= {seat for seat in going if not had_won(before.hand.game, seat)}
            for seat in sorted(gone) if after.phase is not Phase.PLAYING else ():
                if worth(after).get(seat, 0) > began.get(seat, 0):
                    yield f"seat {seat} left hand {before.hand.number} of {log.node.name}, and has {worth(after)[seat]}"


def had_won(game: Game | None, seat: int) -> bool:
    """Whether all others had given up before it went: then only whether it shows its cards was at stake."""
    return isinstance(game, Hand) and game.table.live == (seat,)


def worth(state: TableState) -> dict[int, int]:
    """What each seat has, with what is held for it."""
    account = state.ledger
    held = [one.gains for one in account.held]
    return {seat: chips + sum(gains.get(seat, 0) for gains in held) for seat, chips in account.chips.items()}
