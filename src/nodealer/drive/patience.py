"""How long to wait for others, and what to say then.

A bot's patience, or a person's who has said so: after a time it would go on without a seat that holds the table up, and
after the same time again it would break off, which is all that half of a table can do. The time is what this machine
has seen pass: a clock that jumps, because somebody set it or the machine slept, makes nobody late. There may be some
whom it gives all the time that they want: a person at a table of bots.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from nodealer.errors import IllegalMove
from nodealer.play.participant import Participant
from nodealer.play.phases import Phase

#: The most that counts between two looks.
LOOK_MAX: Final = 1.0


class Looks(Protocol):
    """Looks at a participant and at the clock, again and again."""

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """What to say now, at this time of a clock that only has to go on."""


@dataclass
class Patience:
    """Waits so many seconds for what others owe, and for ever while it is one of those named that is waited for."""

    seconds: float
    spared: frozenset[str] = frozenset()
    _last: float | None = None
    #: Duty to the time that it has held the table up.
    _waited: dict[bytes, float] = field(default_factory=dict)

    def look(self, participant: Participant, now: float) -> list[bytes]:
        passed = 0.0 if self._last is None else min(max(now - self._last, 0.0), LOOK_MAX)
        self._last = now
        if not participant.seated or participant.over:
            return []
        seat = participant.seat
        held_up = seat.waits_for
        known = seat.replica.state.known
        if any(known[other].name in self.spared for other in held_up.values()):
            passed = 0.0
        self._waited = {duty: self._waited.get(duty, 0.0) + passed for duty in held_up}
        if seat.unconfirmed:
            # Perhaps it was said. What came too late to count is said again, once it is known not to count.
            return []
        state, hand = seat.replica.state, seat.replica.state.hand
        late = self._late(self.seconds) - hand.votes.get(seat.number, frozenset())
        with suppress(IllegalMove):
            if late:
                return participant.without({held_up[duty] for duty in late})
        with suppress(IllegalMove):
            # After the last hand there is nothing to be broken off.
            last = state.over and state.phase is Phase.BETWEEN
            if self._late(2 * self.seconds) and seat.number not in hand.breaks and not last:
                return participant.break_off()
        return []

    def _late(self, limit: float) -> set[bytes]:
        """The duties that have held the table up this long."""
        return {duty for duty, waited in self._waited.items() if waited >= limit}
