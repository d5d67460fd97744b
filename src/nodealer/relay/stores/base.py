"""The interface of a store: for each table an append-only, ordered list of frames, and a few notes.

The notes are the relay's records of write permissions and of finished games; the store does not interpret them. The
store's own order decides which note or frame was first, so that several relays on one store agree without talking to
each other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nodealer.relay.messages import StoredFrame, message_payload, page_message

#: Receives the new frames of a table, in order, each once.
FrameListener = Callable[[Sequence[StoredFrame]], None]


@dataclass(frozen=True)
class TableExtent:
    """The extent of a table: the cursor of its last frame (0 for none), the number of its frames, and their bytes."""

    last: int
    frames: int
    bytes: int


class AnonymousFile:
    """A file without a name. It exists as long as this object does."""

    def __init__(self, folder: Path) -> None:
        """Create the file on the disk of this folder."""
        with tempfile.TemporaryFile(dir=folder) as file:
            self.descriptor = os.dup(file.fileno())

    def __del__(self) -> None:
        """Close the file, which deletes its content."""
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


@dataclass(frozen=True, slots=True)
class FileSlice:
    """A range of bytes in an anonymous file."""

    file: AnonymousFile
    start: int
    size: int

    def read(self, skip: int = 0) -> bytes:
        """Return the bytes after the first `skip`."""
        return os.pread(self.file.descriptor, self.size - skip, self.start + skip)


@dataclass(frozen=True, slots=True)
class FramePage:
    """A page of consecutive frames: the message that delivers them, the last cursor, and their number.

    The message is in memory or in a file.
    """

    message: bytes | FileSlice
    last: int
    frames: int

    @property
    def data(self) -> bytes:
        """Return the frames as `messages.encode_page` encodes them."""
        return message_payload(self.message if isinstance(self.message, bytes) else self.message.read())


def page_from(frames: Sequence[StoredFrame]) -> FramePage | None:
    """Return a page of these frames; None if there are none."""
    return FramePage(page_message(frames), frames[-1][0], len(frames)) if frames else None


class Store(Protocol):
    """Keeps the tables of one or more relays.

    All methods raise `RelayError` when the store has failed. The operation may then have been completed nevertheless.
    """

    #: The largest frame that fits, in bytes.
    largest: int

    async def add_note(self, table: str, note: bytes) -> list[bytes]:
        """Add a note, and return all notes of the table in order. The first note creates the table."""

    async def notes(self, table: str) -> list[bytes]:
        """Return the notes of a table; an empty list if there is no such table."""

    async def append(self, table: str, frame: bytes) -> None:
        """Append a frame. When this returns, the frame is stored as durably as this store promises."""

    async def read(self, table: str, after: int) -> FramePage | None:
        """Return the next page of frames after a cursor (0: from the first one); None if there are none."""

    def cached_page(self, table: str, after: int) -> FramePage | None:
        """Return the same page immediately if it is cached, for a subscribed table; else None: use `read`."""

    async def count(self, table: str, after: int) -> int:
        """Return the number of frames after a cursor."""

    async def subscribe(self, table: str, listener: FrameListener) -> TableExtent:
        """Return the table's extent now, and pass every later frame to `listener` once it is stored."""

    async def unsubscribe(self, table: str) -> None:
        """Stop passing frames of this table to the listener."""

    async def size(self) -> int:
        """Return the total bytes of all tables."""

    async def expire(self, table: str, seconds: float) -> None:
        """Let the table be deleted this many seconds from now, even if it is still written to."""

    async def sweep(self, idle: float) -> int:
        """Delete tables that have expired or have not been written to for `idle` seconds; return how many.

        A store that does this by itself has nothing to do here.
        """

    async def close(self) -> None:
        """Release all resources."""
