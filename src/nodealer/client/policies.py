"""How long to wait for others, and what to say then.

Where somebody keeps the time, a participant would go on without what is late, as soon as its own clock has seen that
time pass too: a timekeeper that runs ahead makes nobody vote. Where nobody does, it is a matter of patience, a bot's or
a person's who has said so: after a time it would go on without a seat that holds the table up, and after the same time
again it would break off, which is all that half of a table can do. There may be some whom it gives all the time that
they want: a person at a table of bots. And who has patience, but nobody left to play with, ends after a while.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from nodealer.client.duty_timer import LOOK_MAX, DutyTimer, DutyWait
from nodealer.engine.leave_policy import has_too_few_players
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState
from nodealer.errors import IllegalMove

#: After how many seconds somebody who has no patience of its own ends a log after the last hand.
ENDS_AFTER: Final = 60.0
#: For how many seconds somebody who has one waits for players who are gone, when those left are too few for a hand.
ALONE_MAX: Final = 20.0


class Policy(Protocol):
    """Looks at a participant and at the clock, again and again."""

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """What to say now, at this time of a clock that only has to go on."""


class PolicyGroup:
    """Several who look, one after the other."""

    def __init__(self, *looks: Policy) -> None:
        self._looks = looks

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        return [frame for one in self._looks for frame in one.on_tick(participant, now)]


@dataclass
class TimeoutVoter:
    """Waits for what others owe: so many seconds, or for ever; and for ever while it is one of those named.

    Where somebody keeps the time, the seconds are those beyond what the limits allow, for a timekeeper that is silent.
    """

    seconds: float | None = None
    spared: frozenset[str] = frozenset()
    _watch: DutyTimer = field(default_factory=DutyTimer)
    #: For how long there have been too few to play, and the last look of those.
    _alone: float = 0.0
    _alone_at: float | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        if not participant.seated or participant.over:
            self._watch.stop(now)
            return []
        seat, state = participant.seat, participant.replica.state
        if self._waited_alone(state, now):
            participant.stays = lambda state: False
            return participant.due()
        spared = any(state.known[other].name in self.spared for other in seat.waits_for.values())
        waits = self._watch.update(state, now, stands=spared)
        if seat.unconfirmed:
            # Perhaps it was said. What came too late to count is said again, once it is known not to count.
            return []
        others = {duty: wait for duty, wait in waits.items() if wait.seat != seat.number}
        late = {duty for duty, wait in others.items() if self._is_late(state, duty, wait)}
        with suppress(IllegalMove):
            if late := late - state.hand.votes.get(seat.number, frozenset()):
                return participant.without_duties(late)
        with suppress(IllegalMove):
            if self._gives_up(state, others) and seat.number not in state.hand.breaks:
                return participant.break_off()
        return []

    def _waited_alone(self, state: TableState, now: float) -> bool:
        if self.seconds is None or not has_too_few_players(state):
            self._alone, self._alone_at = 0.0, None
            return False
        self._alone += 0.0 if self._alone_at is None else min(max(now - self._alone_at, 0.0), LOOK_MAX)
        self._alone_at = now
        return self._alone >= ALONE_MAX

    def _is_late(self, state: TableState, duty: bytes, wait: DutyWait) -> bool:
        if state.clock is None or state.roster.timekeeper is None:
            return self.seconds is not None and wait.waited >= self.seconds
        beyond = wait.waited - wait.allowed
        return beyond >= 0 and (duty in state.clock.late or (self.seconds is not None and beyond >= self.seconds))

    def _gives_up(self, state: TableState, others: dict[bytes, DutyWait]) -> bool:
        if state.roster.timekeeper is not None:
            return False
        # After the last hand only signatures are missing: nobody loses anything by it.
        last = state.over and state.phase is Phase.BETWEEN
        limit = 2 * self.seconds if self.seconds is not None else ENDS_AFTER if last else None
        return limit is not None and any(wait.waited >= limit for wait in others.values())
