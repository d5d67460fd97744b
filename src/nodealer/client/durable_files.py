"""Files that outlive a crash: lines that only grow, and small files that are there whole or not at all."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nodealer.errors import BadParameter, HomeUnusable
from nodealer.wire import MESSAGE_BYTES_MAX

#: Only their owner may read them.
FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
#: A line of a journal is an entry in base64, and a little more.
LINE_BYTES_MAX: Final = 2 * MESSAGE_BYTES_MAX
_BLOCK: Final = 1 << 16


@contextmanager
def disk(path: Path) -> Iterator[None]:
    """What the disk has against a file or folder, as a sentence that names it."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(f"cannot use {path}: {error.strerror or error}") from error


def sync_folder(folder: Path) -> None:
    """The names in a folder survive a crash from here on."""
    with disk(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Whoever else would change something in a folder waits until this is over."""
    with disk(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        with disk(folder):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_whole(path: Path, data: bytes) -> None:
    """Make a file. It appears whole or not at all, and is on the disk when this returns."""
    partial = path.with_name(path.name + ".partial")
    with disk(path):
        # Left by one who was killed; or, in a folder that was open to others, a file or a link of theirs.
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
    """A small file, there whole or not at all, which one program changes at a time."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit

    @property
    def where(self) -> str:
        """Its path."""
        return str(self._path)

    def read(self) -> bytes | None:
        """All of it, or one byte more than is allowed; None where there is none."""
        with disk(self._path):
            try:
                with self._path.open("rb") as file:
                    return file.read(self._limit + 1)
            except FileNotFoundError:
                return None

    def change(self, make: Callable[[bytes | None], bytes]) -> None:
        """Put something else in its place."""
        folder = self._path.parent
        with disk(folder):
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        with alone(folder):
            write_whole(self._path, make(self.read()))


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


class LineFile:
    """A file of lines that only grows. One process has it open: the home's lock sees to that. A process that is forked
    off has lock and file too, and may not write.

    Half a line at its end was never acted upon, and is cut away. After a write that failed it takes no more: part of
    the line may be there, and whoever writes another one in its place would have said two things.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._owner = os.getpid()
        self._in_doubt = False
        self._unsynced = False
        with disk(path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            try:
                self._kept = self._cut()
                # A process that was killed before it synced leaves lines that only look as if they were on the disk.
                os.fsync(self._descriptor)
            except OSError:
                self.close()
                raise

    def _cut(self) -> int:
        size = os.fstat(self._descriptor).st_size
        end = _end_of_lines(self._descriptor, size)
        if end < size:
            os.ftruncate(self._descriptor, end)
        return end

    def lines(self) -> Iterator[bytes]:
        """The lines that were there when the file was opened, one at a time."""
        with disk(self._path), self._path.open("rb") as file:
            left, number = self._kept, 0
            while left:
                line = file.readline(min(left, LINE_BYTES_MAX + 1))
                number += 1
                if len(line) < 2 or not line.endswith(b"\n"):
                    raise HomeUnusable(f"{self._path} is damaged: line {number} is empty, too long or gone")
                left -= len(line)
                yield line[:-1]

    def write(self, line: bytes, *, sync: bool) -> None:
        """One more line; with `sync` it is on the disk when this returns."""
        if not 0 < len(line) <= LINE_BYTES_MAX or b"\n" in line:
            raise BadParameter(f"what is not one line of 1 to {LINE_BYTES_MAX} bytes cannot be kept in {self._path}")
        with self._doubtful():
            self._unsynced = True
            _write(self._descriptor, line + b"\n")
            if sync:
                self._sync()

    def sync(self) -> None:
        """Everything that was written survives a crash from here on."""
        with self._doubtful():
            if self._unsynced:
                self._sync()

    def _sync(self) -> None:
        os.fsync(self._descriptor)
        self._unsynced = False

    @contextmanager
    def _doubtful(self) -> Iterator[None]:
        if self._in_doubt:
            raise HomeUnusable(
                f"{self._path} takes no more: it was closed, or a write to it failed; open the home again"
            )
        if os.getpid() != self._owner:
            raise HomeUnusable(f"{self._path} is written by the process that opened it, and this is another one")
        # Whatever ends this early, an interrupt too, leaves it in doubt.
        self._in_doubt = True
        with disk(self._path):
            yield
        self._in_doubt = False

    def close(self) -> None:
        """Close the file. It takes no more."""
        self._in_doubt = True
        if self._descriptor >= 0:
            os.close(self._descriptor)
            # The number may soon be another file's.
            self._descriptor = -1


def _end_of_lines(descriptor: int, size: int) -> int:
    """Where the last whole line of a file ends."""
    end = size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
