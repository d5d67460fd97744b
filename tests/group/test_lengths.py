"""How long arrays may be, and sequences that lie about it: the same on every backend, refused before they are made."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, overload

import pytest

from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.group.reference import MAX_LENGTH

TOO_LONG = (MAX_LENGTH + 1, 2**40, 2**63, 2**70)


class Liar(Sequence[Any]):
    """Says that it has so many items, and has others."""

    def __init__(self, says: int, items: Iterator[Any]) -> None:
        self.says, self.items = says, items

    def __len__(self) -> int:
        return self.says

    def __iter__(self) -> Iterator[Any]:
        return self.items

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Any]: ...
    def __getitem__(self, key: int | slice) -> Any:
        raise IndexError(key)


def test_counts_that_are_too_large(g: Group) -> None:
    for count in TOO_LONG:
        for make in (g.identity, g.integers([3]).powers):
            with pytest.raises(BadParameter):
                make(count)


def test_sequences_that_are_too_long(g: Group) -> None:
    for count in TOO_LONG:
        for use in (g.integers, g.integers([3]).take, g.G.take):
            with pytest.raises(BadParameter, match="too long"):
                use(range(count))


def test_bytes_of_too_many_elements(g: Group) -> None:
    """Pages that nobody touches cost no memory: they are refused by their number."""
    sizes = {g.scalars: g.scalar_size, g.points: g.point_size, g.wide_scalars: g.wide_size}
    for decode, size in (*sizes.items(), (g.map_to_points, g.uniform_size)):
        with pytest.raises(BadParameter, match=f"an array of {MAX_LENGTH + 1} elements is too long"):
            decode(bytes(size * (MAX_LENGTH + 1)))


def test_arrays_that_are_too_long_together(g: Group) -> None:
    x, P = g.integers([3] * 4096), g.identity(4096)
    for concat in (x.concat, P.concat):
        parts: list[Any] = [x if concat == x.concat else P] * 4096
        with pytest.raises(BadParameter, match=f"an array of {MAX_LENGTH + 4096} elements is too long"):
            concat(parts)


def test_sequences_that_lie_about_their_length(g: Group) -> None:
    """The first ones would never end."""
    x, P = g.integers([3]), g.G
    uses = {g.integers: 7, x.take: 0, P.take: 0, x.concat: x, P.concat: P}
    for use, item in uses.items():
        for liar in (Liar(1, repeat(item)), Liar(0, repeat(item)), Liar(2, iter([item])), Liar(2, iter([item] * 3))):
            with pytest.raises(BadParameter, match="not as long as it says"):
                use(liar)  # type: ignore[operator]
        for says in (-1, sys.maxsize + 1):
            with pytest.raises(BadParameter, match="too long"):
                use(Liar(says, repeat(item)))  # type: ignore[operator]
        use(Liar(2, iter([item, item])))  # type: ignore[operator]
