"""Tables in memory: gone with the process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from nodealer.errors import RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, HEAD_BYTES, PAGE_BYTES, Stored
from nodealer.relay.stores.base import FramePage, Hear, Standing, page_of


@dataclass(slots=True)
class _Table:
    written: float
    notes: list[bytes] = field(default_factory=list)
    #: The frame with cursor n is the n-th.
    frames: list[bytes] = field(default_factory=list)
    bytes: int = 0
    expires: float = inf
    hear: Hear | None = None


class MemoryStore:
    """A store that promises nothing beyond the life of its process."""

    largest = FRAME_BYTES_MAX

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tables: dict[str, _Table] = {}

    async def note(self, table: str, note: bytes) -> list[bytes]:
        """Put a note down; gives all of them."""
        found = self._tables.setdefault(table, _Table(self._clock()))
        found.notes.append(note)
        found.written = self._clock()
        return list(found.notes)

    async def notes(self, table: str) -> list[bytes]:
        """All notes."""
        found = self._tables.get(table)
        return [] if found is None else list(found.notes)

    async def append(self, table: str, frame: bytes) -> None:
        """Put a frame into the order."""
        found = self._table(table)
        found.frames.append(frame)
        found.bytes += len(frame)
        found.written = self._clock()
        if found.hear is not None:
            found.hear([(len(found.frames), frame)])

    async def read(self, table: str, after: int) -> FramePage | None:
        """A page of frames after a cursor."""
        found = self._tables.get(table)
        some: list[Stored] = []
        size = 0
        while found is not None and after < len(found.frames) and size < PAGE_BYTES:
            frame = found.frames[after]
            after, size = after + 1, size + HEAD_BYTES + len(frame)
            some.append((after, frame))
        return page_of(some)

    def at_hand(self, table: str, after: int) -> FramePage | None:
        """None is: pages are put together when somebody asks."""
        return None

    async def count(self, table: str, after: int) -> int:
        """How many frames stand after a cursor."""
        found = self._tables.get(table)
        return 0 if found is None else max(0, len(found.frames) - after)

    async def follow(self, table: str, hear: Hear) -> Standing:
        """How the table stands; and `hear` is told of what comes."""
        found = self._table(table)
        found.hear = hear
        return Standing(len(found.frames), len(found.frames), found.bytes)

    async def unfollow(self, table: str) -> None:
        """Tell no more."""
        if table in self._tables:
            self._tables[table].hear = None

    async def size(self) -> int:
        """Bytes of all tables."""
        return sum(table.bytes for table in self._tables.values())

    async def expire(self, table: str, seconds: float) -> None:
        """Forget it so many seconds from now."""
        self._table(table).expires = self._clock() + seconds

    async def sweep(self, idle: float) -> int:
        """Forget what has expired or is idle."""
        now = self._clock()
        gone = [name for name, table in self._tables.items() if min(table.expires, table.written + idle) <= now]
        for name in gone:
            del self._tables[name]
        return len(gone)

    async def close(self) -> None:
        """Let go of everything."""
        self._tables.clear()

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            raise RelayError("there is no such table")
        return self._tables[name]
