"""CPace: two parties who share a few words agree on a key. An attacker gets only one guess of the words per run.

CPACE-RISTR255-SHA512 of draft-irtf-cfrg-cpace-21, for an initiator A and a responder B. Section numbers refer to the
draft. On the native core everything that touches a secret takes constant time; on the reference nothing does.
"""

from __future__ import annotations

import hashlib
from typing import Final

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Points, Scalars, group

DSI: Final = b"CPaceRistretto255"
#: The input block size of SHA-512.
BLOCK_BYTES: Final = 128
SHARE_BYTES: Final = 32
#: The entropy that one side needs for one run.
ENTROPY_BYTES: Final = 64


class Run:
    """One side of one run, with its secret and the share to send. Use it once, and never store it."""

    def __init__(self, words: bytes, channel: bytes, session: bytes, entropy: bytes) -> None:
        """Start a run. Both sides must give the same `words` (PRS), `channel` (CI) and `session` (sid)."""
        if not isinstance(entropy, bytes) or len(entropy) != ENTROPY_BYTES:
            raise BadParameter(f"one run of the exchange needs {ENTROPY_BYTES} bytes of entropy")
        self._session = session
        # Section 8.3: uniform below the order, and not zero.
        self._y: Scalars = group().wide_scalars(entropy)
        if self._y.first_zero() is not None:
            raise BadParameter("the secret of an exchange is zero")
        self.share = (self._y * generator(words, channel, session)).to_bytes()

    def __repr__(self) -> str:
        """Return text that reveals none of the secrets."""
        return "<Run>"

    def key_of_initiator(self, share: bytes) -> bytes:
        """Return the key (ISK) as A. Raise `DecodeError` if B's share is not valid."""
        return self._key(share, self.share, share)

    def key_of_responder(self, share: bytes) -> bytes:
        """Return the key (ISK) as B. Raise `DecodeError` if A's share is not valid."""
        return self._key(share, share, self.share)

    # defence: no-words
    def _key(self, theirs: bytes, Ya: bytes, Yb: bytes) -> bytes:
        """Derive the key from the other side's share, with both shares in the order A, B."""
        if len(theirs) != SHARE_BYTES:
            raise DecodeError(f"a share has {SHARE_BYTES} bytes")
        # Section 7.2. Decoding refuses the identity and non-canonical encodings, and the order is prime, so K is never
        # the identity.
        K = (self._y * group().points(theirs)).to_bytes()
        return session_key(self._session, K, transcript(Ya, Yb))


def generator(words: bytes, channel: bytes, session: bytes) -> Points:
    """Return the generator, which only someone who knows the words can compute (section 8.3)."""
    return group().map_to_points(hashlib.sha512(generator_string(words, channel, session)).digest())


def generator_string(words: bytes, channel: bytes, session: bytes) -> bytes:
    """Return the input of the generator's hash, with zeros so that the words fill its first block (section 8.1)."""
    padding = max(0, BLOCK_BYTES - 1 - len(lv_cat(words)) - len(lv_cat(DSI)))
    return lv_cat(DSI, words, bytes(padding), channel, session)


def session_key(session: bytes, K: bytes, exchanged: bytes) -> bytes:
    """Derive the key (ISK) from the shared point and the transcript of both messages (section 7.2)."""
    return hashlib.sha512(lv_cat(DSI + b"_ISK", session, K) + exchanged).digest()


def transcript(Ya: bytes, Yb: bytes, ADa: bytes = b"", ADb: bytes = b"") -> bytes:
    """Return the transcript of both messages in a fixed order, for known roles (section 6.3)."""
    return lv_cat(Ya, ADa) + lv_cat(Yb, ADb)


def lv_cat(*parts: bytes) -> bytes:
    """Concatenate parts, each preceded by its length (section 6.3)."""
    return b"".join(_leb128(len(part)) + part for part in parts)


def _leb128(number: int) -> bytes:
    """Encode a number with seven bits per byte, lowest first. The top bit of a byte says that more follow."""
    out = bytearray()
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes([*out, number])
