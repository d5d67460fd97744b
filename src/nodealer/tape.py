"""A player's secrets: one root, a seed for each hand, and every value of a hand derived from its seed.

Nothing draws randomness in the middle of a game. A value is a function of the hand's seed, of a label, and of all the
public inputs it will be combined with; never of the head of the log. So two different statements never share
randomness, whatever a relay orders, drops or forks; the same statement always gives the same bytes, so a player that
was killed sends them again; and a player who opens the seed of one hand lets anybody make its messages of that hand
again, while all other hands stay closed.

The framed hashes that everybody uses stand here too.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Final

from nodealer.errors import BadParameter
from nodealer.group import Order
from nodealer.group.order import WORD, draw_order, iterate_words, uniform_below

ROOT_BYTES: Final = 32
SEED_BYTES: Final = 32
#: Digests are SHA-512 cut to 256 bits: 128-bit collision resistance, like the groups, at half the size on the wire.
DIGEST_BYTES: Final = 32

Item = bytes | str | int
#: Kind and length of a part.
_head: Final = struct.Struct("<cQ").pack


def framed(*items: Item) -> bytes:
    """One unambiguous byte string: each part with its kind and length before it, so that no part runs into the next."""
    parts: list[bytes] = []
    add = parts.append
    for item in items:
        if isinstance(item, bytes):
            add(_head(b"b", len(item)))
            add(item)
        elif isinstance(item, str):
            add(_framed_text(item) if parts else _framed_label(item))
        else:
            add(b"i" + item.to_bytes(8, "little"))
    return b"".join(parts)


def _framed_text(text: str) -> bytes:
    data = text.encode()
    return _head(b"s", len(data)) + data


#: What stands first is a word of this program: few, and the same ones all the time. Any other text may be a secret,
#: such as an invitation, and is not kept.
_framed_label: Final = lru_cache(maxsize=1024)(_framed_text)


def digest(label: str, *items: Item) -> bytes:
    """H(label, …): SHA-512 of the framed parts, cut to `DIGEST_BYTES`."""
    return hashlib.sha512(framed(label, *items)).digest()[:DIGEST_BYTES]


def expand(label: str, *items: Item, size: int) -> bytes:
    """XOF(label, …): SHAKE256 of the framed parts. The size is bound too: no output is a prefix of another."""
    return hashlib.shake_256(framed(label, *items, size)).digest(size)


@dataclass(frozen=True, repr=False)
class Tape:
    """The secrets of one seat in one hand. `seed` opens this hand and no other."""

    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_BYTES:
            raise BadParameter(f"a hand's seed has {SEED_BYTES} bytes")

    def __repr__(self) -> str:
        return "<Tape>"

    def draw(self, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        """Secret bytes for one purpose. `inputs` is the digest of everything public that they will meet."""
        return expand("value", self.seed, label, inputs, index, size=size)

    def permutation(self, label: str, inputs: bytes, count: int) -> Order:
        """A uniform secret order of 0 … count − 1: Fisher–Yates, each step by rejection, so no order is favoured."""
        return draw_order(count, partial(self._block, label, inputs, count))

    def below(self, label: str, inputs: bytes, bounds: Sequence[int]) -> tuple[int, ...]:
        """For each bound a uniform integer from 0 on and below it."""
        words = iterate_words(partial(self._block, label, inputs, len(bounds)), len(bounds))
        return tuple(uniform_below(bound, words) for bound in bounds)

    def _block(self, label: str, inputs: bytes, count: int, index: int) -> bytes:
        return self.draw(label, inputs, size=WORD * count, index=index)


def hand_tape(root: bytes, *, session: bytes, seat: int, hand: int) -> Tape:
    """The tape of one hand. The root never leaves the machine it was drawn on."""
    if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
        raise BadParameter(f"a root has {ROOT_BYTES} bytes")
    return Tape(expand("hand", root, session, seat, hand, size=SEED_BYTES))


def commitment(tape: Tape, *, session: bytes, seat: int, hand: int) -> bytes:
    """What a seat's first entry of a hand carries, so that an opened seed can be checked."""
    return digest("tape", session, seat, hand, tape.seed)
