"""Tables in memory, lost when the process ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from nodealer.errors import RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, HEAD_BYTES, PAGE_BYTES, StoredFrame
from nodealer.relay.stores.base import FrameListener, FramePage, TableExtent, page_from


@dataclass(slots=True)
class _Table:
    """One table in memory."""

    written: float
    notes: list[bytes] = field(default_factory=list)
    #: The frame with cursor n is the n-th in the list.
    frames: list[bytes] = field(default_factory=list)
    bytes: int = 0
    expires: float = inf
    listener: FrameListener | None = None


class MemoryStore:
    """A store that keeps nothing beyond the life of its process."""

    largest = FRAME_BYTES_MAX

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create a store without tables. `clock` returns seconds."""
        self._clock = clock
        self._tables: dict[str, _Table] = {}

    async def add_note(self, table: str, note: bytes) -> list[bytes]:
        """Add a note, and return all notes."""
        found = self._tables.setdefault(table, _Table(self._clock()))
        found.notes.append(note)
        found.written = self._clock()
        return list(found.notes)

    async def notes(self, table: str) -> list[bytes]:
        """Return all notes of a table."""
        found = self._tables.get(table)
        return [] if found is None else list(found.notes)

    async def append(self, table: str, frame: bytes) -> None:
        """Append a frame."""
        found = self._table(table)
        found.frames.append(frame)
        found.bytes += len(frame)
        found.written = self._clock()
        if found.listener is not None:
            found.listener([(len(found.frames), frame)])

    async def read(self, table: str, after: int) -> FramePage | None:
        """Return a page of frames after a cursor."""
        found = self._tables.get(table)
        some: list[StoredFrame] = []
        size = 0
        while found is not None and after < len(found.frames) and size < PAGE_BYTES:
            frame = found.frames[after]
            after, size = after + 1, size + HEAD_BYTES + len(frame)
            some.append((after, frame))
        return page_from(some)

    def cached_page(self, table: str, after: int) -> FramePage | None:
        """Return None: pages are assembled on request."""
        return None

    async def count(self, table: str, after: int) -> int:
        """Return the number of frames after a cursor."""
        found = self._tables.get(table)
        return 0 if found is None else max(0, len(found.frames) - after)

    async def subscribe(self, table: str, listener: FrameListener) -> TableExtent:
        """Return the table's extent, and pass later frames to `listener`."""
        found = self._table(table)
        found.listener = listener
        return TableExtent(len(found.frames), len(found.frames), found.bytes)

    async def unsubscribe(self, table: str) -> None:
        """Stop passing frames to the listener."""
        if table in self._tables:
            self._tables[table].listener = None

    async def size(self) -> int:
        """Return the total bytes of all tables."""
        return sum(table.bytes for table in self._tables.values())

    async def expire(self, table: str, seconds: float) -> None:
        """Let the table be deleted this many seconds from now."""
        self._table(table).expires = self._clock() + seconds

    async def sweep(self, idle: float) -> int:
        """Delete tables that are expired or idle."""
        now = self._clock()
        gone = [name for name, table in self._tables.items() if min(table.expires, table.written + idle) <= now]
        for name in gone:
            del self._tables[name]
        return len(gone)

    async def close(self) -> None:
        """Delete everything."""
        self._tables.clear()

    def _table(self, name: str) -> _Table:
        """Return a table. Raise `RelayError` if there is none."""
        if name not in self._tables:
            raise RelayError("there is no such table")
        return self._tables[name]
