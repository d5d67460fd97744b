"""A player's secrets: one root, a seed for each hand, and every value of a hand derived from its seed.

No randomness is drawn during a game. A value is a function of the hand's seed, a label, and all public inputs it will
be combined with, but never of the head of the log. Therefore:

- Two different statements never share randomness, whatever a relay reorders, drops or forks.
- The same statement always gives the same bytes, so a player whose program crashed sends them again.
- If a player opens the seed of one hand, anyone can recompute their messages of that hand. All other hands stay secret.

This module also has the framed hashes that the whole package uses.
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
#: Digests are SHA-512 truncated to 256 bits: 128-bit collision resistance, like the groups, at half the size.
DIGEST_BYTES: Final = 32

Item = bytes | str | int
#: Packs the kind and the length of a part.
_head: Final = struct.Struct("<cQ").pack


def framed(*items: Item) -> bytes:
    """Encode items as one unambiguous byte string: each is preceded by its kind and its length."""
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
    """Return a text with its type and length in front."""
    data = text.encode()
    return _head(b"s", len(data)) + data


#: The first item is a label: one of a few constants, so it is cached. Any other text may be a secret, such as an
#: invitation, and is not.
_framed_label: Final = lru_cache(maxsize=1024)(_framed_text)


def digest(label: str, *items: Item) -> bytes:
    """Return H(label, …): SHA-512 of the framed items, truncated to `DIGEST_BYTES`."""
    return hashlib.sha512(framed(label, *items)).digest()[:DIGEST_BYTES]


def expand(label: str, *items: Item, size: int) -> bytes:
    """Return XOF(label, …): SHAKE256 of the framed items and the size, so that no output is a prefix of another."""
    return hashlib.shake_256(framed(label, *items, size)).digest(size)


@dataclass(frozen=True, repr=False)
class Tape:
    """The source of one seat's secrets in one hand. `seed` reveals this hand and no other."""

    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless the seed has the right size."""
        if not isinstance(self.seed, bytes) or len(self.seed) != SEED_BYTES:
            raise BadParameter(f"a hand's seed must have {SEED_BYTES} bytes")

    def __repr__(self) -> str:
        """Return text that does not reveal the seed."""
        return "<Tape>"

    def draw(self, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
        """Return secret bytes for one purpose. `inputs` must be a digest of all public values combined with them."""
        return expand("value", self.seed, label, inputs, index, size=size)

    def permutation(self, label: str, inputs: bytes, count: int) -> Order:
        """Return a uniform secret order of 0 … count − 1: Fisher–Yates with rejection sampling, so without bias."""
        return draw_order(count, partial(self._block, label, inputs, count))

    def draw_below(self, label: str, inputs: bytes, bounds: Sequence[int]) -> tuple[int, ...]:
        """Return, for each bound, a uniform integer in [0, bound)."""
        words = iterate_words(partial(self._block, label, inputs, len(bounds)), len(bounds))
        return tuple(uniform_below(bound, words) for bound in bounds)

    def _block(self, label: str, inputs: bytes, count: int, index: int) -> bytes:
        """Return the index-th block of `count` words."""
        return self.draw(label, inputs, size=WORD * count, index=index)


# defence: coalition, opened-book, predict
def hand_tape(root: bytes, *, session: bytes, seat: int, hand: int) -> Tape:
    """Derive the tape of one hand. The root never leaves the machine it was drawn on."""
    if not isinstance(root, bytes) or len(root) != ROOT_BYTES:
        raise BadParameter(f"a root must have {ROOT_BYTES} bytes")
    return Tape(expand("hand", root, session, seat, hand, size=SEED_BYTES))


def seed_commitment(tape: Tape, *, session: bytes, seat: int, hand: int) -> bytes:
    """Return the commitment in a seat's first entry of a hand, against which an opened seed is checked."""
    return digest("tape", session, seat, hand, tape.seed)
