"""The decisions of a relay, without socket, store or clock: who may write to a table, and how much.

A table's permissions follow from its records, in the order of the store. So all relays on one store decide the same.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError, RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import Writer
from nodealer.wire import Message, Natural, decode, encode

_CLAIM_BYTES: Final = 16


class Refusal(RelayError):
    """A client's request is refused. `code` is for programs; after a `last` refusal the client is disconnected."""

    def __init__(self, code: str, reason: str, *, last: bool = False) -> None:
        """Create a refusal with a `code` for programs and a `reason` for people. `last` ends the connection."""
        super().__init__(reason)
        self.code = code
        self.last = last


# --- Records ---


class MadeRecord(Message, frozen=True, tag="made"):
    """The table was created for this writer. Only the first such record counts."""

    writer: Writer


class GivenRecord(Message, frozen=True, tag="given"):
    """The mailbox was issued to the relay that made this claim. Only the first such record counts."""

    claim: Annotated[bytes, msgspec.Meta(min_length=_CLAIM_BYTES, max_length=_CLAIM_BYTES)]


class RekeyedRecord(Message, frozen=True, tag="rekeyed"):
    """The next key epoch has this writer, registered with a token of epoch `by`."""

    writer: Writer
    by: Natural


class ReachedRecord(Message, frozen=True, tag="reached"):
    """A frame with a token of this key epoch follows; tokens of earlier epochs are no longer valid."""

    epoch: Natural


class EndedRecord(Message, frozen=True, tag="ended"):
    """The game is over."""


PermissionRecord = MadeRecord | GivenRecord | RekeyedRecord | ReachedRecord | EndedRecord


@dataclass(frozen=True)
class TablePermissions:
    """What the records of a table add up to."""

    #: The writers by key epoch, and the key epoch of the token that registered each; none registered the first.
    writers: tuple[bytes, ...] = ()
    by: tuple[int, ...] = ()
    #: The first key epoch whose token is valid.
    reached: int = 0
    ended: bool = False
    #: Identifies the holder of a mailbox; None for a table.
    claim: bytes | None = None

    @property
    def is_mailbox(self) -> bool:
        """Return whether this is a mailbox, to which anyone may write a little."""
        return self.claim is not None

    def epoch_of(self, token: bytes) -> int | None:
        """Return the key epoch of a valid token, else None. Takes equally long for every invalid token."""
        given, found = hashlib.sha512(token).digest(), None
        for epoch, writer in enumerate(self.writers):
            if hmac.compare_digest(given, writer):
                found = epoch
        return found if found is not None and self._is_valid(found) else None

    def can_write(self, epoch: int | None) -> bool:
        """Return whether a client with a token of this key epoch, or without one, may write."""
        return self.is_mailbox or (epoch is not None and self._is_valid(epoch))

    def is_redundant(self, writer: bytes) -> bool:
        """Return whether registering this writer would change nothing, because its token is valid or has expired.

        A writer that was registered with an earlier key and never used can be registered again: otherwise whoever
        registered it early could spoil it.
        """
        over, epoch = {0, self.reached}, self.reached
        while epoch:
            epoch = self.by[epoch - 1]
            over.add(epoch)
        return any(
            writer == known and (epoch in over or self._is_valid(epoch)) for epoch, known in enumerate(self.writers)
        )

    # defence: put-out
    def _is_valid(self, epoch: int) -> bool:
        """Return whether an epoch's token is valid: registered, directly or indirectly, with the key in use.

        Someone who left the table must not have left a usable key behind.
        """
        while epoch > self.reached:
            epoch = self.by[epoch - 1]
        return epoch == self.reached


def permissions_of(notes: Sequence[bytes]) -> TablePermissions | None:
    """Return what a table's records add up to; None if there are no records and so no table."""
    permissions = None
    for data in notes:
        try:
            note = decode(PermissionRecord, data, what="a record in the store")
        except DecodeError as error:
            raise RelayError(str(error)) from None
        permissions = _apply_first(note) if permissions is None else _apply(permissions, note)
    return permissions


def _apply_first(note: PermissionRecord) -> TablePermissions:
    """Return the permissions after a table's first record."""
    match note:
        case MadeRecord():
            return TablePermissions(writers=(note.writer,))
        case GivenRecord():
            return TablePermissions(claim=note.claim)
        case _:
            raise RelayError("the store has a table that was never created")


def _apply(permissions: TablePermissions, note: PermissionRecord) -> TablePermissions:
    """Return the permissions after a further record. A record that does not apply changes nothing."""
    match note:
        case RekeyedRecord() if not permissions.is_redundant(note.writer) and note.by < len(permissions.writers):
            return replace(permissions, writers=(*permissions.writers, note.writer), by=(*permissions.by, note.by))
        case ReachedRecord() if permissions.reached < note.epoch < len(permissions.writers) and permissions.can_write(
            note.epoch
        ):
            return replace(permissions, reached=note.epoch)
        case EndedRecord():
            return replace(permissions, ended=True)
        case _:
            return permissions


# --- Frames ---


# defence: big-frame
def check_frame(
    limits: RelayLimits, permissions: TablePermissions, epoch: int | None, size: int, *, frames: int, total: int
) -> None:
    """Raise `Refusal` if a frame of this size may not be appended.

    The table has `frames` frames and `total` bytes so far.
    """
    if not permissions.can_write(epoch):
        if epoch is None:
            raise Refusal("token", "send the token of this table before you write to it", last=True)
        raise Refusal("key", "the table has a new key; frames with the old one are no longer accepted")
    largest = limits.mailbox_bytes if permissions.is_mailbox else limits.frame_bytes
    if not 0 < size <= largest:
        raise Refusal("frame", f"a frame must have 1 to {largest} bytes here, not {size}", last=True)
    if frames >= (limits.mailbox_frames if permissions.is_mailbox else limits.frames_per_table):
        raise Refusal("full", f"the table is full: it has {frames} frames")
    if total + size > limits.bytes_per_table:
        raise Refusal("full", f"the table is full: it has {total} of at most {limits.bytes_per_table} bytes")


# --- Mailboxes ---

#: The prefix of mailbox names.
MAILBOX: Final = "box-"
_DIGITS_MAX: Final = 6
#: How many numbers of each length are tried before adding a digit.
_TRIES: Final = 12


def mailbox_name(number: int) -> str:
    """Return the table name of a mailbox."""
    return f"{MAILBOX}{number}"


def mailbox_numbers(entropy: Callable[[int], bytes]) -> Iterator[int]:
    """Yield random mailbox numbers to try, short ones first because they are easy to say."""
    for digits in range(1, _DIGITS_MAX + 1):
        least = 10 ** (digits - 1)
        start = int.from_bytes(entropy(8), "big")
        for offset in range(min(_TRIES, 9 * least)):
            yield least + (start + offset) % (9 * least)


def new_claim(entropy: Callable[[int], bytes]) -> GivenRecord:
    """Return a unique record that claims a mailbox."""
    return GivenRecord(entropy(_CLAIM_BYTES))


def encode_record(note: PermissionRecord) -> bytes:
    """Return a record as the store keeps it."""
    return encode(note)
