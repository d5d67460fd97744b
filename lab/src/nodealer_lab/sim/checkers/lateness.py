"""An independent count of late duties.

Unlike the table, it evaluates each tick from the beginning of the log, by what that tick and earlier ones had seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nodealer.engine.bodies import Tick
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.log.session import Limits


@dataclass(frozen=True)
class _SeenTick:
    place: int
    time: int
    seen: int


@dataclass
class _BlockingDuty:
    """A duty that blocked the table between two log heights."""

    id: bytes
    seat: int
    limit: int
    since: int
    until: int | None = None
    late: bool = False

    def is_open_at(self, place: int) -> bool:
        """Return whether the duty was blocking the table before the entry at this height."""
        return self.since <= place and (self.until is None or place < self.until)

    def excess(self, ticks: Sequence[_SeenTick]) -> int:
        """Return the time beyond the limit at the last of these ticks."""
        started = next((tick.time for tick in ticks if tick.seen >= self.since), None)
        return 0 if started is None else max(0, ticks[-1].time - started - self.limit)


def count_lateness(
    applied: Sequence[Applied], replica: Replica, limits: Limits
) -> Iterator[tuple[int, frozenset[bytes], dict[int, int]]]:
    """Yield for each accepted tick its place in the log, the late duties after it, and the used time banks."""
    held = _blocking_duties(applied, limits)
    ticks, banks = list[_SeenTick](), dict[int, int]()
    for one in applied:
        tick = one.body if isinstance(one.body, Tick) and one.outcome is Outcome.ACCEPTED else None
        watched = [duty for duty in held if duty.is_open_at(one.number)] if tick is not None else []
        if tick is not None:
            ticks.append(_SeenTick(one.number, tick.time, replica.height_of(one.entry.seen) or 0))
            _charge_banks(watched, ticks, banks, limits)
        # A tick may remove the last seat that was awaited, so that the hand begins; it may end with the same entry.
        before, after = one.before, one.after
        played = after.phase is Phase.PLAYING or len(after.chronicle.records) > len(before.chronicle.records)
        if before.phase is Phase.BETWEEN and played:
            _refill_banks(banks, limits)
        if tick is not None:
            # A tick that makes a duty late may also close it.
            still = {duty.id for duty in watched if duty.late and duty.is_open_at(one.number + 1)}
            yield one.number, frozenset(still), used(banks, limits)


def _blocking_duties(applied: Sequence[Applied], limits: Limits) -> list[_BlockingDuty]:
    """Return every duty that ever blocked the table, with its time limit and the log heights between which it did."""
    held, now = list[_BlockingDuty](), dict[bytes, _BlockingDuty]()
    for place in range(len(applied) + 1):
        state = applied[place].before if place < len(applied) else applied[-1].after
        wanted = {id: known for id, known in state.duties.open.items() if known.is_blocking}
        for id in now.keys() - wanted.keys():
            now.pop(id).until = place
        for id in wanted.keys() - now.keys():
            duty = wanted[id].duty
            by_hand = duty.deck is None or duty.choice
            now[id] = _BlockingDuty(id, duty.seat, limits.move if by_hand else limits.cards, place)
            held.append(now[id])
    return held


def _charge_banks(
    watched: Sequence[_BlockingDuty], ticks: Sequence[_SeenTick], banks: dict[int, int], limits: Limits
) -> None:
    """At a new tick, take the time since the last one from the time bank of each seat beyond its limit.

    When a bank would go below zero, the seat's overdue duties become late.
    """
    passed = ticks[-1].time - ticks[-2].time if len(ticks) > 1 else 0
    for seat in {duty.seat for duty in watched}:
        over = [duty for duty in watched if duty.seat == seat and duty.excess(ticks) > 0]
        if not over or not passed:
            continue
        left = banks.get(seat, limits.bank) - min(passed, max(duty.excess(ticks) for duty in over))
        banks[seat] = max(0, left)
        for duty in over if left < 0 else ():
            duty.late = True


def _refill_banks(banks: dict[int, int], limits: Limits) -> None:
    """Add the refill of a new hand to each used time bank, up to its full size."""
    for seat, left in banks.items():
        banks[seat] = min(limits.bank, left + limits.refill)


def used(banks: Mapping[int, int], limits: Limits) -> dict[int, int]:
    """Return the time banks that are not full."""
    return {seat: left for seat, left in banks.items() if left < limits.bank}
