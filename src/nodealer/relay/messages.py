"""The messages between a relay and its clients. docs/spec/relay.md specifies them for other implementations.

Text messages are the JSON of the structs here. Binary messages carry frames: one frame from a client, a page of frames
with their cursors from the relay. A frame that arrives in a page is stored; this is also the acknowledgement for its
sender.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError
from nodealer.wire import INTEGER_MAX, MESSAGE_BYTES_MAX, Message, Natural, decode

#: The maximum size of a sealed frame: a message plus what sealing adds.
FRAME_BYTES_MAX: Final = MESSAGE_BYTES_MAX + 1024
#: The target size of a page; a single larger frame may exceed it.
PAGE_BYTES: Final = 256 << 10
#: The maximum size of a page: frames up to the target, and then one more.
PAGE_BYTES_MAX: Final = PAGE_BYTES + FRAME_BYTES_MAX + 1024
#: The maximum size of a text message. Longer ones are refused unread.
TEXT_BYTES_MAX: Final = 1024
TOKEN_BYTES: Final = 32
WRITER_BYTES: Final = 64

#: A table's name is 16 random bytes in hex. A mailbox has a number; it is a table to which anyone may write a few
#: frames. The pattern ends with `\Z` because `$` would allow a trailing newline, and the NATS store uses the name in
#: its subjects as it is.
TableName = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{32}|box-[1-9][0-9]{0,5})\Z")]
#: The largest number that the pattern allows.
MAILBOX_MAX: Final = 999_999
#: SHA-512 of a write token, which is all that a relay stores of it.
Writer = Annotated[bytes, msgspec.Meta(min_length=WRITER_BYTES, max_length=WRITER_BYTES)]

# --- From a client ---


class Create(Message, frozen=True, tag="create"):
    """Create a table that accepts frames from holders of the token with this hash. Repeating it is harmless."""

    table: TableName
    writer: Writer


class RequestMailbox(Message, frozen=True, tag="mailbox"):
    """Request a new mailbox. The relay replies with its number."""


class Open(Message, frozen=True, tag="open"):
    """Open a table: deliver the frames after a cursor, or all, and each new one."""

    table: TableName
    after: Natural | None


class Token(Message, frozen=True, tag="token"):
    """The token needed to append to the open table.

    Clients send frames once it is accepted: before that, the relay accepts nothing large.
    """

    token: Annotated[bytes, msgspec.Meta(min_length=TOKEN_BYTES, max_length=TOKEN_BYTES)]


class Rekey(Message, frozen=True, tag="rekey"):
    """Register another writer, one key epoch later. Sent by a client who may write.

    The first frame sent with a token of a later epoch invalidates all tokens of earlier ones.
    """

    writer: Writer


class End(Message, frozen=True, tag="end"):
    """The game is over and the table need not be kept for long. Sent by a client who may write."""


RelayRequest = Create | RequestMailbox | Open | Token | Rekey | End

# --- From the relay ---


class Created(Message, frozen=True, tag="created"):
    """The table exists."""


class MailboxIssued(Message, frozen=True, tag="mailbox"):
    """The number of the new mailbox."""

    number: Annotated[int, msgspec.Meta(ge=1, le=MAILBOX_MAX)]


class Opened(Message, frozen=True, tag="opened"):
    """The number of frames after the cursor, which follow now, and the largest frame that this relay accepts."""

    frames: Natural
    largest: Natural


class Accepted(Message, frozen=True, tag="accepted"):
    """The token is valid, the writer is registered, or the end is noted."""


class Refused(Message, frozen=True, tag="refused"):
    """A refusal: a code for programs and a reason for people. The relay closes connections that cannot continue."""

    code: str
    reason: str


RelayReply = Created | MailboxIssued | Opened | Accepted | Refused


def parse_request(text: str) -> RelayRequest:
    """Parse a client's text message. Raise `DecodeError` if it is invalid."""
    return _read(RelayRequest, text, "a client's message")  # type: ignore[no-any-return]


def parse_reply(text: str) -> RelayReply:
    """Parse a relay's text message. Raise `DecodeError` if it is invalid."""
    return _read(RelayReply, text, "a relay's message")  # type: ignore[no-any-return]


def _read(kind: object, text: str, what: str):  # type: ignore[no-untyped-def]
    """Parse a text message of this kind. Raise `DecodeError` if it is too long or invalid."""
    return decode(kind, text.encode(errors="replace"), what=what, limit=TEXT_BYTES_MAX)  # type: ignore[call-overload]


# --- Pages ---

#: A cursor and its frame. The cursors of a table increase; they have no other meaning.
StoredFrame = tuple[int, bytes]
_HEAD: Final = struct.Struct(">QI")
#: The bytes that a frame adds to a page besides its own.
HEAD_BYTES: Final = _HEAD.size
#: The first bytes of a WebSocket message: it is complete and binary, and its length follows in 16 or in 64 bits.
_BINARY: Final = 0x82
_SIZE_16: Final = 126
_SIZE_64: Final = 127


def frame_head(cursor: int, size: int) -> bytes:
    """Return the header of a frame in a page: its cursor (8 bytes) and its length (4 bytes), both big-endian."""
    return _HEAD.pack(cursor, size)


def encode_page(frames: Iterable[StoredFrame]) -> bytes:
    """Return frames as one page: for each frame its header and its bytes."""
    parts: list[bytes] = []
    for cursor, frame in frames:
        parts += (_HEAD.pack(cursor, len(frame)), frame)
    return b"".join(parts)


def message_head(size: int) -> bytes:
    """Return the header of a complete binary WebSocket message (RFC 6455, section 5.2).

    Servers do not mask their messages, so the same bytes go to all clients.
    """
    if size < _SIZE_16:
        return struct.pack(">BB", _BINARY, size)
    if size < 1 << 16:
        return struct.pack(">BBH", _BINARY, _SIZE_16, size)
    return struct.pack(">BBQ", _BINARY, _SIZE_64, size)


def page_message(frames: Iterable[StoredFrame]) -> bytes:
    """Return a page of frames as a complete WebSocket message."""
    data = encode_page(frames)
    return message_head(len(data)) + data


def message_payload(message: bytes) -> bytes:
    """Return the page inside a message made by `page_message`."""
    return message[{_SIZE_16: 4, _SIZE_64: 10}.get(message[1], 2) :]


def split_into_pages(frames: Sequence[StoredFrame]) -> Iterator[Sequence[StoredFrame]]:
    """Split frames into pages small enough for clients to accept."""
    first = size = 0
    for number, (_, frame) in enumerate(frames):
        size += HEAD_BYTES + len(frame)
        if size >= PAGE_BYTES or number == len(frames) - 1:
            yield frames[first : number + 1]
            first, size = number + 1, 0


def parse_page(data: bytes) -> list[StoredFrame]:
    """Return the frames of a page. Raise `DecodeError` for anything that `encode_page` does not produce."""
    frames: list[StoredFrame] = []
    at, last = 0, -1
    while at < len(data):
        if len(data) - at < _HEAD.size:
            raise DecodeError("a page ends in the middle of a frame")
        cursor, size = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if not last < cursor <= INTEGER_MAX:
            raise DecodeError("the cursors of a page do not increase")
        if not 0 < size <= min(FRAME_BYTES_MAX, len(data) - at):
            raise DecodeError("a page contains an empty, oversized or truncated frame")
        frames.append((cursor, data[at : at + size]))
        at, last = at + size, cursor
    if not frames:
        raise DecodeError("a page has no frames")
    return frames
