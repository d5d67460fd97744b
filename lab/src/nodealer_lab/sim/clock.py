"""Virtual time: what is to happen, in its order. Nothing waits."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush


class VirtualClock:
    """Milliseconds since the game began."""

    def __init__(self) -> None:
        self.now = 0
        self._todo: list[tuple[int, int, Callable[[], None]]] = []
        self._planned = 0

    def after(self, delay: int, action: Callable[[], None]) -> None:
        """Do something later. What is planned first for a moment is done first."""
        heappush(self._todo, (self.now + delay, self._planned, action))
        self._planned += 1

    def step(self) -> None:
        """Let time pass until something happens."""
        self.now, _, action = heappop(self._todo)
        action()
