"""What a store is: for each table a list of frames that only grows, in one order, and a few notes.

Notes say who may write and that a game is over; the relay understands them, the store does not. Which note or frame was
first is decided by the store's own order, so that several relays on one store agree without asking each other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nodealer.relay.messages import Stored, message_of, payload

#: Hears the new frames of a table, in their order, and never twice.
Hear = Callable[[Sequence[Stored]], None]


@dataclass(frozen=True)
class Standing:
    """How a table stands: the cursor of its last frame (0 for none), how many frames it has, and their bytes."""

    last: int
    frames: int
    bytes: int


class Nameless:
    """A file without a name. It is there as long as somebody has this."""

    def __init__(self, folder: Path) -> None:
        with tempfile.TemporaryFile(dir=folder) as file:
            self.descriptor = os.dup(file.fileno())

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


@dataclass(frozen=True, slots=True)
class Shelved:
    """Some bytes of such a file."""

    file: Nameless
    start: int
    size: int

    def read(self, skip: int = 0) -> bytes:
        """All but the first ones."""
        return os.pread(self.file.descriptor, self.size - skip, self.start + skip)


@dataclass(frozen=True, slots=True)
class FramePage:
    """Frames that follow each other, as the message that brings them to a client, here or in a file; the cursor of the
    last; and how many they are."""

    message: bytes | Shelved
    last: int
    frames: int

    @property
    def data(self) -> bytes:
        """The frames as `messages.page` has them."""
        return payload(self.message if isinstance(self.message, bytes) else self.message.read())


def page_of(frames: Sequence[Stored]) -> FramePage | None:
    """A page of these frames; none of none."""
    return FramePage(message_of(frames), frames[-1][0], len(frames)) if frames else None


class Store(Protocol):
    """Everything here raises `RelayError` when the store has failed; what was asked for may then have been done."""

    #: The largest frame that fits.
    largest: int

    async def note(self, table: str, note: bytes) -> list[bytes]:
        """Put a note down; gives all notes of the table in their order. The first note makes the table."""

    async def notes(self, table: str) -> list[bytes]:
        """The notes of a table; none where there is no table."""

    async def append(self, table: str, frame: bytes) -> None:
        """Put a frame into the order. When this returns the frame is kept, as far as this store promises."""

    async def read(self, table: str, after: int) -> FramePage | None:
        """The next frames after a cursor (0: from the first), as many as a page takes; None where there are none."""

    def at_hand(self, table: str, after: int) -> FramePage | None:
        """The same, of a table that is followed, where it takes no time at all; None where `read` is to be asked."""

    async def count(self, table: str, after: int) -> int:
        """How many frames stand after a cursor."""

    async def follow(self, table: str, hear: Hear) -> Standing:
        """How the table stands now. From here on `hear` is told every frame after that, once it is kept."""

    async def unfollow(self, table: str) -> None:
        """Tell no more of this table."""

    async def size(self) -> int:
        """Bytes that all tables have."""

    async def expire(self, table: str, seconds: float) -> None:
        """The table may be forgotten so many seconds from now, whatever is written to it."""

    async def sweep(self, idle: float) -> int:
        """Forget the tables that have expired, and those that nobody has written to for `idle` seconds; gives how many.
        A store that does so by itself has nothing to do here."""

    async def close(self) -> None:
        """Let go of everything."""
