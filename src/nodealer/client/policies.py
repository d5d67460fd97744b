"""Policies decide how long to wait for other players, and what to do then.

With a timekeeper, a participant votes to skip what is late as soon as its own clock has also seen that time pass; so a
timekeeper whose clock runs fast cannot make anyone vote. Without one, it depends on the patience that a bot has or a
person has chosen: after that time the participant votes to go on without the seat that holds up the table, and after
the same time again it votes to abort the hand, which is all that half of a table can do. Some players may be given
unlimited time: a person at a table of bots. A participant with limited patience and no one left to play with ends after
a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from nodealer.client.duty_timer import STEP_SECONDS_MAX, DutyTimer, DutyWait
from nodealer.client.status import TableStatus
from nodealer.engine.commands import Command, EndGame, VoteAbort, VoteSkipDuties
from nodealer.engine.leave_policy import has_too_few_players
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.state import TableState
from nodealer.errors import IllegalMove

#: Without a timeout of its own, a participant ends a log this many seconds after the last hand.
ENDS_AFTER: Final = 60.0
#: With a timeout, it waits this many seconds for players who have left, if those who remain are too few for a hand.
ALONE_MAX: Final = 20.0


class Policy(Protocol):
    """Acts for a participant depending on the state of the table and the time."""

    def on_status(self, status: TableStatus) -> Iterable[Command]:
        """Return what to do now. Called after every change, and several times a second.

        The first of these commands that the table allows is carried out, and the others are dropped.
        """


def follow(policy: Policy, participant: Participant, status: TableStatus) -> list[bytes]:
    """Carry out the first command of a policy that the table allows, and return the frames to send."""
    for command in policy.on_status(status):
        with suppress(IllegalMove):
            return participant.command(command)
    return []


@dataclass
class TimeoutVoter:
    """Votes to skip or abort when other seats take longer than `seconds`; never, if None.

    No time counts while the table waits for one of the `spared` players. With a timekeeper, the seconds count from the
    end of the time limit, in case the timekeeper is silent.
    """

    seconds: float | None = None
    spared: frozenset[str] = frozenset()
    _timer: DutyTimer = field(default_factory=DutyTimer)
    #: For how many seconds there have been too few players, and when that was last counted.
    _alone_for: float = 0.0
    _alone_checked_at: float | None = None

    def on_status(self, status: TableStatus) -> Iterator[Command]:
        """Vote if another seat is late, or end the game if there are too few players."""
        state, seat, now = status.state, status.seat, status.now
        if state is None or seat is None or status.is_over:
            self._timer.stop(now)
            return
        if self._has_waited_alone(state, now):
            yield EndGame()
            return
        blocking = {other for other in state.duties.blocking.values() if other != seat}
        spared = any(state.all_members[other].name in self.spared for other in blocking)
        waits = self._timer.update(state, now, paused=spared)
        if status.unconfirmed:
            # The last message may have been delivered. If it came too late to count, it is sent again once that is
            # known.
            return
        others = {duty: wait for duty, wait in waits.items() if wait.seat != seat}
        late = {duty for duty, wait in others.items() if self._is_late(state, duty, wait)}
        if late := late - state.hand.skip_votes.get(seat, frozenset()):
            yield VoteSkipDuties(frozenset(late))
        if self._should_abort(state, others) and seat not in state.hand.abort_votes:
            yield VoteAbort()

    def _has_waited_alone(self, state: TableState, now: float) -> bool:
        """Count how long there have been too few players; return whether that is long enough to end."""
        if self.seconds is None or not has_too_few_players(state):
            self._alone_for, self._alone_checked_at = 0.0, None
            return False
        self._alone_for += (
            0.0 if self._alone_checked_at is None else min(max(now - self._alone_checked_at, 0.0), STEP_SECONDS_MAX)
        )
        self._alone_checked_at = now
        return self._alone_for >= ALONE_MAX

    def _is_late(self, state: TableState, duty: bytes, wait: DutyWait) -> bool:
        """Return whether this participant considers a duty late."""
        if state.clock is None or state.roster.timekeeper is None:
            return self.seconds is not None and wait.waited >= self.seconds
        beyond = wait.waited - wait.allowed
        return beyond >= 0 and (duty in state.clock.late or (self.seconds is not None and beyond >= self.seconds))

    def _should_abort(self, state: TableState, others: dict[bytes, DutyWait]) -> bool:
        """Return whether others have held up the table for so long that this participant votes to abort."""
        if state.roster.timekeeper is not None:
            return False
        # After the last hand only signatures are missing, so no one loses anything.
        last = state.no_more_hands and state.phase is Phase.BETWEEN
        limit = 2 * self.seconds if self.seconds is not None else ENDS_AFTER if last else None
        return limit is not None and any(wait.waited >= limit for wait in others.values())
