"""Looks for secrets in what left a seat, however they are written down.

A place is a find if the first `WIDTH` letters of a secret's writing stand there: so a secret that was cut off is found
too. All places of a text are looked up in one table, so a thousand secrets cost as much as one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

#: How much of a writing has to be there. 8 bytes of a secret in hex: by chance once in 2^64 / (letters × secrets).
WIDTH: Final = 16


def writings(secret: bytes) -> Iterator[tuple[str, bytes]]:
    """Every way in which bytes are likely to be written, each by its name."""
    for order, data in (("", secret), (" backwards", secret[::-1])):
        yield f"raw{order}", data
        yield f"hex{order}", data.hex().encode()
        yield f"HEX{order}", data.hex().upper().encode()
        yield f"decimal{order}", b"%d" % int.from_bytes(data, "big")
    for offset in range(3):
        # In the middle of something longer: the first letters hang on what stands before.
        standard = base64.b64encode(bytes(offset) + secret)[(0, 2, 3)[offset] :].rstrip(b"=")[:-1]
        yield f"base64 at {offset}", standard
        yield f"base64url at {offset}", standard.translate(bytes.maketrans(b"+/", b"-_"))
    numbers = list(secret)
    yield "JSON numbers", json.dumps(numbers)[1:].encode()
    yield "JSON numbers without spaces", json.dumps(numbers, separators=(",", ":"))[1:].encode()
    yield "JSON text", json.dumps(secret.decode("latin-1"))[1:-1].encode()
    yield "Python's repr", repr(secret)[2:-1].encode()


def orders(order: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    """How a secret order may be written."""
    numbers = list(order)
    yield "an order as JSON", json.dumps(numbers)[:-1].encode()
    yield "an order as JSON without spaces", json.dumps(numbers, separators=(",", ":"))[:-1].encode()
    yield "an order as a tuple", repr(tuple(numbers))[:-1].encode()
    yield "an order as bytes", bytes(numbers)


@dataclass(frozen=True)
class Find:
    """A secret where none should be."""

    secret: str
    writing: str
    where: str


@dataclass
class Secrets:
    """What must not be found, with names."""

    _table: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    count: int = 0

    def add(self, name: str, secret: bytes) -> None:
        """Bytes: a seed, a scalar, a key."""
        self._put(name, writings(secret))

    def add_order(self, name: str, order: Iterable[int]) -> None:
        """A permutation. Short ones stand everywhere by chance."""
        self._put(name, orders(order))

    def _put(self, name: str, written: Iterable[tuple[str, bytes]]) -> None:
        self.count += 1
        for writing, data in written:
            if len(data) >= WIDTH:
                self._table.setdefault(data[:WIDTH], (name, writing))

    def find(self, where: str, text: bytes) -> list[Find]:
        """Every secret in a text, once."""
        table = self._table
        ends = range(WIDTH, len(text) + 1)
        there = {window for end in ends if (window := text[end - WIDTH : end]) in table}
        return sorted((Find(*table[window], where) for window in there), key=lambda find: (find.secret, find.writing))
