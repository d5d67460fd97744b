"""Identities: an Ed25519 key that signs and an X25519 key to which secrets are sealed. Strict.

One rule for signatures, pinned by vectors: cofactorless, S reduced, R compared as bytes (RFC 8032, 5.1.7, without the
factor 8). A key is taken only if it is the canonical encoding of a point of the prime-order group: for a key of small
order one signature fits every message, and with a key of mixed order two honest readers could disagree.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from types import ModuleType
from typing import Final

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.tape import expand, framed

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_I: Final = pow(2, (_P - 1) // 4, _P)
#: The y coordinates of the eight points whose order divides 8 (RFC 8032's curve): 1, -1, 0 and two of order 8.
_Y8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER_Y: Final = frozenset({1, _P - 1, 0, _Y8, _P - _Y8})
#: The same points as X25519 sees them, u = (1 + y) / (1 - y), and one of order 4 on the twist.
_SMALL_ORDER_U: Final = frozenset(
    {0, 1, _P - 1} | {(1 + y) * pow(1 - y, -1, _P) % _P for y in (_Y8, _P - _Y8)},
)

#: x, y, z and t = xy/z, in plain integers. Everything here is public.
_Point = tuple[int, int, int, int]


def refuse_weak_key(key: bytes) -> None:
    """Raise `DecodeError` unless `key` may identify a player."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise DecodeError(f"an identity key has {KEY_BYTES} bytes")
    _refuse_weak_point(key)


@lru_cache(maxsize=1024)
def _refuse_weak_point(key: bytes) -> None:
    """Takes as long as twenty signatures, so once a key."""
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
    x, y, z, _ = _times(_L, (x, y, 1, x * y % _P))
    if x != 0 or y != z:
        raise DecodeError("the identity key is of mixed order")


def _times(scalar: int, point: _Point) -> _Point:
    total = (0, 1, 1, 0)
    for bit in f"{scalar:b}":
        total = _doubled(total)
        if bit == "1":
            total = _added(total, point)
    return total


def _added(p: _Point, q: _Point) -> _Point:
    """RFC 8032, section 5.1.4: complete, so that it needs no special cases."""
    (x1, y1, z1, t1), (x2, y2, z2, t2) = p, q
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * t1 * t2 % _P * _D, 2 * z1 * z2
    e, f, g, h = (b - a) % _P, (d - c) % _P, (d + c) % _P, (b + a) % _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _doubled(p: _Point) -> _Point:
    """RFC 8032, section 5.1.4."""
    x, y, z, _ = p
    a, b = x * x, y * y
    h, g = a + b, (a - b) % _P
    e = (h - (x + y) * (x + y)) % _P
    f = (2 * z * z + g) % _P
    h %= _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def refuse_weak_box(box: bytes) -> None:
    """Raise `DecodeError` unless secrets may be sealed to `box`: with a point of small order everybody could open."""
    if not isinstance(box, bytes) or len(box) != KEY_BYTES:
        raise DecodeError(f"a box key has {KEY_BYTES} bytes")
    u = int.from_bytes(box, "little")
    if u >= _P:
        raise DecodeError("the box key is not canonical")
    if u in _SMALL_ORDER_U:
        raise DecodeError("the box key is of small order")


def box_words(key: bytes, box: bytes) -> bytes:
    """What an identity signs to say that a box key is its own."""
    return framed("nodealer/box/v1", key, box)


@cache
def _library() -> tuple[ModuleType, ModuleType, type[Exception]]:
    """The curves and the error, when the first key is made: to import this module needs nothing that may be missing."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ed25519, x25519

    return ed25519, x25519, InvalidSignature


def verify_signature(key: bytes, signature: bytes, message: bytes) -> None:
    """Raise `BadSignature`, which names nobody, unless the signature is this key's. The key is not judged here."""
    ed25519, _, invalid = _library()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except invalid:
        raise BadSignature("a signature does not verify") from None


class Identity:
    """A player's secrets beside the tape, from one seed: opening a hand's seed never opens these."""

    def __init__(self, seed: bytes) -> None:
        if not isinstance(seed, bytes) or len(seed) != KEY_BYTES:
            raise BadParameter(f"the seed of an identity has {KEY_BYTES} bytes")
        ed25519, _, _ = _library()
        self._seed = seed
        self._key = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
        self.public: bytes = self._key.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"<Identity {self.public.hex()[:16]}>"

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        signature: bytes = self._key.sign(message)
        return signature

    @cached_property
    def box(self) -> bytes:
        """The public key to which others seal secrets for this player. A key of its own, not a conversion."""
        _, x25519, _ = _library()
        secret = x25519.X25519PrivateKey.from_private_bytes(expand("nodealer box", self._seed, size=KEY_BYTES))
        public: bytes = secret.public_key().public_bytes_raw()
        return public

    @cached_property
    def box_signature(self) -> bytes:
        """That the box key is this player's."""
        return self.sign(box_words(self.public, self.box))


class VerifyingKey:
    """A player's public key, checked once."""

    def __init__(self, key: bytes) -> None:
        refuse_weak_key(key)
        self._key = key

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raise `BadSignature`, which names nobody, unless the signature is this key's."""
        verify_signature(self._key, signature, message)
