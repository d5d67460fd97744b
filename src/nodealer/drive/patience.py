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
    _said: set[tuple[str, bytes]] = field(default_factory=set)

    def look(self, participant: Participant, now: float) -> list[bytes]:
        passed = 0.0 if self._last is None else min(max(now - self._last, 0.0), LOOK_MAX)
        self._last = now
        if not participant.seated or participant.over:
            return []
        held_up = participant.waits_for
        known = participant.replica.state.known
        if any(known[seat].name in self.spared for seat in held_up.values()):
            passed = 0.0
        self._waited = {duty: self._waited.get(duty, 0.0) + passed for duty in held_up}
        self._said = {(what, duty) for what, duty in self._said if duty in held_up}
        late = self._fresh("without", self.seconds)
        if late:
            with suppress(IllegalMove):
                said = participant.without({held_up[duty] for duty in late})
                self._said |= {("without", duty) for duty in late}
                return said
        if self._fresh("break", 2 * self.seconds):
            with suppress(IllegalMove):
                said = participant.break_off()
                self._said |= {("break", duty) for duty in held_up}
                return said
        return []

    def _fresh(self, what: str, limit: float) -> set[bytes]:
        """The duties that have waited this long, and of which this was not said."""
        return {duty for duty, waited in self._waited.items() if waited >= limit and (what, duty) not in self._said}
