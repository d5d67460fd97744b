"""How fast a client may speak, and how much an address may ask for. Time comes from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nodealer.relay.limits import RelayLimits

_HOUR: Final = 3600.0
#: So many addresses are remembered. Beyond, the one that asked longest ago is forgotten.
_ADDRESSES_MAX: Final = 50_000


class RateLimit:
    """What one client has left of its frames and bytes. Both grow with time, up to some seconds' worth."""

    __slots__ = ("_at", "_bytes", "_frames", "_limits")

    def __init__(self, limits: RelayLimits, now: float) -> None:
        self._limits = limits
        self._at = now
        self._frames = float(limits.frames_per_second * limits.burst_seconds)
        self._bytes = float(limits.bytes_per_second * limits.burst_seconds)

    def spend(self, now: float, size: int) -> float:
        """Take one frame of this size. Gives for how many seconds nothing more should be read."""
        limits, passed = self._limits, now - self._at
        self._at = now
        frames, all_bytes = limits.frames_per_second, limits.bytes_per_second
        self._frames = min(self._frames + passed * frames, frames * limits.burst_seconds) - 1
        self._bytes = min(self._bytes + passed * all_bytes, all_bytes * limits.burst_seconds) - size
        if self._frames >= 0 and self._bytes >= 0:
            return 0.0
        return max(-self._frames / frames, -self._bytes / all_bytes)


class Quota:
    """How often each address may do something in an hour. Only this process remembers it, and not for longer."""

    def __init__(self, an_hour: int) -> None:
        self._most = an_hour
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, now: float, address: str) -> bool:
        """Whether the address may, once more."""
        left, at = self._left.pop(address, (float(self._most), now))
        left = min(self._most, left + (now - at) * self._most / _HOUR)
        allowed = left >= 1
        self._left[address] = (left - allowed, now)
        if len(self._left) > _ADDRESSES_MAX:
            del self._left[next(iter(self._left))]
        return allowed


class ConnectionCounts:
    """How many connections each address has now."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[str, int] = {}

    def free(self, address: str) -> bool:
        """Whether one more is allowed."""
        return self._taken.get(address, 0) < self._most

    def take(self, address: str) -> Callable[[], None]:
        """One more; gives what lets go of it."""
        self._taken[address] = self._taken.get(address, 0) + 1

        def leave() -> None:
            self._taken[address] -= 1
            if not self._taken[address]:
                del self._taken[address]

        return leave
