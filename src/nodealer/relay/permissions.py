"""What a relay decides, without a socket, a store or a clock: who may write to a table, and what is too much.

A table is what its notes say, in the order the store gives them. So all relays on one store decide the same.
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
    """Something that a client asked for is not done. `code` is for programs; after a `last` one it is sent away."""

    def __init__(self, code: str, reason: str, *, last: bool = False) -> None:
        super().__init__(reason)
        self.code = code
        self.last = last


# --- Notes ---


class MadeRecord(Message, frozen=True, tag="made"):
    """The table is made, for this writer. Only the first counts."""

    writer: Writer


class GivenRecord(Message, frozen=True, tag="given"):
    """The mailbox is given to whoever said this. Only the first counts."""

    claim: Annotated[bytes, msgspec.Meta(min_length=_CLAIM_BYTES, max_length=_CLAIM_BYTES)]


class RekeyedRecord(Message, frozen=True, tag="rekeyed"):
    """The next key epoch has this writer, says one with a token of that one."""

    writer: Writer
    by: Natural


class ReachedRecord(Message, frozen=True, tag="reached"):
    """A frame by a token of this key epoch is coming: those of earlier epochs count no more."""

    epoch: Natural


class EndedRecord(Message, frozen=True, tag="ended"):
    """The game is over."""


PermissionRecord = MadeRecord | GivenRecord | RekeyedRecord | ReachedRecord | EndedRecord


@dataclass(frozen=True)
class TablePermissions:
    """What the notes of a table say."""

    #: The writers, by key epoch, and the key epoch of whoever named each; the first one was named by nobody.
    writers: tuple[bytes, ...] = ()
    by: tuple[int, ...] = ()
    #: The first key epoch whose token counts.
    reached: int = 0
    ended: bool = False
    #: Whose a mailbox is. A table has none.
    claim: bytes | None = None

    @property
    def mailbox(self) -> bool:
        """Whether anybody may write here, a little."""
        return self.claim is not None

    def epoch_of(self, token: bytes) -> int | None:
        """The key epoch of a token that counts. Takes as long for a wrong one, whatever is wrong with it."""
        given, found = hashlib.sha512(token).digest(), None
        for epoch, writer in enumerate(self.writers):
            if hmac.compare_digest(given, writer):
                found = epoch
        return found if found is not None and self._counts(found) else None

    def lets_write(self, epoch: int | None) -> bool:
        """Whether a client with a token of this key epoch, or with none, may write."""
        return self.mailbox or (epoch is not None and self._counts(epoch))

    def knows(self, writer: bytes) -> bool:
        """Whether it changes nothing to name this writer now: its token counts, or has counted and is over. One that
        was named by an earlier key and never used can be named again: else whoever named it early would spoil it."""
        over, epoch = {0, self.reached}, self.reached
        while epoch:
            epoch = self.by[epoch - 1]
            over.add(epoch)
        return any(
            writer == known and (epoch in over or self._counts(epoch)) for epoch, known in enumerate(self.writers)
        )

    # defence: put-out
    def _counts(self, epoch: int) -> bool:
        """A later key epoch counts if one with the key in use has named it, or one whom such a one has named: whoever
        left the table must not have left a key behind."""
        while epoch > self.reached:
            epoch = self.by[epoch - 1]
        return epoch == self.reached


def permissions_of(notes: Sequence[bytes]) -> TablePermissions | None:
    """What the notes of a table say, in their order. None where there are no notes: then there is no table."""
    rules = None
    for data in notes:
        try:
            note = decode(PermissionRecord, data, what="a note of the store")
        except DecodeError as error:
            raise RelayError(str(error)) from None
        rules = _first(note) if rules is None else _then(rules, note)
    return rules


def _first(note: PermissionRecord) -> TablePermissions:
    match note:
        case MadeRecord():
            return TablePermissions(writers=(note.writer,))
        case GivenRecord():
            return TablePermissions(claim=note.claim)
        case _:
            raise RelayError("the store has a table that was never made")


def _then(rules: TablePermissions, note: PermissionRecord) -> TablePermissions:
    match note:
        case RekeyedRecord() if not rules.knows(note.writer) and note.by < len(rules.writers):
            return replace(rules, writers=(*rules.writers, note.writer), by=(*rules.by, note.by))
        case ReachedRecord() if rules.reached < note.epoch < len(rules.writers) and rules.lets_write(note.epoch):
            return replace(rules, reached=note.epoch)
        case EndedRecord():
            return replace(rules, ended=True)
        case _:
            return rules


# --- Frames ---


# defence: big-frame
def check_frame(
    limits: RelayLimits, rules: TablePermissions, epoch: int | None, size: int, *, frames: int, total: int
) -> None:
    """Raises `Refusal` for a frame of this size that may not be appended to a table with so many frames and bytes."""
    if not rules.lets_write(epoch):
        if epoch is None:
            raise Refusal("token", "only who has shown a token may write to this table", last=True)
        raise Refusal("key", "the table has a new key, and takes no more frames by the old one")
    largest = limits.mailbox_bytes if rules.mailbox else limits.frame_bytes
    if not 0 < size <= largest:
        raise Refusal("frame", f"a frame has 1 to {largest} bytes here, not {size}", last=True)
    if frames >= (limits.mailbox_frames if rules.mailbox else limits.frames_per_table):
        raise Refusal("full", f"there are {frames} frames already, and that is all that fits")
    if total + size > limits.bytes_per_table:
        raise Refusal("full", f"there are {total} bytes already, and at most {limits.bytes_per_table} fit")


# --- Mailboxes ---

#: How the names of mailboxes begin.
MAILBOX: Final = "box-"
_DIGITS_MAX: Final = 6
#: So many numbers of each length are tried before there is one digit more.
_TRIES: Final = 12


def mailbox_name(number: int) -> str:
    """The table that a mailbox is."""
    return f"{MAILBOX}{number}"


def mailbox_numbers(entropy: Callable[[int], bytes]) -> Iterator[int]:
    """Numbers to try, those that are easy to say first."""
    for digits in range(1, _DIGITS_MAX + 1):
        least = 10 ** (digits - 1)
        start = int.from_bytes(entropy(8), "big")
        for offset in range(min(_TRIES, 9 * least)):
            yield least + (start + offset) % (9 * least)


def claim(entropy: Callable[[int], bytes]) -> GivenRecord:
    """A note that nobody else has put down."""
    return GivenRecord(entropy(_CLAIM_BYTES))


def record_bytes(note: PermissionRecord) -> bytes:
    """A note as the store keeps it."""
    return encode(note)
