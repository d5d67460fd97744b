"""Looks for secrets in what left a seat, however they are written down.

A text is read in every way in which somebody may have written bytes in it, and what was read is read once more: base64
of hex is found as hex in base64. Eight bytes in a row of a secret, forwards or backwards, in any reading, are a find:
so a piece is found as the whole is, wherever it was cut. All places are looked up in one table, so a thousand secrets
cost as much as one.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

#: How many bytes of a secret have to be there: by chance once in 2^64 / (bytes read × bytes of secrets).
WIDTH: Final = 8
#: How many digits of a number that was cut off. Those of a whole one are its bytes.
DIGITS: Final = 16
#: An order is this long at least: shorter ones stand everywhere by chance.
ORDER: Final = 6
#: How often what was read is read again.
DEPTH: Final = 2

# --- How a text may be read ---

_HEX: Final = re.compile(rb"[0-9a-fA-F]{%d,}" % (2 * WIDTH - 1))
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]{11,}")
_BASE32: Final = re.compile(rb"[A-Z2-7]{13,}")
_DIGITS: Final = re.compile(rb"[0-9]{%d,4000}" % DIGITS)
_NUMBERS: Final = re.compile(rb"[0-9]{1,3}(?:, ?[0-9]{1,3}){%d,}" % (ORDER - 1))
_ESCAPED: Final = re.compile(rb"(?:\\x|\\u00|%)([0-9a-fA-F]{2})|\\([abtnvfr'\"/\\])")
_LETTERS: Final = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))
_URL: Final = bytes.maketrans(b"-_", b"+/")


def _hex(text: bytes) -> bytes:
    """Also with spaces, colons or line ends between, and of numbers that begin with zeros: so from both digits on."""
    runs = _HEX.findall(text.translate(None, b" :\r\n"))
    return b"".join(bytes.fromhex(run[at : at + (len(run) - at) // 2 * 2].decode()) for run in runs for at in (0, 1))


def _base64(text: bytes) -> bytes:
    joined = _joined(_BASE64.findall(text), 4).translate(_URL)
    return b"".join(binascii.a2b_base64(shifted) for shifted in _shifted(joined, 4))


def _base32(text: bytes) -> bytes:
    joined = _joined(_BASE32.findall(text), 8)
    return b"".join(base64.b32decode(shifted) for shifted in _shifted(joined, 8))


def _joined(runs: Sequence[bytes], size: int) -> bytes:
    """Runs of letters one after the other, each from a multiple of `size` on."""
    return b"".join(run + b"A" * (size + -len(run) % size) for run in runs)


def _shifted(letters: bytes, size: int) -> Iterator[bytes]:
    """What stands in the middle of something longer begins at any letter of a group."""
    for at in range(size if letters else 0):
        yield letters[at:] + b"A" * at


def _digits(text: bytes) -> bytes:
    """Numbers, by their bytes: 64 bits of a secret are enough."""
    numbers = map(int, _DIGITS.findall(text))
    return b"".join(number.to_bytes(-(-number.bit_length() // 8), "big") + bytes(WIDTH) for number in numbers)


def _numbers(text: bytes) -> bytes:
    """Lists and tuples of bytes."""
    return b"\xff\xff".join(
        bytes(number for number in map(int, run.split(b",")) if number < 256) for run in _NUMBERS.findall(text)
    )


def _unescaped(text: bytes) -> bytes:
    """As JSON, Python and addresses escape bytes."""
    if not any(mark in text for mark in (b"\\x", b"\\u00", b"%", b"\\\\")):
        return b""
    return _ESCAPED.sub(_letter, text)


def _letter(found: re.Match[bytes]) -> bytes:
    code, letter = found.groups()
    return bytes([int(code, 16)]) if code else bytes([_LETTERS.get(letter[0], letter[0])])


def _characters(text: bytes) -> bytes:
    """Bytes as characters of a text that was encoded again."""
    if text.isascii():
        return b""
    try:
        return text.decode().encode("latin-1", errors="ignore")
    except UnicodeDecodeError:
        return b""


_WAYS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "hex": _hex,
    "base64": _base64,
    "base32": _base32,
    "digits": _digits,
    "numbers": _numbers,
    "escapes": _unescaped,
    "characters": _characters,
}


def readings(text: bytes, depth: int = DEPTH, way: str = "") -> Iterator[tuple[str, bytes]]:
    """What may be meant by a text, each by its name: the bytes themselves, and what they can be read as."""
    yield way or "raw", text
    for name, read in _WAYS.items() if depth else ():
        # Escapes are for people: in bytes that were read they stand by chance.
        if (read is not _unescaped or not way or text.isascii()) and (found := read(text)):
            yield from readings(found, depth - 1, f"{name} in {way}" if way else name)


# --- What is looked for ---


@dataclass(frozen=True)
class Find:
    """A secret where none should be."""

    secret: str
    writing: str
    where: str


@dataclass
class Secrets:
    """What must not be found, with names."""

    _table: dict[int, str] = field(default_factory=dict)
    _begun: dict[bytes, str] = field(default_factory=dict)
    _orders: dict[bytes, str] = field(default_factory=dict)
    _known: set[bytes] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many there are, each once."""
        return len(self._known)

    def add(self, name: str, secret: bytes) -> None:
        """Bytes: a seed, a scalar, a key."""
        if secret in self._known:
            return
        self._known.add(secret)
        for data in (secret, secret[::-1]):
            for view in windows(data):
                self._table.update(dict.fromkeys(view, name))
            self._begun.setdefault((b"%d" % int.from_bytes(data, "big"))[:DIGITS], name)

    def add_order(self, name: str, order: Iterable[int]) -> None:
        """A permutation, and what turns it round."""
        places = list(order)
        turned = sorted(range(len(places)), key=places.__getitem__)
        for numbers in (places, turned):
            if len(numbers) >= ORDER and max(numbers) < 256:
                self._known.add(bytes(numbers))
                self._orders.setdefault(bytes(numbers), name)

    def find(self, where: str, text: bytes) -> list[Find]:
        """Every secret in a text, once for each way in which it is written there."""
        found = {Find(name, way, where) for way, data in readings(text) for name in self._in(way, data)}
        return sorted(found, key=lambda find: (find.secret, find.writing))

    def _in(self, way: str, data: bytes) -> Iterator[str]:
        table = self._table
        for view in windows(data):
            # No byte is touched by a loop of Python's own, unless there is something.
            if not table.keys().isdisjoint(view):
                yield from {table[window] for window in view if window in table}
        for run in _DIGITS.findall(data) if self._begun else ():
            if name := self._begun.get(run[:DIGITS]):
                yield name
        if self._orders and way.startswith(("raw", "numbers", "escapes")):
            yield from {name for order, name in self._orders.items() if order in data}


def windows(data: bytes) -> Iterator[memoryview[int]]:
    """Every eight bytes in a row, as numbers: those from the first byte on, from the second, and so on."""
    whole = memoryview(data)
    for at in range(min(WIDTH, len(data) - WIDTH + 1)):
        yield whole[at : at + (len(data) - at) // WIDTH * WIDTH].cast("Q")
