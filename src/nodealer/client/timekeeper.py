"""The timekeeper: a participant that says how much time has passed, when that makes a difference.

It ticks when a duty has been open for a little while unanswered, which starts its clock, when a limit passes, again and
again while a bank runs, and at the bank's end. Its time goes on from its last tick, so that one that was away has taken
nobody's time; and it counts what this machine has seen pass, so that a clock that jumps makes nobody late.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from nodealer.client.duty_timer import LOOK_MAX, DutyTimer
from nodealer.client.loop import Loop, Transport, Watch
from nodealer.engine.clock import Clock
from nodealer.engine.participant import Participant
from nodealer.engine.state import TableState
from nodealer.errors import IllegalMove

#: After how many seconds a duty that is not answered gets its first tick, and how often it ticks while a bank runs.
STARTS_AFTER: Final = 2.0
BANK_EVERY: Final = 10_000


class Ticker:
    """Looks at its table and its clock, and ticks."""

    def __init__(self) -> None:
        self._watch = DutyTimer()
        self._last: float | None = None
        #: How much time it has seen pass since it came, and the time of its last tick before that.
        self._passed = 0.0
        self._from: int | None = None

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """A tick, if one is wanted."""
        self._passed += 0.0 if self._last is None else min(max(now - self._last, 0.0), LOOK_MAX)
        self._last = now
        if not participant.seated or participant.over or participant.hearing:
            self._watch.stop(now)
            return []
        state, keeper = participant.replica.state, participant.replica.state.roster.timekeeper
        unstarted = self._unstarted(state, now)
        if state.clock is None or keeper is None or keeper.seat != participant.seat.number:
            return []
        if participant.seat.unconfirmed or not (unstarted or self._wanted(state.clock)):
            return []
        # Another one a moment ago, and nothing new since: at the next look perhaps.
        with suppress(IllegalMove):
            return participant.tick(self._time(state.clock))
        return []

    def _time(self, clock: Clock) -> int:
        if self._from is None:
            self._from, self._passed = clock.last or 0, 0.0
        return self._from + int(self._passed * 1000)

    def _unstarted(self, state: TableState, now: float) -> bool:
        """Whether a duty has been open for long enough whose clock stands."""
        waits = self._watch.update(state, now)
        watched = {} if state.clock is None else state.clock.watched
        return any(
            wait.waited >= STARTS_AFTER and id in watched and watched[id].started is None for id, wait in waits.items()
        )

    def _wanted(self, clock: Clock) -> bool:
        wanted = clock.wanted(BANK_EVERY)
        return wanted is not None and self._time(clock) >= wanted


async def keep_time(
    participant: Participant, transport: Transport, clock: Callable[[], float], watch: Watch = lambda step: ()
) -> None:
    """Keep the time of a table until its end. Raises `RelayError` when the transport ends first."""
    await Loop(participant, transport, watch=watch, patience=Ticker(), clock=clock).run()
