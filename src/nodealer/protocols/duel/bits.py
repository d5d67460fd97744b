"""XOR as the cipher of source 004, with the interface of a group: strings of 256 bits, where `*` is XOR.

This way the eleven steps are written once for all modes. It is *not* a group in which anything is hard: anyone who
knows a card before and after one key was applied to the deck knows the key. `xor.py` of the lab shows the consequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Order

BYTES: Final = 32


@dataclass(frozen=True, repr=False)
class Bits:
    """Strings of 256 bits, used for cards (nonces) and keys. They may be secret, so `repr` hides them."""

    values: tuple[int, ...]

    def __repr__(self) -> str:
        """Return the number of strings, without their values."""
        return f"<Bits × {len(self.values)}>"

    @property
    def group(self) -> Group:
        """The XOR pseudo-group."""
        return XOR

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self.values)

    def __getitem__(self, key: int | slice) -> Bits:
        """Return one string or a slice, as an array."""
        return Bits(self.values[key] if isinstance(key, slice) else (self.values[key],))

    def __mul__(self, other: Bits) -> Bits:
        """XOR elementwise. An array of one is applied to every element of the other."""
        a, b = self.values, other.values
        a, b = (a * len(b) if len(a) == 1 else a), (b * len(a) if len(b) == 1 else b)
        return Bits(tuple(x ^ y for x, y in zip(a, b, strict=True)))

    def invert(self) -> Bits:
        """Return the array itself: XOR is its own inverse."""
        return self

    def take(self, indices: Sequence[int] | Order) -> Bits:
        """Return the strings at these indices, in this order."""
        # In Python, without constant time: XOR does not keep the order secret anyway.
        places = indices.vartime_list() if isinstance(indices, Order) else indices
        return Bits(tuple(self.values[place] for place in places))

    def concat(self, others: Sequence[Bits]) -> Bits:
        """Return these strings followed by those of the others."""
        return Bits(sum((other.values for other in others), self.values))

    def first_zero(self) -> int | None:
        """Return the index of the first string that is all zeros, or None."""
        return None if 0 not in self.values else self.values.index(0)

    def to_bytes(self) -> bytes:
        """Return all strings, 32 bytes each, big-endian."""
        return b"".join(value.to_bytes(BYTES, "big") for value in self.values)


class XorGroup:
    """The part of the group interface that the modes without proofs use."""

    name = "xor"
    backend = "none"
    scalar_size = point_size = wide_size = uniform_size = BYTES

    def points(self, data: bytes) -> Bits:
        """Decode strings. Unlike points of a group, all of them are valid."""
        if not data or len(data) % BYTES:
            raise DecodeError(f"{len(data)} bytes cannot be split into strings of {BYTES}")
        return Bits(tuple(int.from_bytes(data[at : at + BYTES], "big") for at in range(0, len(data), BYTES)))

    scalars = wide_scalars = points

    def products(self, scalars: Bits, points: Bits) -> Bits:
        """Return the elementwise XOR of both."""
        return scalars * points

    def integers(self, values: Sequence[int]) -> Bits:
        """Return the neutral key for every 1, as in the groups. No other number is allowed."""
        if any(value != 1 for value in values):
            raise BadParameter("XOR has no numbers except 1, the neutral key")
        return Bits((0,) * len(values))


XOR: Final = cast(Group, cast(Any, XorGroup()))
