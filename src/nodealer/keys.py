"""Identity keys: Ed25519, strict.

The library's own check lets points of small order through, and for such a key one signature fits every message. So a
key is taken only if it is the canonical encoding of a point on the curve that is not of small order.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Final

from nodealer.errors import BadParameter, BadSignature, DecodeError

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P
#: The y coordinates of the eight points whose order divides 8 (RFC 8032's curve): 1, -1, 0 and two of order 8.
_Y8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER_Y: Final = frozenset({1, _P - 1, 0, _Y8, _P - _Y8})


def refuse_weak_key(key: bytes) -> None:
    """Raise `DecodeError` unless `key` may identify a player."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise DecodeError(f"an identity key has {KEY_BYTES} bytes")
    number = int.from_bytes(key, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    if y >= _P:
        raise DecodeError("the identity key is not canonical")
    if y in _SMALL_ORDER_Y:
        raise DecodeError("the identity key is of small order")
    # x² = (y² − 1) / (d·y² + 1): a point on the curve exists if that is a square. x is never 0 here.
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    if pow(square, (_P - 1) // 2, _P) != 1:
        raise DecodeError(f"the identity key is not a point of the curve (sign {sign})")


@cache
def _library() -> tuple[ModuleType, type[Exception]]:
    """Ed25519 and its error, when the first key is made: to import this module needs nothing that may be missing."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ed25519, InvalidSignature


class SigningKey:
    """A player's signing key. Not on the tape: opening a hand's seed never opens this."""

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes) or len(secret) != KEY_BYTES:
            raise BadParameter(f"a signing key has {KEY_BYTES} bytes")
        ed25519, _ = _library()
        self._key = ed25519.Ed25519PrivateKey.from_private_bytes(secret)
        self.public: bytes = self._key.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"<SigningKey {self.public.hex()[:16]}>"

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        signature: bytes = self._key.sign(message)
        return signature


class VerifyingKey:
    """A player's public key, checked once."""

    def __init__(self, key: bytes) -> None:
        refuse_weak_key(key)
        ed25519, self._invalid = _library()
        self._key = ed25519.Ed25519PublicKey.from_public_bytes(key)

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raise `BadSignature`, which names nobody, unless the signature is this key's."""
        try:
            self._key.verify(signature, message)
        except self._invalid:
            raise BadSignature("a signature does not verify") from None
