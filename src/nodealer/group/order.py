"""Secret orders: drawn by Fisher–Yates from secret words, or made of places that somebody chose.

In the core where there is one, in constant time; else in plain Python, of which nothing is promised. Everywhere the
same order for the same words: what is drawn from a tape is drawn again from it.
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

#: Bytes of a word.
WORD: Final = 8
#: How many words of 64 bits there are.
_WORDS: Final = 2**64
#: More places than the core takes: there the work grows with their square.
_CORE_MAX: Final = 1 << 16


def below(bound: int, words: Iterator[int]) -> int:
    """A uniform integer below `bound` from uniform 64-bit words: a word in the last, incomplete run is thrown away."""
    fair = _WORDS - _WORDS % bound
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % bound


def shuffled(count: int, draw: Callable[[int], bytes]) -> Order:
    """A uniform order of 0 … count − 1, each step by rejection, so no order is favoured.

    `draw` gives uniform blocks of `count` words, by their number.
    """
    core, first = _core(), draw(0)
    made = core.drawn(first) if core is not None and count <= _CORE_MAX else None
    if made is not None:
        return made
    # Where the core gives nothing a word has to be thrown away: that somebody sees it, once in 2^50, tells no order.
    return order_of(_plainly(count, words_of(lambda index: draw(index) if index else first, count)))


def order_of(places: Sequence[int]) -> Order:
    """The order of these places: each of 0 … n − 1 exactly once, or it is refused."""
    return (_core() or PlainOrder)(places)


class PlainOrder:
    """`api.Order` where there is no core. Neither erased nor constant-time."""

    __slots__ = ("_places",)

    def __init__(self, places: Sequence[int], /) -> None:
        if not isinstance(places, Sequence) or isinstance(places, str | bytes | bytearray | memoryview):
            raise BadParameter(f"expected a sequence of places, got {type(places).__name__}")
        # Gone through once, and as many as it says: what is judged is what is kept.
        chosen = tuple(_number(place) for place in islice(places, len(places) + 1))
        if sorted(chosen) != list(range(len(chosen))):
            raise BadParameter(f"not an order of {len(chosen)} places")
        self._places = chosen

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Order reference n={len(self)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("orders cannot be pickled or copied")

    def inverse(self) -> PlainOrder:
        return PlainOrder(sorted(range(len(self)), key=self._places.__getitem__))

    def vartime_list(self) -> list[int]:
        return list(self._places)


def _number(place: object) -> int:
    """An integer as it is, whatever its class says it is equal to. A bool is one to Python, and a mistake to us."""
    if not isinstance(place, int) or isinstance(place, bool):
        raise BadParameter(f"expected a place, got {type(place).__name__}")
    return int.__index__(place)


def _plainly(count: int, words: Iterator[int]) -> list[int]:
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        chosen = below(last + 1, words)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def words_of(draw: Callable[[int], bytes], count: int) -> Iterator[int]:
    """The words of one block after the other."""
    index = 0
    while True:
        yield from struct.unpack(f"<{count}Q", draw(index))
        index += 1


@cache
def _core() -> type[core.Order] | None:
    """The native core's orders. A seat that runs without one runs on the reference, in time that tells the order."""
    if default_backend() != "native":
        return None
    from nodealer.group import native

    made: type[core.Order] = native.load().Order
    return made
