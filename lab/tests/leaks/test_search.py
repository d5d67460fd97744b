"""That a secret is found however it is written, whole or in part; and that nothing else is."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Final
from urllib.parse import quote_from_bytes

import pytest

from conformance.harness import Source
from leaks.recorder import add_value
from leaks.search import Secrets
from nodealer.group import group

SECRET: Final = Source("a secret of all")(32)

#: Every way in which bytes are likely to be written.
WRITINGS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "raw": bytes,
    "hex": lambda data: data.hex().encode(),
    "HEX": lambda data: data.hex().upper().encode(),
    "hex with colons": lambda data: data.hex(":").encode(),
    "hex with spaces": lambda data: data.hex(" ").encode(),
    "hex of a number": lambda data: hex(int.from_bytes(data, "big")).encode(),
    "hex of hex": lambda data: data.hex().encode().hex().encode(),
    "a decimal number": lambda data: b"%d" % int.from_bytes(data, "big"),
    "base64": base64.b64encode,
    "base64 after a byte": lambda data: base64.b64encode(b"z" + data),
    "base64 after two bytes": lambda data: base64.b64encode(b"zz" + data),
    "base64 for addresses": base64.urlsafe_b64encode,
    "base64 of hex": lambda data: base64.b64encode(data.hex().encode()),
    "base64 of base64": lambda data: base64.b64encode(base64.b64encode(data)),
    "base32": base64.b32encode,
    "JSON numbers": lambda data: json.dumps(list(data)).encode(),
    "JSON numbers without spaces": lambda data: json.dumps(list(data), separators=(",", ":")).encode(),
    "JSON text": lambda data: json.dumps(data.decode("latin-1")).encode(),
    "text": lambda data: data.decode("latin-1").encode(),
    "Python's repr": lambda data: repr(data).encode(),
    "Python's repr of a bytearray": lambda data: repr(bytearray(data)).encode(),
    "Python's repr of a repr": lambda data: repr(repr(data)).encode(),
    "a tuple": lambda data: repr(tuple(data)).encode(),
    "percent signs": lambda data: quote_from_bytes(data).encode(),
    "limbs of 64 bits": lambda data: repr(
        [int.from_bytes(data[at : at + 8], "little") for at in (0, 8, 16, 24)]
    ).encode(),
}


def known() -> Secrets:
    found = Secrets()
    found.add("the secret", SECRET)
    return found


@pytest.mark.parametrize("writing", WRITINGS)
def test_every_writing_is_found(writing: str) -> None:
    """In the middle of other text, forwards and backwards; and the beginning, the middle and the end of it."""
    write, found, other = WRITINGS[writing], known(), Source("something else")(32)
    for order in (1, -1):
        assert found.find("here", b'{"a":"' + write(SECRET[::order]) + b'"}')
        assert found.find("here", b'{"a":"' + write(other[::order]) + b'"}') == []
    for part in (slice(0, 16), slice(9, 25), slice(16, 32), slice(3, 31)):
        if "limbs" not in writing:
            assert found.find("here", b"x" * 33 + b'"' + write(SECRET[part]) + b'"' + b"y" * 50), part


def test_eight_bytes_are_enough_and_seven_are_not() -> None:
    for at in range(25):
        assert known().find("here", b"x" * at + SECRET[at : at + 8])
        assert known().find("here", b"x" * at + SECRET[at : at + 7]) == []


def test_a_number_is_found_that_was_cut_off() -> None:
    digits = b"%d" % int.from_bytes(SECRET, "little")
    assert known().find("here", b"about " + digits[:20] + b"...")


def test_a_number_that_begins_with_zeros_is_found() -> None:
    """Scalars do: their first digit is always one."""
    small = bytes(1) + b"\x0f" + SECRET[2:]
    found = Secrets()
    found.add("small", small)
    for number in (int.from_bytes(small, "big"), int.from_bytes(small[::-1], "big")):
        assert (
            found.find("here", b"%x" % number)
            and found.find("here", b"%X" % number)
            and found.find("here", b"%d" % number)
        )


@pytest.mark.parametrize("name", ["ristretto255", "secp256k1"])
def test_what_gives_a_scalar_away_is_found(name: str) -> None:
    on, found = group(name), Secrets()
    drawn = b"".join(hashlib.sha512(b"%d" % at).digest() for at in range(2))
    add_value(found, "drawn", drawn[: 2 * on.wide_size], on)
    scalars = on.wide_scalars(drawn[: 2 * on.wide_size])
    for derived in (scalars, -scalars, scalars.invert()):
        for at in range(2):
            data = derived[at].to_bytes()
            for text in (
                base64.b64encode(data),
                hex(int.from_bytes(data, "little")).encode(),
                data[16:].hex().encode(),
            ):
                assert found.find("here", text)


def test_an_order_is_found() -> None:
    found, order = Secrets(), [5, 3, 0, 7, 1, 6, 2, 4]
    found.add_order("the order", order)
    turned = [order.index(place) for place in range(8)]
    for numbers in (order, turned):
        for text in (
            f"{numbers}",
            f"{tuple(numbers)}",
            json.dumps(numbers, separators=(",", ":")),
            repr(bytes(numbers)),
        ):
            assert found.find("here", b"order=" + text.encode()), text
    assert found.find("here", b"[5, 3, 0, 1, 7, 6, 2, 4]") == []
