"""Keys: what the libraries let through and we do not; and the core and `cryptography`, held to one rule."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from nodealer import keys
from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.keys import (
    Ciphers,
    CoreCiphers,
    Identity,
    LibraryCiphers,
    VerifyingKey,
    agree,
    agreement_key,
    derive,
    extract,
    refuse_weak_key,
    seal,
    unseal,
)
from nodealer.tape import framed

HAS_CORE = find_spec("nodealer.group._core") is not None
VECTORS = json.loads((Path(__file__).parent / "vectors" / "ed25519.json").read_text())


def made(name: str) -> Ciphers:
    if name == "library":
        return LibraryCiphers()
    if not HAS_CORE:
        pytest.skip("the native core is not built")
    from nodealer.group import native

    return CoreCiphers(native.load())


@pytest.fixture(params=["library", "core"], autouse=True)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Ciphers:
    """Every test of this file on both."""
    found = made(request.param)
    monkeypatch.setattr(keys, "ciphers", lambda: found)
    return found


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
ORDER = 2**252 + 27742317777372353535851937790883648493


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
    assert keys.ciphers().verifier(key)(signature, message) is row["valid"]


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


# --- Both backends are one ---


def test_rfc_8032() -> None:
    key = Identity(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    assert key.public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert key.sign(b"\x72").hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


def test_rfc_7748() -> None:
    alice = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    bob = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    assert agreement_key(alice).hex() == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    assert agreement_key(bob).hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    assert agree(alice, agreement_key(bob)).hex() == agree(bob, agreement_key(alice)).hex() == shared


@pytest.mark.parametrize("u", [0, 1, 2**255 - 19, 2**255 - 20, 2**255 - 18])
def test_an_agreement_key_of_small_order_is_refused(u: int) -> None:
    """With such a key everybody shares zero, whatever the secret is."""
    with pytest.raises(DecodeError, match="small order"):
        agree(bytes(range(32)), u.to_bytes(32, "little"))


def test_sealing() -> None:
    key, aad, text = bytes(range(32)), b"where it belongs", b"the words"
    sealed = seal(key, aad, text)
    assert len(sealed) == len(text) + keys.TAG_BYTES and unseal(key, aad, sealed) == text
    assert unseal(key, b"", seal(key, b"", b"")) == b""
    for at in range(len(sealed)):
        with pytest.raises(DecodeError, match="not sealed"):
            unseal(key, aad, sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :])
    for other_key, other_aad, other in (
        (bytes(32), aad, sealed),
        (key, b"elsewhere", sealed),
        (key, aad, sealed[:-1]),
        (key, aad, sealed[:8]),
        (key, aad, b""),
    ):
        with pytest.raises(DecodeError, match="not sealed"):
            unseal(other_key, other_aad, other)


def test_derivation_is_hkdf() -> None:
    secret = b"what both know"
    prk = extract("a salt", secret)
    for size in (1, 32, 64, 65, 200):
        info = ("label", 7, b"bytes")
        derived = derive(prk, *info, size=size)
        assert derived == HKDFExpand(SHA512(), size, framed(*info)).derive(prk)
        assert derived == HKDF(SHA512(), size, b"a salt", framed(*info)).derive(secret)


@pytest.mark.parametrize("bad", [b"", bytes(31), bytes(33), "a" * 32, None])
def test_keys_of_a_wrong_size(bad: object) -> None:
    key: Any = bad
    uses: list[Callable[[], bytes]] = [
        lambda: seal(key, b"", b""),
        lambda: unseal(key, b"", bytes(16)),
        lambda: agreement_key(key),
    ]
    for use in uses:
        with pytest.raises(BadParameter, match="32 bytes"):
            use()
    if isinstance(bad, bytes):
        with pytest.raises(DecodeError, match="32 bytes"):
            agree(bytes(32), bad)


@pytest.mark.skipif(not HAS_CORE, reason="the native core is not built")
def test_the_two_give_the_same_bytes_and_verdicts() -> None:
    core, library = made("core"), made("library")
    for index in range(40):
        secret, message = bytes([index]) * 32, bytes(range(index))
        (public, sign), (same, sign_again) = core.signer(secret), library.signer(secret)
        signature = sign(message)
        assert (public, signature) == (same, sign_again(message))
        assert core.seal(secret, message, message) == library.seal(secret, message, message)
        assert core.agree(secret, public) == library.agree(secret, public)
        for at in (0, 31, 32, 63):
            for flip in (1, 0x80):
                forged = signature[:at] + bytes([signature[at] ^ flip]) + signature[at + 1 :]
                assert core.verifier(public)(forged, message) is library.verifier(public)(forged, message) is False
        assert core.verifier(public)(signature, message) is library.verifier(public)(signature, message) is True


def test_the_backend_of_the_arithmetic_is_that_of_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name, kind in (("reference", LibraryCiphers), ("native", CoreCiphers)):
        if name == "native" and not HAS_CORE:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(keys, "default_backend", lambda name=name: name)
            assert isinstance(keys.ciphers.__wrapped__(), kind)
