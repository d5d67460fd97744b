"""Identity keys: what the library lets through, and what we do not."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.keys import Identity, VerifyingKey, refuse_weak_key, verify_signature

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
ORDER = 2**252 + 27742317777372353535851937790883648493
VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vectors" / "ed25519.json").read_text())


def encoded(y: int, sign: int) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def x_of(y: int) -> int | None:
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * ROOT_OF_MINUS_ONE % P
    return x if x * x % P == square else None


def added(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    (a, b), (c, d) = one, two
    product = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + product, -1, P) % P, (b * d + a * c) * pow(1 - product, -1, P) % P


def times(scalar: int, base: tuple[int, int]) -> tuple[int, int]:
    total = (0, 1)
    while scalar:
        total = added(total, base) if scalar & 1 else total
        base, scalar = added(base, base), scalar >> 1
    return total


def small_order_points() -> list[tuple[int, int]]:
    """The eight multiples of a point of order eight, found by clearing the large factor of some point's order."""
    y = 2
    while True:
        x = x_of(y)
        if x is not None:
            total = times(ORDER, (x, y))
            multiples = [(0, 1)]
            for _ in range(7):
                multiples.append(added(multiples[-1], total))
            if len(set(multiples)) == 8:
                return multiples
        y += 1


SMALL = small_order_points()
#: All encodings that some decoder reads as a point of small order: both signs, and y with p added where that fits.
ENCODINGS = sorted(
    {encoded(y, sign) for _, y in SMALL for sign in (0, 1)} | {encoded(y + P, s) for y in (0, 1) for s in (0, 1)}
)


@pytest.mark.parametrize("key", ENCODINGS, ids=lambda key: key.hex()[:8])
def test_small_order_is_refused(key: bytes) -> None:
    assert len(ENCODINGS) == 14
    with pytest.raises(DecodeError):
        VerifyingKey(key)


def test_one_signature_fits_every_message_under_a_small_order_key() -> None:
    """Why: the library takes the neutral element as a key, and R = the neutral element, s = 0 signs everything."""
    neutral = encoded(1, 0)
    key = Ed25519PublicKey.from_public_bytes(neutral)
    for message in (b"I fold", b"I raise", b"anything at all"):
        key.verify(neutral + bytes(32), message)
    with pytest.raises(DecodeError, match="small order"):
        refuse_weak_key(neutral)


@pytest.mark.parametrize("y", [P, P + 1, P + 2, P + 5, P + 18])
def test_non_canonical_is_refused(y: int) -> None:
    for sign in (0, 1):
        with pytest.raises(DecodeError, match="canonical"):
            refuse_weak_key(encoded(y, sign))


def test_off_the_curve_is_refused() -> None:
    off = [y for y in range(2, 40) if x_of(y) is None]
    on = [y for y in range(2, 40) if x_of(y) is not None]
    assert off and on
    for y in off:
        with pytest.raises(DecodeError, match="not a point"):
            refuse_weak_key(encoded(y, 0))
    for y in on:
        x = x_of(y)
        assert x is not None
        for sign in (0, 1):
            if times(ORDER, (x, y)) == (0, 1):
                refuse_weak_key(encoded(y, sign))
            else:
                with pytest.raises(DecodeError, match="mixed order"):
                    refuse_weak_key(encoded(y, sign))


def test_mixed_order_is_refused() -> None:
    """A good key with each of the seven points of small order added to it."""
    public = int.from_bytes(Identity(bytes(range(32))).public, "little")
    y, sign = public & (2**255 - 1), public >> 255
    x = x_of(y)
    assert x is not None
    good = (x if x & 1 == sign else P - x, y)
    for point in SMALL:
        mixed_x, mixed_y = added(good, point)
        key = encoded(mixed_y, mixed_x & 1)
        if point == (0, 1):
            VerifyingKey(key)
        else:
            with pytest.raises(DecodeError, match="mixed order"):
                VerifyingKey(key)


# --- The rule for signatures ---


def by_the_rule(key: bytes, signature: bytes, message: bytes) -> bool:
    """RFC 8032, 5.1.7, without the cofactor, in plain integers: S reduced, and the bytes of S·B − k·A are R."""
    number = int.from_bytes(key, "little")
    y, sign = number & (2**255 - 1), number >> 255
    x, s = x_of(y), int.from_bytes(signature[32:], "little")
    if y >= P or x is None or s >= ORDER:
        return False
    negative = (P - x if x & 1 == sign else x, y)
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    base_y = 4 * pow(5, -1, P) % P
    base_x = x_of(base_y)
    assert base_x is not None
    base = (P - base_x if base_x & 1 else base_x, base_y)
    r_x, r_y = added(times(s, base), times(k, negative))
    return encoded(r_y, r_x & 1) == signature[:32]


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: f"{row['name']} {row['msg'][-2:]}")
def test_the_vectors(row: dict[str, Any]) -> None:
    """Two readers of one rule: the library that is used, and plain integers."""
    key, signature, message = (bytes.fromhex(row[field]) for field in ("key", "sig", "msg"))
    assert by_the_rule(key, signature, message) is row["valid"]
    if row["valid"]:
        verify_signature(key, signature, message)
    else:
        with pytest.raises(BadSignature):
            verify_signature(key, signature, message)


def test_no_key_of_mixed_order_of_the_vectors_sits_at_a_table() -> None:
    keys = {(row["key"], "mixed" in row["name"] and "key" in row["name"]) for row in VECTORS}
    assert len(keys) == 2
    for key, mixed in keys:
        if mixed:
            with pytest.raises(DecodeError, match="mixed order"):
                VerifyingKey(bytes.fromhex(key))
        else:
            VerifyingKey(bytes.fromhex(key))


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), "a" * 32, None, bytearray(32)])
def test_wrong_size_or_type(key: object) -> None:
    with pytest.raises(DecodeError):
        refuse_weak_key(key)  # type: ignore[arg-type]
    with pytest.raises(BadParameter):
        Identity(key)  # type: ignore[arg-type]


def test_signatures() -> None:
    key = Identity(bytes(range(32)))
    verifying = VerifyingKey(key.public)
    signature = key.sign(b"m")
    verifying.verify(signature, b"m")
    assert key.sign(b"m") == signature, "Ed25519 is deterministic: the same entry has the same bytes"
    for bad, message in ((signature, b"n"), (bytes(64), b"m"), (signature[:-1], b"m"), (b"", b"m")):
        with pytest.raises(BadSignature):
            verifying.verify(bad, message)
    # s + the group's order is another encoding of the same signature, and must not be taken for it.
    s = int.from_bytes(signature[32:], "little") + ORDER
    with pytest.raises(BadSignature):
        verifying.verify(signature[:32] + s.to_bytes(32, "little"), b"m")


def test_repr_shows_no_secret() -> None:
    secret = bytes(range(32))
    assert secret.hex()[:8] not in repr(Identity(secret))
