"""A cache of pages, stored as they go to a socket, for the next reader.

A stored frame never changes, and neither does a full page. A database takes longer to assemble one than the system
takes to send it from a file. The file has no name and disappears with the process; all its contents also exist
elsewhere. It uses no memory except what the system can spare.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from nodealer.relay.messages import PAGE_BYTES, message_head
from nodealer.relay.stores.base import AnonymousFile, FileSlice, FramePage

#: The maximum size of the cache file; then a new one is started. As much must remain free on the disk, for the store.
_FILE_BYTES_MAX: Final = 256 << 20
#: Smaller pages are not cached: most of them still grow, and none takes long to assemble.
_PAGE_BYTES_MIN: Final = PAGE_BYTES // 2


class PageCache:
    """A cache of pages. One thread adds pages; any thread may look them up."""

    def __init__(self, folder: Path) -> None:
        """Keep the pages in an unnamed file on the disk of this folder, created with the first page."""
        self._folder = folder
        self._file: AnonymousFile | None = None
        #: The previous file, as long as a reader holds a page of it.
        self._old: weakref.ref[AnonymousFile] | None = None
        self._end = 0
        self._pages: dict[tuple[int, int], FramePage] = {}

    def find(self, number: int, after: int) -> FramePage | None:
        """Return the cached page after a cursor, of the table with this permanent number; else None."""
        return self._pages.get((number, after))

    def add(self, number: int, after: int, data: bytes, *, last: int, frames: int) -> FramePage:
        """Return the frames after a cursor as a page, cached in the file if it is worth it and the disk allows it."""
        head = message_head(len(data))
        if len(data) >= _PAGE_BYTES_MIN:
            # A full disk has no room for copies; the writer will report that.
            with suppress(OSError):
                page = self._pages[number, after] = FramePage(self._write(head, data), last, frames)
                return page
        return FramePage(head + data, last, frames)

    def _write(self, head: bytes, data: bytes) -> FileSlice:
        """Write a page to the file, starting a new file if this one is full. Raise `OSError` if there is no space."""
        size = len(head) + len(data)
        disk = os.statvfs(self._folder)
        if disk.f_bavail * disk.f_frsize < _FILE_BYTES_MAX:
            self.close()
            raise OSError("the disk has too little space for copies")
        if self._file is None or self._end + size > _FILE_BYTES_MAX:
            if self._old is not None and self._old() is not None:
                # A slow reader would otherwise hold one file after the other.
                raise OSError("the previous file is still being read")
            self.close()
            self._file, self._end = AnonymousFile(self._folder), 0
        if os.pwritev(self._file.descriptor, (head, data), self._end) != size:
            raise OSError("only part of a page was written")
        start, self._end = self._end, self._end + size
        return FileSlice(self._file, start, size)

    def close(self) -> None:
        """Drop the file; the next page starts a new one.

        Readers of its pages can finish, then the system deletes it.
        """
        self._pages.clear()
        if self._file is not None:
            self._old = weakref.ref(self._file)
        self._file = None
