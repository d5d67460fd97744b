"""The clock of a table: which duties are late according to the timekeeper's ticks.

Nothing here reads a real clock. A tick is a log entry, and its effect depends only on its time and on how much of the
log its signer had seen. All replicas of a log therefore find the same duties late, and a relay that delays a tick costs
no player any time. Being late has no effect by itself: it only lowers the votes needed to go on without the duty from
more than half of the voters to exactly half.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.engine.duties import Duties, OpenDuty
from nodealer.log.session import Limits
from nodealer.records import replace

#: The minimum time between two ticks if no duty was opened in between, in milliseconds.
TICK_MIN: Final = 1000


@dataclass(frozen=True)
class TimedDuty:
    """A duty that others are waiting for, and the log height since which they wait."""

    seat: int
    since: int
    limit: int
    #: The time of the first tick whose signer had seen the duty; its clock does not run before that.
    started: int | None = None

    def overtime(self, time: int) -> int:
        """Return by how many milliseconds the duty exceeds its limit, or 0 if it is within it."""
        return 0 if self.started is None else max(0, time - self.started - self.limit)


@dataclass(frozen=True)
class Clock:
    """The time as the ticks have shown it so far."""

    limits: Limits
    #: The time of the last tick, and the height of the log that its signer had seen.
    last_tick: int | None = None
    seen_height: int = 0
    timed: Mapping[bytes, TimedDuty] = field(default_factory=dict)
    #: The late duties. A duty stays late until it closes.
    late: frozenset[bytes] = frozenset()
    #: What is left in the banks of those seats that have used some of theirs.
    banks: Mapping[int, int] = field(default_factory=dict)

    def bank(self, seat: int) -> int:
        """Return the milliseconds left in a seat's time bank."""
        return self.banks.get(seat, self.limits.bank)

    def limit(self, known: OpenDuty) -> int:
        """Return how many milliseconds a duty may take: decisions by a person get more time than card messages."""
        decided = known.duty.deck is None or known.duty.choice
        return self.limits.move if decided else self.limits.cards

    # --- Events at the table ---

    def with_open_duties(self, duties: Duties, height: int) -> Clock:
        """Return the clock with the blocking ones of these duties timed from this log height on."""
        now = {id: known for id, known in duties.open.items() if known.is_blocking}
        if now.keys() == self.timed.keys():
            return self
        watched = {
            id: self.timed[id] if id in self.timed else TimedDuty(known.duty.seat, height, self.limit(known))
            for id, known in now.items()
        }
        return replace(self, timed=watched, late=self.late.intersection(watched))

    def refill_banks(self) -> Clock:
        """Return the clock with every bank partly refilled, as happens at the start of a hand."""
        limits = self.limits
        banks = {seat: min(limits.bank, left + limits.refill) for seat, left in self.banks.items()}
        return replace(self, banks={seat: left for seat, left in banks.items() if left < limits.bank})

    def restart(self) -> Clock:
        """Return the clock for a new timekeeper, whose time may start anywhere."""
        return replace(self, last_tick=None, seen_height=0)

    # --- Ticks ---

    # defence: time-back
    def find_tick_error(self, time: int, seen: int, duties: Duties) -> str | None:
        """Return why a tick is not acceptable, or None if it is.

        The result depends only on the log and the tick, so all replicas agree.
        """
        if self.last_tick is None:
            return None
        if time < self.last_tick:
            return "the tick is earlier than the last one"
        if time - self.last_tick < TICK_MIN and not duties.opened_between(self.seen_height, seen):
            return "the tick comes less than a second after the last one, and no duty was opened in between"
        return None

    # defence: held-tick
    def apply_tick(self, time: int, seen: int) -> Clock:
        """Return the clock after a tick whose signer had seen the log up to height `seen`."""
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
        """Return when the next tick would change or report something, or None if no duty is being timed.

        While a bank is running, ticks at this interval report how much is left.
        """
        if self.last_tick is None:
            return None
        moments = [*self._useful_moments(self.last_tick, interval)]
        return max(self.last_tick + TICK_MIN, min(moments)) if moments else None

    def _useful_moments(self, last: int, every: int) -> Iterable[int]:
        """Yield the times at which a duty exceeds its limit or a running bank should be reported or is empty."""
        for id, one in self.timed.items():
            if one.started is None or id in self.late:
                continue
            if not one.overtime(last):
                yield one.started + one.limit + 1
            else:
                yield last + min(every, self.bank(one.seat) + 1)

    @property
    def digest_fields(self) -> Any:
        """Everything the digest of a table covers."""
        watched = [[id, one.since, one.started, id in self.late] for id, one in sorted(self.timed.items())]
        return [self.last_tick, self.seen_height, watched, sorted(self.banks.items())]
