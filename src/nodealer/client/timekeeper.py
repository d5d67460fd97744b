"""The timekeeper: a participant that reports how much time has passed, whenever that makes a difference.

It ticks when a duty has been open for a little while (which starts its clock), when a limit passes, regularly while a
time bank runs, and at the bank's end. Its time continues from its last tick, so a timekeeper that was away has cost no
one any time. It counts only time that this machine has observed, so a clock that jumps makes no one late.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nodealer.client.duty_timer import STEP_SECONDS_MAX, DutyTimer
from nodealer.client.status import TableStatus
from nodealer.engine.clock import Clock
from nodealer.engine.commands import Command, SendTick
from nodealer.engine.state import TableState

#: An open duty gets its first tick after this many seconds; while a time bank runs, ticks are this many milliseconds
#: apart.
STARTS_AFTER: Final = 2.0
BANK_EVERY: Final = 10_000


class Ticker:
    """The policy of a timekeeper: decides when to tick."""

    def __init__(self) -> None:
        """Start with nothing measured."""
        self._timer = DutyTimer()
        self._last: float | None = None
        #: The seconds observed since it started, and the time of the last tick before that.
        self._passed = 0.0
        self._base: int | None = None

    def on_status(self, status: TableStatus) -> Iterator[Command]:
        """Send a tick, if one is due."""
        now, state = status.now, status.state
        self._passed += 0.0 if self._last is None else min(max(now - self._last, 0.0), STEP_SECONDS_MAX)
        self._last = now
        if state is None or status.seat is None or status.is_over or status.is_catching_up:
            self._timer.stop(now)
            return
        keeper, unstarted = state.roster.timekeeper, self._has_unstarted_duty(state, now)
        if state.clock is None or keeper is None or keeper.seat != status.seat:
            return
        if status.unconfirmed or not (unstarted or self._is_tick_due(state.clock)):
            return
        yield SendTick(self._table_time(state.clock))

    def _table_time(self, clock: Clock) -> int:
        """Return the table's time in milliseconds."""
        if self._base is None:
            self._base, self._passed = clock.last_tick or 0, 0.0
        return self._base + int(self._passed * 1000)

    def _has_unstarted_duty(self, state: TableState, now: float) -> bool:
        """Return whether a duty has been open for long enough and its clock has not started."""
        waits = self._timer.update(state, now)
        watched = {} if state.clock is None else state.clock.timed
        return any(
            wait.waited >= STARTS_AFTER and id in watched and watched[id].started is None for id, wait in waits.items()
        )

    def _is_tick_due(self, clock: Clock) -> bool:
        """Return whether a limit passes or a bank runs."""
        wanted = clock.next_useful_tick(BANK_EVERY)
        return wanted is not None and self._table_time(clock) >= wanted
