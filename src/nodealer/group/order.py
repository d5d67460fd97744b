"""Secret orders, drawn by Fisher–Yates from secret words or built from chosen indices.

The native core does this in constant time; plain Python does it without that promise. Both give the same order for the
same words, so an order that was drawn from a tape can be drawn from it again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NoReturn

from nodealer.errors import BadParameter
from nodealer.group import default_backend
from nodealer.group.api import Order

if TYPE_CHECKING:
    from nodealer.group import _core as core

#: The size of a word in bytes.
WORD: Final = 8
#: The number of different 64-bit words.
_WORDS: Final = 2**64
#: The longest order that the core draws: its work grows with the square of the length.
_CORE_MAX: Final = 1 << 16


def uniform_below(bound: int, words: Iterator[int]) -> int:
    """Return a uniform integer below `bound` from uniform 64-bit words, by rejection sampling.

    Words at or above the largest multiple of `bound` are discarded.
    """
    fair = _WORDS - _WORDS % bound
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % bound


def draw_order(count: int, draw: Callable[[int], bytes]) -> Order:
    """Draw a uniform order of 0 … count − 1. Each step uses rejection sampling, so no order is favoured.

    `draw(n)` must return the n-th uniform block of `count` words.
    """
    core, first = _native_order_class(), draw(0)
    order = core.drawn(first) if core is not None and count <= _CORE_MAX else None
    if order is not None:
        return order
    # The core returns None if a word must be discarded, about once in 2^50. That this can be observed reveals nothing
    # about the order.
    return order_of(_fisher_yates(count, iterate_words(lambda index: draw(index) if index else first, count)))


def order_of(places: Sequence[int]) -> Order:
    """Build an order from a permutation of 0 … n − 1. Raise `BadParameter` for anything else."""
    return (_native_order_class() or PlainOrder)(places)


class PlainOrder:
    """`api.Order` for use without the core. Neither erased nor constant-time."""

    __slots__ = ("_places",)

    def __init__(self, places: Sequence[int], /) -> None:
        """Store a permutation of 0 … n − 1. Raise `BadParameter` for anything else."""
        if not isinstance(places, Sequence) or isinstance(places, str | bytes | bytearray | memoryview):
            raise BadParameter(f"expected a sequence of places, got {type(places).__name__}")
        # Iterate once, over at most one item more than it claims to have: what is checked is what is stored.
        chosen = tuple(_require_integer(place) for place in islice(places, len(places) + 1))
        if sorted(chosen) != list(range(len(chosen))):
            raise BadParameter(f"not an order of {len(chosen)} places")
        self._places = chosen

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self._places)

    def __repr__(self) -> str:
        """Return the length, and nothing about the order."""
        return f"<Order reference n={len(self)}>"

    def __reduce__(self) -> NoReturn:
        """Raise `TypeError`: a secret order must not be pickled or copied by mistake."""
        raise TypeError("orders cannot be pickled or copied")

    def inverse(self) -> PlainOrder:
        """Return the inverse permutation."""
        return PlainOrder(sorted(range(len(self)), key=self._places.__getitem__))

    def vartime_list(self) -> list[int]:
        """Return π(0), π(1), … as integers."""
        return list(self._places)


def _require_integer(place: object) -> int:
    """Return the plain integer, whatever a subclass claims to be equal to. Raise `BadParameter` for a bool too."""
    if not isinstance(place, int) or isinstance(place, bool):
        raise BadParameter(f"expected a place, got {type(place).__name__}")
    return int.__index__(place)


def _fisher_yates(count: int, words: Iterator[int]) -> list[int]:
    """Shuffle 0 … count − 1 with words from this source."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        chosen = uniform_below(last + 1, words)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def iterate_words(draw: Callable[[int], bytes], count: int) -> Iterator[int]:
    """Yield 64-bit words from one block of `count` words after another, without end."""
    index = 0
    while True:
        yield from struct.unpack(f"<{count}Q", draw(index))
        index += 1


@cache
def _native_order_class() -> type[core.Order] | None:
    """Return the native core's class of orders, or None without the core. Timing then reveals a seat's orders."""
    if default_backend() != "native":
        return None
    from nodealer.group import native

    order_class: type[core.Order] = native.load().Order
    return order_class
