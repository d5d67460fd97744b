"""Independent checks that cheaters are named and that a minority gains nothing."""

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
from nodealer_lab.sim.cheats import detection_time
from nodealer_lab.sim.checkers.replay import FinishedGame, ReplayedLog
from nodealer_lab.sim.relay import parse_entry


def check_honest_not_blamed(played: FinishedGame) -> Iterator[str]:
    """Yield honest seats that a log or an audit names, and seats that are silenced without playing from an old copy.

    A node with an old copy has only the relay's word for what it signed before, and a forking relay can make it sign a
    number twice. Only that is excused.
    """
    plan = played.world.plan
    keeper = plan.seats if plan.keeper is not None and plan.keeper.how == "back" else None
    liars = {plan.liar, keeper, None if plan.cheater is None else plan.cheater[0]} - {None}
    restored = {plan.backup.place} if plan.backup is not None else set[int]()
    fooled = restored & played.world.doomed if plan.fork is not None else set[int]()
    for node in played.begun:
        if _seats_at_fault(node.replica.state.faults, fooled) - liars:
            yield f"the log of {node.name}: {node.replica.state.faults}"
        if node.living_participant.silenced is not None and node.place not in liars | restored:
            yield f"{node.name} is silenced: {node.living_participant.silenced}"
    for log in played.logs:
        report = log.audit()
        named = _seats_at_fault(report.faults, fooled)
        if report.verdict not in ("clean", "incomplete", *(["fault"] if liars | fooled else [])) or named - liars:
            yield f"the audit of the log of {log.node.name}: {report.verdict}, {report.reason} {report.faults}"


def _seats_at_fault(faults: Iterable[Fault], fooled: Collection[int]) -> set[int | None]:
    """Return the seats at fault, except those that a relay has made sign a number twice."""
    return {fault.seat for fault in faults if not (fault.check == "signatures" and fault.seat in fooled)}


def check_guilty_named(played: FinishedGame) -> Iterator[str]:
    """Yield cheats that are in a log although their seat should have been named.

    A cheat whose claim says "at once" must name the seat immediately, any other when the cheater discloses that hand. A
    seat that signs two entries under one number is named wherever both were shown.
    """
    plan = played.world.plan
    for log in played.lasting:
        named = {fault.seat for fault in log.state.faults}
        if plan.cheater is not None and plan.cheater[0] not in named:
            yield from unnamed_lies(log, *plan.cheater, {*played.world.nodes[plan.cheater[0]].lied})
        for seat, number in contradictions(played, log) if not log.state.chronicle.key_changes else ():
            if seat not in named:
                yield f"seat {seat} signed two entries with the number {number}, and {log.node.name} does not name it"


def unnamed_lies(log: ReplayedLog, seat: int, attack: str, lies: Collection[bytes]) -> Iterator[str]:
    """Yield the lies of a seat that a log accepted although they should have exposed it by now."""
    seen = detection_time(attack, log.replica.config.protocol)
    opened = {hand for applied in log.applied for hand in _opened_hand(applied, seat)}
    for applied in log.applied:
        if applied.outcome is not Outcome.ACCEPTED or log.node.replica.entries[applied.number] not in lies:
            continue
        hand = applied.before.hand.number
        if seen == "at once" or (seen in ("at opening", "at the end") and hand in opened):
            yield f"entry {applied.number} of {log.node.name} is a cheat ({attack}), and no one is named"


def _opened_hand(applied: Applied, seat: int) -> Iterator[int]:
    """Yield the hand that the seat disclosed with this entry, if the disclosure was accepted."""
    if applied.outcome is Outcome.ACCEPTED and applied.entry.seat == seat and isinstance(applied.body, Book):
        yield applied.before.duties.open[applied.body.duty].duty.binding.hand


def contradictions(played: FinishedGame, log: ReplayedLog) -> Iterator[tuple[int, int]]:
    """Yield the seat and number of each entry that arrived when the log had a different one with that number."""
    # In order: an entry that arrived before its predecessor had no place yet and has to arrive again.
    to_come = deque(log.node.replica.entries)
    said = dict[tuple[int, int], bytes]()
    for frame in played.world.relay.frames_for(log.node.place):
        text = played.world.text(frame)
        entry = parse_entry(text)
        if entry is None:
            continue
        where = (entry.seat, entry.seq)
        if where in said and said[where] != text:
            yield where
        elif to_come and text == to_come[0]:
            said[where] = to_come.popleft()


# --- What a minority can do ---


def check_minority_gains(played: FinishedGame) -> Iterator[str]:
    """Yield votes that took effect with too few voters, and seats that profited from leaving.

    A seat that leaves a hand, is expelled or is named in it must not have more after the hand than before.
    """
    for log in played.logs:
        for applied in log.applied:
            for wrong in votes_with_too_few(applied):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"
        yield from gains_from_leaving(log)


def votes_with_too_few(applied: Applied) -> Iterator[str]:
    """Yield votes that took effect with fewer voters than they need. Seats without a vote do not count."""
    before, after = applied.before, applied.after
    said = after.chronicle.vote_results[len(before.chronicle.vote_results) :][:1]
    if not isinstance(applied.body, Without | Break | Tick):
        return
    have_word, timed = {*voters(before)}, before.roster.timekeeper is not None
    for one in said:
        twice, count = 2 * len(have_word.intersection(one.by)), len(have_word)
        half_is_enough = one.did == "broken off" or before.no_more_hands
        if timed:
            # Duties that became late with this very tick are no longer listed as late.
            half_is_enough = isinstance(applied.body, Tick) or one.of in _late_seats(before)
        if twice < count or (twice == count and not half_is_enough) or (timed and one.did == "broken off"):
            yield f"only {one.by} of {count} voted for: {one.did}, {one.of}"


def _late_seats(state: TableState) -> set[int]:
    """Return the seats that have a late duty."""
    clock = state.clock
    return set() if clock is None else {clock.timed[duty].seat for duty in clock.late}


def gains_from_leaving(log: ReplayedLog) -> Iterator[str]:
    """Yield seats that left a hand or were named in it, and have more when it is over than when it began."""
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
    """Return whether all others had given up before the seat left. Then only showing its cards was at stake."""
    return isinstance(game, Hand) and game.table.live == (seat,)


def worth(state: TableState) -> dict[int, int]:
    """Return the chips of each seat, including the gains that are held for it."""
    account = state.ledger
    held = [one.gains for one in account.held]
    return {seat: chips + sum(gains.get(seat, 0) for gains in held) for seat, chips in account.chips.items()}
