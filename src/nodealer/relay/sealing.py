"""Sealing: the relay stores frames that only those at the table can read.

Sealing keeps the relay out but authenticates no one: every holder of a key can derive the keys of all senders, and only
the signatures inside tell who sent a frame. There is no counter and no random nonce, because neither survives a process
that is restored from a copy. Instead, the key of a frame is derived from its plaintext: the same text gives the same
bytes, another text another key. The tag of the text is committing, so that no frame opens to two texts.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import KEY_BYTES, TAG_BYTES, agree, agreement_key, derive, extract, seal, unseal
from nodealer.tape import framed

_SALT: Final = "nodealer/seal/v1"
_BOX_SALT: Final = "nodealer/box/v1"
_FRAME: Final = "nodealer/frame/v1"
EPOCH_BYTES: Final = 8
SENDER_BYTES: Final = 16
TEXT_TAG_BYTES: Final = 32
#: Epoch, sender and tag of the text.
HEADER_BYTES: Final = EPOCH_BYTES + SENDER_BYTES + TEXT_TAG_BYTES
#: An ephemeral key, the secret, and the tag.
BOX_BYTES: Final = KEY_BYTES + KEY_BYTES + TAG_BYTES


@dataclass(frozen=True)
class TableSecret:
    """The secret S of one key epoch, which allows reading and writing. It comes from a player link or a box."""

    secret: bytes = field(repr=False)
    table: str
    epoch: int

    def __post_init__(self) -> None:
        """Check that the secret is long enough. Raises `BadParameter`."""
        if not isinstance(self.secret, bytes) or len(self.secret) < 16:
            raise BadParameter("the secret of a table must have at least 16 bytes")

    @cached_property
    def _base(self) -> bytes:
        """Return the pseudorandom key from which the other keys are derived."""
        return extract(_SALT, self.secret)

    @cached_property
    def read_key(self) -> ReadKey:
        """Return the read key R, which is all that spectators get."""
        return ReadKey(derive(self._base, "read", self.table, self.epoch, size=KEY_BYTES), self.table, self.epoch)

    # defence: watcher
    @cached_property
    def write_token(self) -> bytes:
        """Return the write token W, which the relay requires for appending. It stores only its hash."""
        return derive(self._base, "write", self.table, self.epoch, size=KEY_BYTES)

    def box(self, ephemeral: bytes, public: bytes, session: bytes, roster: bytes) -> bytes:
        """Seal this secret for the seat with this X25519 key. The ephemeral secret must be fresh for every box."""
        if len(self.secret) != KEY_BYTES:
            raise BadParameter(f"a secret in a box must have {KEY_BYTES} bytes")
        E = agreement_key(ephemeral)
        key = _box_key(agree(ephemeral, public), E, public, session, roster, self.epoch)
        return E + seal(key, b"", self.secret)


# defence: false-box
def open_box(
    box: bytes, own: bytes, *, session: bytes, roster: bytes, table: str, epoch: int, digest: bytes
) -> TableSecret:
    """Open the box that a proposal has for the seat with secret key `own`.

    `digest` is the proposal's hash of the secret.

    Raise `DecodeError` if the box is for another key, session, roster or epoch, or holds a secret with another hash.
    """
    if len(box) != BOX_BYTES:
        raise DecodeError(f"a box must have {BOX_BYTES} bytes")
    E, public = box[:KEY_BYTES], agreement_key(own)
    key = _box_key(agree(own, E), E, public, session, roster, epoch)
    found = TableSecret(unseal(key, b"", box[KEY_BYTES:]), table, epoch)
    if not hmac.compare_digest(secret_digest(found), digest):
        raise DecodeError("the box holds another secret than the one in the proposal")
    return found


def secret_digest(secret: TableSecret) -> bytes:
    """Return the hash of a secret, which a proposal contains so that all boxes hold the same one."""
    return hashlib.sha512(secret.secret).digest()


def _box_key(shared: bytes, E: bytes, public: bytes, session: bytes, roster: bytes, epoch: int) -> bytes:
    """Return the key that seals a box, bound to both public keys, the session, the roster and the epoch."""
    return derive(extract(_BOX_SALT, shared), E, public, session, roster, epoch, size=KEY_BYTES)


@dataclass(frozen=True)
class ReadKey:
    """The read key R of one table and key epoch."""

    key: bytes = field(repr=False)
    table: str
    epoch: int

    @cached_property
    def _prk(self) -> bytes:
        """Return the pseudorandom key from which the frames' keys are derived."""
        return extract(_SALT, self.key)

    def seal(self, sender: bytes, plaintext: bytes) -> bytes:
        """Seal a text into a frame.

        The relay can see that two frames are equal, so no sender may send the same text twice.
        """
        if len(sender) != SENDER_BYTES:
            raise BadParameter(f"a sender must have {SENDER_BYTES} bytes")
        aad = self._aad(sender)
        words = self._text_tag(sender, aad, plaintext)
        sealed = seal(self._message_key(sender, words), aad, plaintext)
        return self.epoch.to_bytes(EPOCH_BYTES, "little") + sender + words + sealed

    def is_before(self, frame: bytes) -> bool:
        """Return whether a frame claims to be of a later key epoch. This cannot be verified here."""
        return len(frame) >= HEADER_BYTES + TAG_BYTES and int.from_bytes(frame[:EPOCH_BYTES], "little") > self.epoch

    def open(self, frame: bytes) -> tuple[bytes, bytes]:
        """Return the sender and the text of a frame. Raise `DecodeError` for anything that `seal` did not produce."""
        if len(frame) < HEADER_BYTES + TAG_BYTES:
            raise DecodeError("the frame is too short")
        if int.from_bytes(frame[:EPOCH_BYTES], "little") != self.epoch:
            raise DecodeError("the frame belongs to another key epoch")
        sender, words = (
            frame[EPOCH_BYTES : EPOCH_BYTES + SENDER_BYTES],
            frame[HEADER_BYTES - TEXT_TAG_BYTES : HEADER_BYTES],
        )
        aad = self._aad(sender)
        plaintext = unseal(self._message_key(sender, words), aad, frame[HEADER_BYTES:])
        if not hmac.compare_digest(self._text_tag(sender, aad, plaintext), words):
            raise DecodeError("the frame's tag does not match its text")
        return sender, plaintext

    def _aad(self, sender: bytes) -> bytes:
        """Return the associated data that binds a frame to its table, epoch and sender."""
        return framed(_FRAME, self.table, self.epoch, sender)

    def _text_tag(self, sender: bytes, aad: bytes, plaintext: bytes) -> bytes:
        """Return the tag n, which commits to the text and from which the frame's key is derived."""
        key = derive(self._prk, "tag", self.table, self.epoch, sender, size=64)
        return hmac.digest(key, framed(aad, plaintext), hashlib.sha512)[:TEXT_TAG_BYTES]

    # defence: two-time
    def _message_key(self, sender: bytes, words: bytes) -> bytes:
        """Return the key of the one frame that has this sender and this text tag (`words`)."""
        key = derive(self._prk, "enc", self.table, self.epoch, sender, size=64)
        return derive(key, "msg", words, size=KEY_BYTES)
