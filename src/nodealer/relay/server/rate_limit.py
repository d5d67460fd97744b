"""How fast a client may send, and how much an address may request. The caller supplies the time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nodealer.relay.limits import RelayLimits

_HOUR: Final = 3600.0
#: How many addresses are remembered. Beyond that, the least recent one is dropped.
_ADDRESSES_MAX: Final = 50_000


class RateLimit:
    """The remaining frames and bytes of one client (a token bucket). Both refill with time, up to a burst."""

    __slots__ = ("_at", "_bytes", "_frames", "_limits")

    def __init__(self, limits: RelayLimits, now: float) -> None:
        """Start with a full burst at the time `now`, in seconds."""
        self._limits = limits
        self._at = now
        self._frames = float(limits.frames_per_second * limits.burst_seconds)
        self._bytes = float(limits.bytes_per_second * limits.burst_seconds)

    def spend(self, now: float, size: int) -> float:
        """Charge one message of this size, and return for how many seconds reading should pause."""
        limits, passed = self._limits, now - self._at
        self._at = now
        frames, all_bytes = limits.frames_per_second, limits.bytes_per_second
        self._frames = min(self._frames + passed * frames, frames * limits.burst_seconds) - 1
        self._bytes = min(self._bytes + passed * all_bytes, all_bytes * limits.burst_seconds) - size
        if self._frames >= 0 and self._bytes >= 0:
            return 0.0
        return max(-self._frames / frames, -self._bytes / all_bytes)


class Quota:
    """How often each address may do something per hour. Kept only in this process, and only for an hour."""

    def __init__(self, an_hour: int) -> None:
        """Allow each address `an_hour` uses per hour."""
        self._most = an_hour
        self._left: dict[str, tuple[float, float]] = {}

    def try_take(self, now: float, address: str) -> bool:
        """Charge one use to an address; return False if none is left."""
        left, at = self._left.pop(address, (float(self._most), now))
        left = min(self._most, left + (now - at) * self._most / _HOUR)
        allowed = left >= 1
        self._left[address] = (left - allowed, now)
        if len(self._left) > _ADDRESSES_MAX:
            del self._left[next(iter(self._left))]
        return allowed


class ConnectionCounts:
    """The current number of connections of each address."""

    def __init__(self, most: int) -> None:
        """Allow each address at most `most` connections at a time."""
        self._most = most
        self._counts: dict[str, int] = {}

    def has_room(self, address: str) -> bool:
        """Return whether the address may open another connection."""
        return self._counts.get(address, 0) < self._most

    def acquire(self, address: str) -> Callable[[], None]:
        """Count one more connection, and return the function that releases it."""
        self._counts[address] = self._counts.get(address, 0) + 1

        def leave() -> None:
            """Stop counting this connection."""
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

        return leave
