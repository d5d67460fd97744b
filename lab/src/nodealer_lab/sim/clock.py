"""Virtual time: a queue of scheduled actions. Nothing really waits."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush


class VirtualClock:
    """The milliseconds since the game began, and the actions scheduled for later."""

    def __init__(self) -> None:
        """Start at time zero with nothing planned."""
        self.now = 0
        self._todo: list[tuple[int, int, Callable[[], None]]] = []
        self._planned = 0

    def after(self, delay: int, action: Callable[[], None]) -> None:
        """Schedule an action. Actions scheduled for the same moment run in the order in which they were scheduled."""
        heappush(self._todo, (self.now + delay, self._planned, action))
        self._planned += 1

    def step(self) -> None:
        """Advance time to the next scheduled action and run it."""
        self.now, _, action = heappop(self._todo)
        action()
