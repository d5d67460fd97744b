"""A mapping that only grows, of which every earlier version stays as it was.

States are immutable, and a hand may have thousands of entries: copying what was at each of them would cost the square
of their number. Versions share one dict, and each knows how much of it is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class VersionedMap(Generic[K, V]):
    """One version. Growing the newest one costs what is added; growing an older one makes a copy."""

    __slots__ = ("_shared", "_size", "_values", "newest")

    def __init__(self) -> None:
        #: Key to its values so far, each with its number.
        self._values: dict[K, list[tuple[int, V]]] = {}
        #: How many values there are in all, and how many of them are this version's.
        self._shared = [0]
        self._size = 0
        #: The value that came last.
        self.newest: V | None = None

    def extended(self, pairs: Iterable[tuple[K, V]]) -> VersionedMap[K, V]:
        """This mapping with more in it. A key that was there gets a new value."""
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
        """All values that a key has had."""
        return (value for number, value in self._values.get(key, ()) if number < self._size)

    def all_values(self) -> Iterator[V]:
        """All values that any key has had."""
        return (value for values in self._values.values() for number, value in values if number < self._size)

    def items(self) -> Iterator[tuple[K, V]]:
        """Keys and values, in the order in which the keys came."""
        for key, values in self._values.items():
            for number, value in reversed(values):
                if number < self._size:
                    yield key, value
                    break
