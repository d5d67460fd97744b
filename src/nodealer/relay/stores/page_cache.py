"""Pages that somebody has read, put down as they go to a socket: the next reader gets them from there.

A frame that is kept never changes, and neither does a page that is full. To put one together takes a database longer
than the system takes to send it from a file. The file has no name and ends with the process: all that is in it is
elsewhere too. It takes no memory but what the system has to spare.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from nodealer.relay.messages import PAGE_BYTES, message_head
from nodealer.relay.stores.base import FramePage, Nameless, Shelved

#: When so many bytes are on the shelf it is begun anew. As many must be left on the disk, for those who write.
_SHELF_BYTES: Final = 256 << 20
#: Smaller pages are not put down: most of them grow, and none takes long.
_LEAST: Final = PAGE_BYTES // 2


class PageCache:
    """One thread puts pages down, and any may look for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Nameless | None = None
        #: The one before it, as long as somebody has a page of that.
        self._old: weakref.ref[Nameless] | None = None
        self._end = 0
        self._pages: dict[tuple[int, int], FramePage] = {}

    def find(self, number: int, after: int) -> FramePage | None:
        """The page after a cursor, of a table that has this number for ever."""
        return self._pages.get((number, after))

    def keep(self, number: int, after: int, data: bytes, *, last: int, frames: int) -> FramePage:
        """The frames after a cursor as a page: on the shelf, where that is worth it and the disk takes it."""
        head = message_head(len(data))
        if len(data) >= _LEAST:
            # A disk that is full has no room for copies; whoever writes to it will hear of that.
            with suppress(OSError):
                page = self._pages[number, after] = FramePage(self._put(head, data), last, frames)
                return page
        return FramePage(head + data, last, frames)

    def _put(self, head: bytes, data: bytes) -> Shelved:
        size = len(head) + len(data)
        disk = os.statvfs(self._folder)
        if disk.f_bavail * disk.f_frsize < _SHELF_BYTES:
            self.close()
            raise OSError("the disk has little room, and not for copies")
        if self._file is None or self._end + size > _SHELF_BYTES:
            if self._old is not None and self._old() is not None:
                # Whoever takes its pages slowly would hold one file after the other.
                raise OSError("somebody still reads from the file before")
            self.close()
            self._file, self._end = Nameless(self._folder), 0
        if os.pwritev(self._file.descriptor, (head, data), self._end) != size:
            raise OSError("the disk took a part of a page")
        start, self._end = self._end, self._end + size
        return Shelved(self._file, start, size)

    def close(self) -> None:
        """Let go of the file; another one is begun with the next page. Who still has a page of it can read that, and
        then the system forgets it."""
        self._pages.clear()
        if self._file is not None:
            self._old = weakref.ref(self._file)
        self._file = None
