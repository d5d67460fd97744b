"""Files that survive a crash: append-only line files, and small files that are replaced atomically."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nodealer.errors import BadParameter, HomeUnusable
from nodealer.wire import MESSAGE_BYTES_MAX

#: Only the owner may read these files.
FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
#: A journal line is an entry in base64 plus a little overhead.
LINE_BYTES_MAX: Final = 2 * MESSAGE_BYTES_MAX
_BLOCK: Final = 1 << 16


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn `OSError` into `HomeUnusable` with a sentence that names the file or folder."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(f"cannot use {path}: {error.strerror or error}") from error


def sync_folder(folder: Path) -> None:
    """Flush a folder's directory entries to disk, so that its file names survive a crash."""
    with disk_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder; other programs that want to change it wait."""
    with disk_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        with disk_errors(folder):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it appears complete or not at all. It is on the disk when this returns."""
    partial = path.with_name(path.name + ".partial")
    with disk_errors(path):
        # It was left behind by a process that was killed; or, if the folder was open to others, it is a file or link of
        # theirs.
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        try:
            _write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        partial.replace(path)
    sync_folder(path.parent)


class SmallFile:
    """A small file that is replaced atomically and changed by one program at a time."""

    def __init__(self, path: Path, limit: int) -> None:
        """Use the file at this path, of at most `limit` bytes. It need not exist."""
        self._path = path
        self._limit = limit

    @property
    def location(self) -> str:
        """Return the path, for messages."""
        return str(self._path)

    def read(self) -> bytes | None:
        """Return the contents, or None if there is no file; at most one byte more than the limit."""
        with disk_errors(self._path):
            try:
                with self._path.open("rb") as file:
                    return file.read(self._limit + 1)
            except FileNotFoundError:
                return None

    def change(self, make: Callable[[bytes | None], bytes]) -> None:
        """Replace the contents with `make(old contents)` under the folder's lock."""
        folder = self._path.parent
        with disk_errors(folder):
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        with locked_folder(folder):
            write_atomically(self._path, make(self.read()))


def _write(descriptor: int, data: bytes) -> None:
    """Write all bytes, however many calls that takes."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


class LineFile:
    """An append-only file of lines.

    Only one process has it open, which the home's lock ensures. A forked process inherits lock and file, but may not
    write.

    A partial line at the end was never acted upon and is truncated on opening. After a failed write the file accepts no
    more lines: part of the line may be on the disk, and writing another line in its place would mean having said two
    different things.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing file, and remove a partial line at its end. Raises `HomeUnusable`."""
        self._path = path
        self._owner = os.getpid()
        self._broken = False
        self._unsynced = False
        with disk_errors(path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            try:
                self._size_at_open = self._truncate_partial_line()
                # A process that was killed before syncing leaves lines that may not have reached the disk.
                os.fsync(self._descriptor)
            except OSError:
                self.close()
                raise

    def _truncate_partial_line(self) -> int:
        """Remove a partial line at the end, and return the size of the file."""
        size = os.fstat(self._descriptor).st_size
        end = _end_of_lines(self._descriptor, size)
        if end < size:
            os.ftruncate(self._descriptor, end)
        return end

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that were there when the file was opened. Raise `HomeUnusable` for a damaged line."""
        with disk_errors(self._path), self._path.open("rb") as file:
            left, number = self._size_at_open, 0
            while left:
                line = file.readline(min(left, LINE_BYTES_MAX + 1))
                number += 1
                if len(line) < 2 or not line.endswith(b"\n"):
                    raise HomeUnusable(f"{self._path} is damaged: line {number} is empty, too long or missing")
                left -= len(line)
                yield line[:-1]

    def write(self, line: bytes, *, sync: bool) -> None:
        """Append a line. With `sync`, it is on the disk when this returns."""
        if not 0 < len(line) <= LINE_BYTES_MAX or b"\n" in line:
            raise BadParameter(f"{self._path} takes only single lines of 1 to {LINE_BYTES_MAX} bytes")
        with self._writable():
            self._unsynced = True
            _write(self._descriptor, line + b"\n")
            if sync:
                self._sync()

    def sync(self) -> None:
        """Flush everything written so far to the disk."""
        with self._writable():
            if self._unsynced:
                self._sync()

    def _sync(self) -> None:
        """Wait until all written lines are on the disk."""
        os.fsync(self._descriptor)
        self._unsynced = False

    @contextmanager
    def _writable(self) -> Iterator[None]:
        """Allow one write, and refuse all further ones if it does not complete."""
        if self._broken:
            raise HomeUnusable(
                f"cannot write to {self._path}: it was closed, or an earlier write failed; open the home again"
            )
        if os.getpid() != self._owner:
            raise HomeUnusable(f"{self._path} can only be written by the process that opened it")
        # If anything interrupts the write, the file stays marked as broken.
        self._broken = True
        with disk_errors(self._path):
            yield
        self._broken = False

    def close(self) -> None:
        """Close the file. Later writes raise `HomeUnusable`."""
        self._broken = True
        if self._descriptor >= 0:
            os.close(self._descriptor)
            # The descriptor number may be reused for another file.
            self._descriptor = -1


def _end_of_lines(descriptor: int, size: int) -> int:
    """Return the offset at which the last complete line ends."""
    end = size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
