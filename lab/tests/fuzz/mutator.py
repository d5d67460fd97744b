"""Bytes made of other bytes: what a fuzzer does where there is no atheris, the same in every run."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Final

from conformance.harness import Source

#: What readers stumble over.
WORDS: Final = (
    b"null", b"true", b"-1", b"-0", b"0", b"1e9", b"9007199254740993", b"18446744073709551616", b"1.0", b'""', b"{}",
    b"[]", b"[" * 70, b'{"a":' * 70, b"\\u0000", b"\\ud800", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\n",
    b"\r", b"\t", b"\x00", b" ", b'"type"', b'"type":"leave"', b"==", b"9" * 5000, b"#", b"%00", b"../",
)  # fmt: skip
#: Elements of a group that no honest message has: zero and the identity, and encodings that are none.
ELEMENTS: Final = (
    bytes(32), b"\xff" * 32, (1).to_bytes(32, "little"), (1).to_bytes(32, "big"),
    (2**252 + 27742317777372353535851937790883648493).to_bytes(32, "little"), b"\x02" + bytes(32),
)  # fmt: skip
#: Values of JSON where others stand: what is read stays JSON, and says something else.
VALUES: Final = (
    b"null", b"true", b"-1", b"0", b"1", b"2", b"99", b"9007199254740992", b"999999999999999999999999999999", b"0.5",
    b'""', b'"a"', b'"A\\u0000"', b'"\xe2\x80\xae"', b'"-"', b'"{}"', b"[]", b"[0]", b"[0,0]", b"{}",
    b'{"type":"leave"}', b'"' + b"0" * 64 + b'"', b'"' + b"x" * 300 + b'"', b"[" * 65 + b"]" * 65,
)  # fmt: skip
#: A name, or a value.
_VALUE: Final = re.compile(rb'"[^"\\]*":|("[^"\\]*"|-?[0-9]+|true|false|null)')
_BASE64: Final = re.compile(rb'"([A-Za-z0-9+/]{12,}={0,2})"')


class Mutator:
    """Makes new inputs of those that are there."""

    def __init__(self, seed: str, corpus: Sequence[bytes], largest: int) -> None:
        self._dice = Source(seed)
        self._corpus = tuple(corpus) or (b"",)
        self._largest = largest
        self._ways: tuple[Callable[[bytes], bytes], ...] = (
            self._flipped, self._cut, self._doubled, self._with_word, self._spliced, self._inside, self._noise,
            self._another_value,
        )  # fmt: skip

    def next(self) -> bytes:
        """One more."""
        data = self._corpus[self._below(len(self._corpus))]
        for _ in range(1 + self._below(3)):
            data = self._ways[self._below(len(self._ways))](data)
        return data[: self._largest]

    def _below(self, bound: int) -> int:
        return self._dice.below(bound)

    def _place(self, data: bytes) -> int:
        return self._below(len(data) + 1)

    def _flipped(self, data: bytes) -> bytes:
        at = self._place(data)
        return data[:at] + bytes(byte ^ (1 << self._below(8)) for byte in data[at : at + 1]) + data[at + 1 :]

    def _cut(self, data: bytes) -> bytes:
        at = self._place(data)
        return data[:at] + data[at + 1 + self._below(8) :]

    def _doubled(self, data: bytes) -> bytes:
        at, size = self._place(data), 1 + self._below(64)
        return data[: at + size] + data[at:]

    def _with_word(self, data: bytes) -> bytes:
        at, word = self._place(data), WORDS[self._below(len(WORDS))]
        return data[:at] + word + data[at + self._below(2) * len(word) :]

    def _spliced(self, data: bytes) -> bytes:
        other = self._corpus[self._below(len(self._corpus))]
        return data[: self._place(data)] + other[self._place(other) :]

    def _noise(self, data: bytes) -> bytes:
        at = self._place(data)
        return data[:at] + self._dice(1 + self._below(16)) + data[at:]

    def _another_value(self, data: bytes) -> bytes:
        """Another value, and the JSON around it as it was."""
        found = [one for one in _VALUE.finditer(data) if one[1] is not None]
        if not found:
            return data
        one, values = found[self._below(len(found))], (*VALUES, found[self._below(len(found))][1])
        return data[: one.start()] + values[self._below(len(values))] + data[one.end() :]

    def _inside(self, data: bytes) -> bytes:
        """Another element in what is written in base64, and all around it as it was."""
        found = list(_BASE64.finditer(data))
        if not found:
            at, element = self._place(data) // 32 * 32, ELEMENTS[self._below(len(ELEMENTS))]
            return data[:at] + element + data[at + len(element) :]
        one = found[self._below(len(found))]
        try:
            inner = base64.b64decode(one[1], validate=True)
        except binascii.Error:
            return data
        at = self._below(max(1, len(inner) // 32)) * 32 + self._below(2)
        element = (*ELEMENTS, inner[:32], inner[-32:])[self._below(len(ELEMENTS) + 2)]
        changed = inner[:at] + element + inner[at + len(element) :]
        return data[: one.start(1)] + base64.b64encode(changed[: len(inner)]) + data[one.end(1) :]
