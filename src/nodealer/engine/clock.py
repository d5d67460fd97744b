"""How late is decided: what the timekeeper's ticks show of each duty that the table waits for.

Nothing here reads a clock. A tick is an entry, and what it shows hangs on what it says and on what it had seen, so that
all replicas of a log find the same duties late, and a relay that holds a tick back takes nobody's time. Late alone
changes nothing: it makes half of the voters enough to go on without what is late.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.engine.duties import Duties, OpenDuty
from nodealer.log.session import Limits
from nodealer.records import replace

#: The least time between two ticks that say nothing of a new duty, in milliseconds.
TICK_MIN: Final = 1000


@dataclass(frozen=True)
class TimedDuty:
    """A duty that others wait for, and the height of the log from which on they do."""

    seat: int
    since: int
    limit: int
    #: What the first tick said that had seen it; until then its clock stands.
    started: int | None = None

    def overtime(self, time: int) -> int:
        """How much more than its limit it has taken; 0 where it is within."""
        return 0 if self.started is None else max(0, time - self.started - self.limit)


@dataclass(frozen=True)
class Clock:
    """The time as far as the ticks have shown it."""

    limits: Limits
    #: What the last tick said, and how much of the log it had seen.
    last_tick: int | None = None
    seen_height: int = 0
    timed: Mapping[bytes, TimedDuty] = field(default_factory=dict)
    #: The duties that are late, until they close.
    late: frozenset[bytes] = frozenset()
    #: What is left to those seats that have used some of their bank.
    banks: Mapping[int, int] = field(default_factory=dict)

    def bank(self, seat: int) -> int:
        """What a seat has beside its limits."""
        return self.banks.get(seat, self.limits.bank)

    def limit(self, known: OpenDuty) -> int:
        """How long a duty may take: a person needs longer than a program."""
        decided = known.duty.deck is None or known.duty.choice
        return self.limits.move if decided else self.limits.cards

    # --- What the table does ---

    def with_open_duties(self, duties: Duties, height: int) -> Clock:
        """The clock once these duties are open, at this height of the log."""
        now = {id: known for id, known in duties.open.items() if known.is_blocking}
        if now.keys() == self.timed.keys():
            return self
        watched = {
            id: self.timed[id] if id in self.timed else TimedDuty(known.duty.seat, height, self.limit(known))
            for id, known in now.items()
        }
        return replace(self, timed=watched, late=self.late.intersection(watched))

    def refill_banks(self) -> Clock:
        """A hand begins."""
        limits = self.limits
        banks = {seat: min(limits.bank, left + limits.refill) for seat, left in self.banks.items()}
        return replace(self, banks={seat: left for seat, left in banks.items() if left < limits.bank})

    def restart(self) -> Clock:
        """Another keeps the time: from a moment of its own, whatever the one before it has said."""
        return replace(self, last_tick=None, seen_height=0)

    # --- Ticks ---

    # defence: time-back
    def find_tick_error(self, time: int, seen: int, duties: Duties) -> str | None:
        """Why a tick cannot be, where that is so. It says the same on every table that the tick can come to."""
        if self.last_tick is None:
            return None
        if time < self.last_tick:
            return "the tick goes back behind the last one"
        if time - self.last_tick < TICK_MIN and not duties.opened_between(self.seen_height, seen):
            return "the tick comes less than a second after the last one, and nothing was opened since"
        return None

    # defence: held-tick
    def apply_tick(self, time: int, seen: int) -> Clock:
        """The clock after a tick that had seen so much of the log."""
        watched = {
            id: replace(one, started=time) if one.started is None and one.since <= seen else one
            for id, one in self.timed.items()
        }
        passed = 0 if self.last_tick is None else time - self.last_tick
        banks, late = dict(self.banks), set(self.late)
        for seat in sorted({one.seat for one in watched.values()}):
            over = {id: one.overtime(time) for id, one in watched.items() if one.seat == seat and one.overtime(time)}
            owed = min(passed, max(over.values(), default=0))
            if owed > self.bank(seat):
                late |= over.keys()
            if owed:
                banks[seat] = max(0, self.bank(seat) - owed)
        return replace(self, last_tick=time, seen_height=seen, timed=watched, late=frozenset(late), banks=banks)

    def next_useful_tick(self, interval: int) -> int | None:
        """When a tick would next make a difference, or tell how a bank runs; None while nothing is waited for."""
        if self.last_tick is None:
            return None
        moments = [*self._useful_moments(self.last_tick, interval)]
        return max(self.last_tick + TICK_MIN, min(moments)) if moments else None

    def _useful_moments(self, last: int, every: int) -> Iterable[int]:
        for id, one in self.timed.items():
            if one.started is None or id in self.late:
                continue
            if not one.overtime(last):
                yield one.started + one.limit + 1
            else:
                yield last + min(every, self.bank(one.seat) + 1)

    @property
    def digest_fields(self) -> Any:
        """All of it, for the digest of a table."""
        watched = [[id, one.since, one.started, id in self.late] for id, one in sorted(self.timed.items())]
        return [self.last_tick, self.seen_height, watched, sorted(self.banks.items())]
