"""CPace: two who share a few words get a key, and who does not know the words gets one guess for each try.

CPACE-RISTR255-SHA512 of draft-irtf-cfrg-cpace-21, for an initiator A and a responder B. Section numbers are the
draft's. On the native core everything here that touches a secret takes constant time; on the reference nothing does.
"""

from __future__ import annotations

import hashlib
from typing import Final

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Points, Scalars, group

DSI: Final = b"CPaceRistretto255"
#: The input block of SHA-512.
BLOCK_BYTES: Final = 128
SHARE_BYTES: Final = 32
#: What one side draws for one run.
ENTROPY_BYTES: Final = 64


class Run:
    """One side of one run: it has drawn its secret, and has a share to send. Never stored, and used once."""

    def __init__(self, words: bytes, channel: bytes, session: bytes, entropy: bytes) -> None:
        """`words` are what is shared (PRS). `channel` (CI) and `session` (sid) are the same on both sides."""
        if not isinstance(entropy, bytes) or len(entropy) != ENTROPY_BYTES:
            raise BadParameter(f"one run of the exchange draws {ENTROPY_BYTES} bytes")
        self._session = session
        # Section 8.3: uniform below the order, and not zero.
        self._y: Scalars = group().wide_scalars(entropy)
        if self._y.first_zero() is not None:
            raise BadParameter("the secret of an exchange is zero")
        self.share = (self._y * generator(words, channel, session)).to_bytes()

    def __repr__(self) -> str:
        return "<Run>"

    def key_of_initiator(self, share: bytes) -> bytes:
        """The key (ISK), for A. Raises `DecodeError` for a share of B that is none."""
        return self._key(share, self.share, share)

    def key_of_responder(self, share: bytes) -> bytes:
        """The key (ISK), for B. Raises `DecodeError` for a share of A that is none."""
        return self._key(share, share, self.share)

    def _key(self, theirs: bytes, Ya: bytes, Yb: bytes) -> bytes:
        if len(theirs) != SHARE_BYTES:
            raise DecodeError(f"a share has {SHARE_BYTES} bytes")
        # Section 7.2. Decoding refuses the identity and all that is not canonical, and the order is prime: K is never
        # the identity.
        K = (self._y * group().points(theirs)).to_bytes()
        return session_key(self._session, K, transcript(Ya, Yb))


def generator(words: bytes, channel: bytes, session: bytes) -> Points:
    """Section 8.3: the generator that only those who know the words can have."""
    return group().map_to_points(hashlib.sha512(generator_string(words, channel, session)).digest())


def generator_string(words: bytes, channel: bytes, session: bytes) -> bytes:
    """Section 8.1: the words fill the first block of the hash, with zeros behind them, however long they are."""
    padding = max(0, BLOCK_BYTES - 1 - len(lv_cat(words)) - len(lv_cat(DSI)))
    return lv_cat(DSI, words, bytes(padding), channel, session)


def session_key(session: bytes, K: bytes, said: bytes) -> bytes:
    """Section 7.2: the key (ISK) from the point that both have, and what both have said."""
    return hashlib.sha512(lv_cat(DSI + b"_ISK", session, K) + said).digest()


def transcript(Ya: bytes, Yb: bytes, ADa: bytes = b"", ADb: bytes = b"") -> bytes:
    """Section 6.3: what both have said, where roles are known."""
    return lv_cat(Ya, ADa) + lv_cat(Yb, ADb)


def lv_cat(*parts: bytes) -> bytes:
    """Section 6.3: each part with its length before it."""
    return b"".join(_leb128(len(part)) + part for part in parts)


def _leb128(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that there are more."""
    out = bytearray()
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes([*out, number])
