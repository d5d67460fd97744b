"""An append-only map whose earlier versions stay valid.

States are immutable, and a hand may have thousands of entries: copying the map for each would take quadratic time. The
versions share one dict, and each version knows how much of it belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class VersionedMap(Generic[K, V]):
    """One version of the map. Extending the newest version costs what is added; extending an older one makes a copy."""

    __slots__ = ("_shared", "_size", "_values", "newest")

    def __init__(self) -> None:
        """Create the empty first version."""
        #: Key to its values so far, each with its sequence number.
        self._values: dict[K, list[tuple[int, V]]] = {}
        #: The number of values in the shared dict, and how many of them belong to this version.
        self._shared = [0]
        self._size = 0
        #: The value that was added last.
        self.newest: V | None = None

    def extended(self, pairs: Iterable[tuple[K, V]]) -> VersionedMap[K, V]:
        """Return a new version with more values. A key that already exists gets a new value."""
        after: VersionedMap[K, V] = VersionedMap()
        after.newest = self.newest
        if self._shared[0] == self._size:
            after._values, after._shared = self._values, self._shared
        else:
            for key, values in self._values.items():
                if mine := [(number, value) for number, value in values if number < self._size]:
                    after._values[key] = mine
            after._shared = [self._size]
        for key, value in pairs:
            after._values.setdefault(key, []).append((after._shared[0], value))
            after._shared[0] += 1
            after.newest = value
        after._size = after._shared[0]
        return after

    def values(self, key: K) -> Iterator[V]:
        """Return all values that a key has had, oldest first."""
        return (value for number, value in self._values.get(key, ()) if number < self._size)

    def all_values(self) -> Iterator[V]:
        """Return all values that any key has had."""
        return (value for values in self._values.values() for number, value in values if number < self._size)

    def items(self) -> Iterator[tuple[K, V]]:
        """Yield each key with its newest value, in the order in which the keys were added."""
        for key, values in self._values.items():
            for number, value in reversed(values):
                if number < self._size:
                    yield key, value
                    break
