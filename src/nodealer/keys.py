"""Identities, sealing and key agreement: Ed25519, X25519, ChaCha20-Poly1305, and HKDF with SHA-512. Strict.

The native core implements them. Without it, `cryptography` does the same, byte for byte and verdict for verdict, as the
test vectors ensure. This is the only module that uses either.

Signatures are verified without the cofactor, S must be reduced, and R is compared as bytes (RFC 8032, 5.1.7, without
the factor 8). A key is accepted only if it is the canonical encoding of a point of the prime-order group: for a key of
small order one signature fits every message, and for a key of mixed order two honest readers could disagree.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import cache, cached_property, lru_cache
from types import ModuleType
from typing import Final, Protocol

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.group import default_backend
from nodealer.tape import Item, digest, expand, framed

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
#: The size of the fingerprint of a host's key in an invitation.
MARK_BYTES: Final = 16
#: How many bytes sealing adds to a text.
TAG_BYTES: Final = 16

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_I: Final = pow(2, (_P - 1) // 4, _P)
#: The y coordinates of the eight points whose order divides 8 (RFC 8032's curve): 1, -1, 0 and two of order 8.
_Y8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER_Y: Final = frozenset({1, _P - 1, 0, _Y8, _P - _Y8})
#: The same points as X25519 represents them, u = (1 + y) / (1 - y), and one of order 4 on the twist.
_SMALL_ORDER_U: Final = frozenset(
    {0, 1, _P - 1} | {(1 + y) * pow(1 - y, -1, _P) % _P for y in (_Y8, _P - _Y8)},
)

#: x, y, z and t = xy/z, in plain integers. Used for public points only.
_Point = tuple[int, int, int, int]


class Ciphers(Protocol):
    """The operations that a backend must provide. Its callers guarantee keys and secrets of the right length."""

    def signer(self, secret: bytes) -> tuple[bytes, Callable[[bytes], bytes]]:
        """Return the public key and a function that signs a message."""

    def verifier(self, key: bytes) -> Callable[[bytes, bytes], bool]:
        """Return a function that tells whether a signature fits a message. No batching: it would accept others."""

    def seal(self, key: bytes, aad: bytes, plaintext: bytes) -> bytes:
        """Encrypt and authenticate `plaintext`, and authenticate `aad`."""

    def open(self, key: bytes, aad: bytes, sealed: bytes) -> bytes | None:
        """Return the plaintext, or None if it was not sealed with this key and this `aad`."""

    def agree(self, secret: bytes, public: bytes) -> bytes:
        """Return the X25519 shared secret: all zeros for a public key of small order."""


class CoreCiphers:
    """The operations of the native core."""

    def __init__(self, core: ModuleType) -> None:
        """Use the functions of this native module."""
        self._core = core

    def signer(self, secret: bytes) -> tuple[bytes, Callable[[bytes], bytes]]:
        """Return the Ed25519 public key and a function that signs a message."""
        key = self._core.Ed25519Signing(secret)
        return key.public, key.sign

    def verifier(self, key: bytes) -> Callable[[bytes, bytes], bool]:
        """Return a function that tells whether an Ed25519 signature fits a message."""
        verify: Callable[[bytes, bytes], bool] = self._core.Ed25519Verifying(key).verify
        return verify

    def seal(self, key: bytes, aad: bytes, plaintext: bytes) -> bytes:
        """Encrypt and authenticate `plaintext`, and authenticate `aad`. Use each key only once."""
        sealed: bytes = self._core.seal_once(key, aad, plaintext)
        return sealed

    def open(self, key: bytes, aad: bytes, sealed: bytes) -> bytes | None:
        """Return the plaintext, or None if it was not sealed with this key and this `aad`."""
        opened: bytes | None = self._core.open_once(key, aad, sealed)
        return opened

    def agree(self, secret: bytes, public: bytes) -> bytes:
        """Return the X25519 shared secret: all zeros for a public key of small order."""
        shared: bytes = self._core.x25519(secret, public)
        return shared


class LibraryCiphers:
    """The operations of the package `cryptography`, which is imported when the first key is created."""

    def __init__(self) -> None:
        """Import the package `cryptography`. Raise `ImportError` if it is not installed."""
        from cryptography.exceptions import InvalidSignature, InvalidTag
        from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        self._invalid, self._bad_tag = InvalidSignature, InvalidTag
        self._ed25519, self._x25519, self._chacha = ed25519, x25519, ChaCha20Poly1305

    def signer(self, secret: bytes) -> tuple[bytes, Callable[[bytes], bytes]]:
        """Return the Ed25519 public key and a function that signs a message."""
        key = self._ed25519.Ed25519PrivateKey.from_private_bytes(secret)
        return key.public_key().public_bytes_raw(), key.sign

    def verifier(self, key: bytes) -> Callable[[bytes, bytes], bool]:
        """Return a function that tells whether an Ed25519 signature fits a message."""
        public = self._ed25519.Ed25519PublicKey.from_public_bytes(key)

        def verify(signature: bytes, message: bytes) -> bool:
            """Return whether the signature fits the message."""
            try:
                public.verify(signature, message)
            except self._invalid:
                return False
            return True

        return verify

    def seal(self, key: bytes, aad: bytes, plaintext: bytes) -> bytes:
        """Encrypt and authenticate `plaintext`, and authenticate `aad`. Use each key only once: the nonce is fixed."""
        return self._chacha(key).encrypt(bytes(12), plaintext, aad)

    def open(self, key: bytes, aad: bytes, sealed: bytes) -> bytes | None:
        """Return the plaintext, or None if it was not sealed with this key and this `aad`."""
        try:
            return self._chacha(key).decrypt(bytes(12), sealed, aad)
        except self._bad_tag:
            return None

    def agree(self, secret: bytes, public: bytes) -> bytes:
        """Return the X25519 shared secret: all zeros for a public key of small order."""
        key = self._x25519.X25519PrivateKey.from_private_bytes(secret)
        try:
            return key.exchange(self._x25519.X25519PublicKey.from_public_bytes(public))
        except ValueError:
            return bytes(KEY_BYTES)


@cache
def ciphers() -> Ciphers:
    """Return the operations of the backend that does all arithmetic."""
    if default_backend() != "native":
        return LibraryCiphers()
    from nodealer.group import native

    return CoreCiphers(native.load())


# --- Signatures ---


def refuse_weak_key(key: bytes) -> None:
    """Raise `DecodeError` unless `key` may identify a player."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise DecodeError(f"an identity key has {KEY_BYTES} bytes")
    _refuse_weak_point(key)


