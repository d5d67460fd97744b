"""How long each duty has held up the table, measured on this machine, and how the timekeeper's clock compares.

Only time that this machine has observed counts: a clock that jumps, because it was set or the machine slept, makes no
one late. The result is an estimate, for display and for a participant's own vote. The timekeeper's ticks decide which
duties are late.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.engine.participant import Participant
from nodealer.engine.state import TableState

#: The most seconds that count between two updates.
STEP_SECONDS_MAX: Final = 1.0
#: How far the timekeeper's clock may run ahead of this one: seconds, plus a fraction of the elapsed time.
AHEAD_MAX: Final = 5.0
AHEAD_PART: Final = 0.2


@dataclass(frozen=True)
class DutyWait:
    """How many seconds a seat's duty has held up the table, and its time limit and time bank when the wait began."""

    seat: int
    waited: float = 0.0
    limit: float = 0.0
    bank: float = 0.0

    @property
    def allowed(self) -> float:
        """Return the seconds that limit and time bank allow together; 0 without a timekeeper."""
        return self.limit + self.bank

    @property
    def limit_left(self) -> float:
        """Return roughly how many seconds are left before the time bank is used."""
        return max(0.0, self.limit - self.waited)

    @property
    def bank_left(self) -> float:
        """Return roughly how many seconds are left in the time bank."""
        return max(0.0, min(self.bank, self.allowed - self.waited))


@dataclass
class DutyTimer:
    """Measures how long each duty holds up the table. Call `update` regularly."""

    _last: float | None = None
    _waits: dict[bytes, DutyWait] = field(default_factory=dict)

    def stop(self, now: float) -> None:
        """Forget all waits: the table is not waiting for anything."""
        self._last, self._waits = now, {}

    def update(self, state: TableState, now: float, *, paused: bool = False) -> dict[bytes, DutyWait]:
        """Count the time since the last update, and return the waits by duty. No time counts while `paused`."""
        passed = 0.0 if self._last is None or paused else min(max(now - self._last, 0.0), STEP_SECONDS_MAX)
        self._last = now
        self._waits = {
            duty: replace(self._waits[duty], waited=self._waits[duty].waited + passed)
            if duty in self._waits
            else _start_wait(state, duty, seat, passed)
            for duty, seat in state.duties.blocking.items()
        }
        return self._waits


def _start_wait(state: TableState, duty: bytes, seat: int, passed: float) -> DutyWait:
    """Return the wait for a duty that has just become due, with its limit and time bank."""
    clock = state.clock
    if clock is None or state.roster.timekeeper is None:
        return DutyWait(seat, passed)
    return DutyWait(seat, passed, clock.timed[duty].limit / 1000, clock.bank(seat) / 1000)


class Drift:
    """Compares the timekeeper's clock with this machine's. A log alone does not show that a clock jumped ahead."""

    def __init__(self) -> None:
        """Start with nothing measured."""
        #: When this was last checked, and the newest tick then; None while frames are still missing.
        self._checked_at: float | None = None
        self._last_tick: int | None = None
        #: A tick whose arrival was observed: its time in seconds, and when it arrived by this clock. Later ticks are
        #: compared with it.
        self._reference: tuple[float, float] | None = None

    def seconds_ahead(self, participant: Participant, now: float) -> float | None:
        """Return how many seconds the ticks have run ahead if that is too much, else None.

        Each excess is reported once.
        """
        clock = participant.replica.state.clock if participant.has_session and not participant.is_catching_up else None
        if clock is None:
            self._checked_at = self._reference = None
            return None
        before, newest = self._checked_at, self._last_tick
        self._checked_at, self._last_tick = now, clock.last_tick
        if before is None or now - before > AHEAD_MAX:
            # After connecting or reconnecting, the age of the newest tick is unknown.
            self._reference = None
            return None
        if clock.last_tick is None or clock.last_tick == newest:
            return None
        time = clock.last_tick / 1000
        if self._reference is None:
            self._reference = (time, now)
            return None
        ahead = (time - self._reference[0]) - (now - self._reference[1])
        if ahead <= AHEAD_MAX + AHEAD_PART * max(0.0, now - self._reference[1]):
            return None
        self._reference = (time, now)
        return ahead
