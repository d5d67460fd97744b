"""What a relay and its clients say to each other. docs/spec/relay.md has it for those who write another one.

Text messages are the JSON of the structs here. Binary ones carry frames: from a client one frame, from the relay a page
of them, each with its cursor. A frame that comes in a page is kept: that is the acknowledgement, also for its sender.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

import msgspec

from nodealer.errors import DecodeError
from nodealer.wire import INTEGER_MAX, MESSAGE_BYTES_MAX, Message, Natural, decode

#: One sealed frame: a message, and what sealing adds to it.
FRAME_BYTES_MAX: Final = MESSAGE_BYTES_MAX + 1024
#: A page is as large as this, unless one frame alone is larger.
PAGE_BYTES: Final = 256 << 10
#: The most that a page can have: frames up to the limit, and then one more.
PAGE_BYTES_MAX: Final = PAGE_BYTES + FRAME_BYTES_MAX + 1024
#: Text of either side. Longer is refused unread.
TEXT_BYTES_MAX: Final = 1024
TOKEN_BYTES: Final = 32
WRITER_BYTES: Final = 64

#: A table is 16 random bytes, in hex. A mailbox is a number, and a table that anybody may write a few frames to.
#: With `$` a line end could follow, and a store of NATS has the name in its subjects as it is.
TableName = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{32}|box-[1-9][0-9]{0,5})\Z")]
#: The numbers that the pattern has room for.
MAILBOX_MAX: Final = 999_999
#: SHA-512 of a write token: all that a relay keeps of it.
Writer = Annotated[bytes, msgspec.Meta(min_length=WRITER_BYTES, max_length=WRITER_BYTES)]

# --- From a client ---


class Create(Message, frozen=True, tag="create"):
    """Let there be a table that takes frames from those whose token has this hash. The same twice is no harm."""

    table: TableName
    writer: Writer


class MailboxWanted(Message, frozen=True, tag="mailbox"):
    """Let there be a mailbox. The relay says its number."""


class Open(Message, frozen=True, tag="open"):
    """Bring me the frames of a table: those after a cursor, or all, and each new one."""

    table: TableName
    after: Natural | None


class Token(Message, frozen=True, tag="token"):
    """What I need to append to the table that I have open. Frames are sent once it is accepted: before, the relay takes
    nothing that is large."""

    token: Annotated[bytes, msgspec.Meta(min_length=TOKEN_BYTES, max_length=TOKEN_BYTES)]


class Rekey(Message, frozen=True, tag="rekey"):
    """Let the table take frames by this writer's token too, one key epoch later. Said by one who may write. The first
    frame by a token of a later epoch ends all tokens of earlier ones."""

    writer: Writer


class End(Message, frozen=True, tag="end"):
    """The game is over, says one who may write: the table need not be kept for long."""


Asked = Create | MailboxWanted | Open | Token | Rekey | End

# --- From the relay ---


class Created(Message, frozen=True, tag="created"):
    """The table is there."""


class MailboxGiven(Message, frozen=True, tag="mailbox"):
    """The number of a mailbox that nobody else has."""

    number: Annotated[int, msgspec.Meta(ge=1, le=MAILBOX_MAX)]


class Opened(Message, frozen=True, tag="opened"):
    """So many frames stand after the cursor, and come now; and the largest frame that this relay takes."""

    frames: Natural
    largest: Natural


class Accepted(Message, frozen=True, tag="accepted"):
    """The token is good, the writer is taken, or the end is noted."""


class Refused(Message, frozen=True, tag="refused"):
    """Not so, and why: a word for programs, a sentence for people. What cannot go on is closed."""

    code: str
    reason: str


Told = Created | MailboxGiven | Opened | Accepted | Refused


def read_asked(text: str) -> Asked:
    """What a client says. Raises `DecodeError`."""
    return _read(Asked, text, "what a client says")  # type: ignore[no-any-return]


def read_told(text: str) -> Told:
    """What a relay says. Raises `DecodeError`."""
    return _read(Told, text, "what the relay says")  # type: ignore[no-any-return]


def _read(kind: object, text: str, what: str):  # type: ignore[no-untyped-def]
    return decode(kind, text.encode(errors="replace"), what=what, limit=TEXT_BYTES_MAX)  # type: ignore[call-overload]


# --- Pages ---

#: A frame and where it stands. Cursors of a table grow; nothing else is to be read from them.
Stored = tuple[int, bytes]
_HEAD: Final = struct.Struct(">QI")
#: What a frame adds to a page beside its own bytes.
HEAD_BYTES: Final = _HEAD.size
#: Of a WebSocket message: that it is whole and binary; and that its length follows in 16 or in 64 bits.
_BINARY: Final = 0x82
_SIZE_16: Final = 126
_SIZE_64: Final = 127


def head(cursor: int, size: int) -> bytes:
    """What stands before a frame: its cursor (8 bytes) and its length (4 bytes), both big-endian."""
    return _HEAD.pack(cursor, size)


def page(frames: Iterable[Stored]) -> bytes:
    """Frames as one message: of each its head, and its bytes."""
    parts: list[bytes] = []
    for cursor, frame in frames:
        parts += (_HEAD.pack(cursor, len(frame)), frame)
    return b"".join(parts)


def message_head(size: int) -> bytes:
    """What stands before a page on the wire: the head of a whole binary message (RFC 6455, section 5.2). What a server
    says is not masked, so the same bytes go to all."""
    if size < _SIZE_16:
        return struct.pack(">BB", _BINARY, size)
    if size < 1 << 16:
        return struct.pack(">BBH", _BINARY, _SIZE_16, size)
    return struct.pack(">BBQ", _BINARY, _SIZE_64, size)


def message_of(frames: Iterable[Stored]) -> bytes:
    """A page as the message that brings it."""
    data = page(frames)
    return message_head(len(data)) + data


def payload(message: bytes) -> bytes:
    """The page in a message of ours."""
    return message[{_SIZE_16: 4, _SIZE_64: 10}.get(message[1], 2) :]


def in_pages(frames: Sequence[Stored]) -> Iterator[Sequence[Stored]]:
    """The frames of each page, so that none is larger than clients take."""
    first = size = 0
    for number, (_, frame) in enumerate(frames):
        size += HEAD_BYTES + len(frame)
        if size >= PAGE_BYTES or number == len(frames) - 1:
            yield frames[first : number + 1]
            first, size = number + 1, 0


def read_page(data: bytes) -> list[Stored]:
    """The frames of a page. Raises `DecodeError` for anything that `page` does not make."""
    frames: list[Stored] = []
    at, last = 0, -1
    while at < len(data):
        if len(data) - at < _HEAD.size:
            raise DecodeError("a page that ends in the middle of a frame")
        cursor, size = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if not last < cursor <= INTEGER_MAX:
            raise DecodeError("a page whose cursors do not grow")
        if not 0 < size <= min(FRAME_BYTES_MAX, len(data) - at):
            raise DecodeError("a page with a frame that is empty, too large or cut")
        frames.append((cursor, data[at : at + size]))
        at, last = at + size, cursor
    if not frames:
        raise DecodeError("a page without frames")
    return frames