@lru_cache(maxsize=1024)
def _refuse_weak_point(key: bytes) -> None:
    """Raise `DecodeError` unless the key is a point of prime order. Cached: this takes as long as twenty signatures."""
    number = int.from_bytes(key, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    if y >= _P:
        raise DecodeError("the identity key is not canonical")
    if y in _SMALL_ORDER_Y:
        raise DecodeError("the identity key is of small order")
    # x² = (y² − 1) / (d·y² + 1): a point on the curve exists if that is a square. x is never 0 here.
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    x = x if x * x % _P == square else x * _I % _P
    if x * x % _P != square:
        raise DecodeError(f"the identity key is not a point of the curve (sign {sign})")
    # With the other sign the point is the negative, which has the same order.
    x, y, z, _ = _multiply(_L, (x, y, 1, x * y % _P))
    if x != 0 or y != z:
        raise DecodeError("the identity key is of mixed order")


def _multiply(scalar: int, point: _Point) -> _Point:
    """Return scalar·point, by double-and-add."""
    total = (0, 1, 1, 0)
    for bit in f"{scalar:b}":
        total = _double(total)
        if bit == "1":
            total = _add(total, point)
    return total


def _add(p: _Point, q: _Point) -> _Point:
    """Add two points (RFC 8032, section 5.1.4). The formula is complete: there are no special cases."""
    (x1, y1, z1, t1), (x2, y2, z2, t2) = p, q
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * t1 * t2 % _P * _D, 2 * z1 * z2
    e, f, g, h = (b - a) % _P, (d - c) % _P, (d + c) % _P, (b + a) % _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _double(p: _Point) -> _Point:
    """Double a point (RFC 8032, section 5.1.4)."""
    x, y, z, _ = p
    a, b = x * x, y * y
    h, g = a + b, (a - b) % _P
    e = (h - (x + y) * (x + y)) % _P
    f = (2 * z * z + g) % _P
    h %= _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def refuse_weak_box(box: bytes) -> None:
    """Raise `DecodeError` unless secrets may be sealed to `box`. Anyone could open them if its order were small."""
    if not isinstance(box, bytes) or len(box) != KEY_BYTES:
        raise DecodeError(f"a box key has {KEY_BYTES} bytes")
    u = int.from_bytes(box, "little")
    if u >= _P:
        raise DecodeError("the box key is not canonical")
    if u in _SMALL_ORDER_U:
        raise DecodeError("the box key is of small order")


def host_mark(key: bytes) -> bytes:
    """Return the fingerprint of the host's key for an invitation. Finding another key that fits takes 2^128 tries."""
    return digest("host key", key)[:MARK_BYTES]


def box_signed_bytes(key: bytes, box: bytes) -> bytes:
    """Return the bytes that an identity signs to confirm that a box key is its own."""
    return framed("nodealer/box/v1", key, box)


class Identity:
    """A player's long-term secrets, from a seed independent of the tape: opening a hand never reveals them."""

    def __init__(self, seed: bytes) -> None:
        """Derive the keys. Raise `BadParameter` unless the seed has the right size."""
        _refuse_size(seed, "the seed of an identity")
        self._seed = seed
        self.public, self._sign = ciphers().signer(seed)

    def __repr__(self) -> str:
        """Return the beginning of the public key, and nothing secret."""
        return f"<Identity {self.public.hex()[:16]}>"

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._sign(message)

    @cached_property
    def box(self) -> bytes:
        """The public key to which others seal secrets for this player. A separate key, not converted from `public`."""
        return agreement_key(self.box_secret)

    @property
    def box_secret(self) -> bytes:
        """The secret key that opens what is sealed to `box`."""
        return expand("nodealer box", self._seed, size=KEY_BYTES)

    @cached_property
    def box_signature(self) -> bytes:
        """The identity's signature over `box`, which proves that it is this player's."""
        return self.sign(box_signed_bytes(self.public, self.box))


class VerifyingKey:
    """A player's public key, checked on construction. Raises `DecodeError` if the key is weak."""

    def __init__(self, key: bytes) -> None:
        """Raise `DecodeError` if the key is weak or not a key."""
        refuse_weak_key(key)
        self._verify = ciphers().verifier(key)

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raise `BadSignature`, which blames no one, unless this key made the signature."""
        if not self._verify(signature, message):
            raise BadSignature("a signature does not verify")


# --- Sealing ---


def seal(key: bytes, aad: bytes, plaintext: bytes) -> bytes:
    """Encrypt with ChaCha20-Poly1305 and nonce 0. The key must never seal a second text."""
    _refuse_size(key, "a sealing key")
    return ciphers().seal(key, aad, plaintext)


def unseal(key: bytes, aad: bytes, sealed: bytes) -> bytes:
    """Return the plaintext. Raise `DecodeError` if it was not sealed with this key and this `aad`."""
    _refuse_size(key, "a sealing key")
    opened = ciphers().open(key, aad, sealed)
    if opened is None:
        raise DecodeError("the text was not sealed with this key")
    return opened


# --- Agreement and derivation ---


def agreement_key(secret: bytes) -> bytes:
    """Return the public X25519 key of a secret."""
    _refuse_size(secret, "an agreement key")
    return ciphers().agree(secret, (9).to_bytes(KEY_BYTES, "little"))


def agree(secret: bytes, public: bytes) -> bytes:
    """Return the X25519 shared secret. Raise `DecodeError` for a public key of small order, which always gives zero."""
    _refuse_size(secret, "an agreement key")
    if len(public) != KEY_BYTES:
        raise DecodeError(f"an agreement key has {KEY_BYTES} bytes")
    shared = ciphers().agree(secret, public)
    if hmac.compare_digest(shared, bytes(KEY_BYTES)):
        raise DecodeError("the agreement key is of small order")
    return shared


def extract(salt: str, secret: bytes) -> bytes:
    """Extract a key with HKDF and SHA-512 (RFC 5869)."""
    return hmac.digest(salt.encode(), secret, hashlib.sha512)


def derive(key: bytes, *info: Item, size: int) -> bytes:
    """Expand a key with HKDF and SHA-512 (RFC 5869), with the framed items of `info` as context."""
    context, block, out = framed(*info), b"", b""
    for number in range(1, -(-size // 64) + 1):
        block = hmac.digest(key, block + context + bytes([number]), hashlib.sha512)
        out += block
    return out[:size]


def _refuse_size(secret: object, what: str) -> None:
    """Raise `BadParameter`, naming `what`, unless the secret has the size of a key."""
    if not isinstance(secret, bytes) or len(secret) != KEY_BYTES:
        raise BadParameter(f"{what} must have {KEY_BYTES} bytes")
