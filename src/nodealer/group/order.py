"""A secret order from secret words: Fisher–Yates, in constant time where the core is.

Everywhere the same order for the same words: what is drawn from a tape is drawn again from it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from nodealer.group import default_backend

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


def shuffled(count: int, draw: Callable[[int], bytes]) -> list[int]:
    """A uniform order of 0 … count − 1, each step by rejection, so no order is favoured.

    `draw` gives uniform blocks of `count` words, by their number.
    """
    core, first = _core(), draw(0)
    made = core(first) if core is not None and count <= _CORE_MAX else None
    if made is not None:
        return made
    # Where the core gives nothing a word has to be thrown away: that somebody sees it, once in 2^50, tells no order.
    return _plainly(count, words_of(lambda index: draw(index) if index else first, count))


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
def _core() -> Callable[[bytes], list[int] | None] | None:
    """What the native core does. A seat that runs without one runs on the reference, in time that tells the order."""
    if default_backend() != "native":
        return None
    from nodealer.group import native

    made: Callable[[bytes], list[int] | None] = native.load().fisher_yates
    return made
