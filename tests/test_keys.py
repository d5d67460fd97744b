"""Keys: what the libraries let through and we do not; and the core and `cryptography`, held to one rule."""

from __future__ import annotations

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
    LibraryCiphers,
    SigningKey,
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


def small_order_points() -> list[tuple[int, int]]:
    """The eight multiples of a point of order eight, found by clearing the large factor of some point's order."""
    order = 2**252 + 27742317777372353535851937790883648493
    y = 2
    while True:
        x = x_of(y)
        if x is not None:
            total, base, scalar = (0, 1), (x, y), order
            while scalar:
                total = added(total, base) if scalar & 1 else total
                base, scalar = added(base, base), scalar >> 1
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
        refuse_weak_key(encoded(y, 0))
        refuse_weak_key(encoded(y, 1))


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), "a" * 32, None, bytearray(32)])
def test_wrong_size_or_type(key: object) -> None:
    with pytest.raises(DecodeError):
        refuse_weak_key(key)  # type: ignore[arg-type]
    with pytest.raises(BadParameter):
        SigningKey(key)  # type: ignore[arg-type]


def test_signatures() -> None:
    key = SigningKey(bytes(range(32)))
    verifying = VerifyingKey(key.public)
    signature = key.sign(b"m")
    verifying.verify(signature, b"m")
    assert key.sign(b"m") == signature, "Ed25519 is deterministic: the same entry has the same bytes"
    for bad, message in ((signature, b"n"), (bytes(64), b"m"), (signature[:-1], b"m"), (b"", b"m")):
        with pytest.raises(BadSignature):
            verifying.verify(bad, message)
    # s + the group's order is another encoding of the same signature, and must not be taken for it.
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(signature[32:], "little") + order
    with pytest.raises(BadSignature):
        verifying.verify(signature[:32] + s.to_bytes(32, "little"), b"m")


def test_repr_shows_no_secret() -> None:
    secret = bytes(range(32))
    assert secret.hex()[:8] not in repr(SigningKey(secret))


# --- Both backends are one ---


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors(vector: dict[str, str | bool]) -> None:
    """Who is accepted must not depend on who looks: one case for each place where libraries differ."""
    key, message, signature = (bytes.fromhex(str(vector[name])) for name in ("key", "msg", "sig"))
    verifying = VerifyingKey(key)
    if vector["valid"]:
        verifying.verify(signature, message)
    else:
        with pytest.raises(BadSignature):
            verifying.verify(signature, message)


def test_rfc_8032() -> None:
    key = SigningKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
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
