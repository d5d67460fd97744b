"""How long each duty has held the table up, as this machine has seen it, and how the timekeeper's clock compares.

The time is what this machine has seen pass: a clock that jumps, because somebody set it or the machine slept, makes
nobody late. It is an estimate, for screens and for a participant's own opinion. What is late is for the ticks to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.engine.participant import Participant
from nodealer.engine.state import TableState

#: The most that counts between two looks.
LOOK_MAX: Final = 1.0
#: By how much the timekeeper's clock may run ahead of this one, in seconds, and by which part of the time that passed.
AHEAD_MAX: Final = 5.0
AHEAD_PART: Final = 0.2


@dataclass(frozen=True)
class DutyWait:
    """A duty that holds the table up: whose, for how long, and what its limit and its bank were when it began."""

    seat: int
    waited: float = 0.0
    limit: float = 0.0
    bank: float = 0.0

    @property
    def allowed(self) -> float:
        """What the limit and the bank allow together. Nothing, where there are none."""
        return self.limit + self.bank

    @property
    def limit_left(self) -> float:
        """About how many seconds are left until the bank has to pay."""
        return max(0.0, self.limit - self.waited)

    @property
    def bank_left(self) -> float:
        """About how many seconds the bank still has."""
        return max(0.0, min(self.bank, self.allowed - self.waited))


@dataclass
class DutyTimer:
    """Looks at a table again and again."""

    _last: float | None = None
    _waits: dict[bytes, DutyWait] = field(default_factory=dict)

    def stop(self, now: float) -> None:
        """Nothing is waited for."""
        self._last, self._waits = now, {}

    def update(self, state: TableState, now: float, *, stands: bool = False) -> dict[bytes, DutyWait]:
        """What holds the table up. While it `stands`, no time counts."""
        passed = 0.0 if self._last is None or stands else min(max(now - self._last, 0.0), LOOK_MAX)
        self._last = now
        self._waits = {
            duty: replace(self._waits[duty], waited=self._waits[duty].waited + passed)
            if duty in self._waits
            else _begun(state, duty, seat, passed)
            for duty, seat in state.duties.holding_up.items()
        }
        return self._waits


def _begun(state: TableState, duty: bytes, seat: int, passed: float) -> DutyWait:
    clock = state.clock
    if clock is None or state.roster.timekeeper is None:
        return DutyWait(seat, passed)
    return DutyWait(seat, passed, clock.watched[duty].limit / 1000, clock.bank(seat) / 1000)


class Drift:
    """Compares the timekeeper's clock with this machine's: a jump ahead is not to be seen in a log."""

    def __init__(self) -> None:
        #: When it was last looked, and the newest tick then; None while not all is heard.
        self._looked: float | None = None
        self._newest: int | None = None
        #: A tick that was seen to come, in seconds, and when it came by this clock: what later ones are compared with.
        self._first: tuple[float, float] | None = None

    def ahead(self, participant: Participant, now: float) -> float | None:
        """By how many seconds the ticks have run ahead, where that is too much. Said once for each time it is."""
        clock = participant.replica.state.clock if participant.begun and not participant.hearing else None
        if clock is None:
            self._looked = self._first = None
            return None
        before, newest = self._looked, self._newest
        self._looked, self._newest = now, clock.last
        if before is None or now - before > AHEAD_MAX:
            # Whoever has just come, or come back, does not know how old the newest tick is.
            self._first = None
            return None
        if clock.last is None or clock.last == newest:
            return None
        time = clock.last / 1000
        if self._first is None:
            self._first = (time, now)
            return None
        ahead = (time - self._first[0]) - (now - self._first[1])
        if ahead <= AHEAD_MAX + AHEAD_PART * max(0.0, now - self._first[1]):
            return None
        self._first = (time, now)
        return ahead
