"""A copy of the log in a file that the person chose, written while the game goes on.

Existing files are never overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from nodealer.client.events import LogCopyStopped
from nodealer.engine.replica import Replica
from nodealer.errors import BadParameter
from nodealer.wire import encode


class LogCopy:
    """Copies a table's log to a file. A context manager: a file that is still empty at the end is deleted."""

    def __init__(self, path: Path, descriptor: int | None, begun: bytes = b"", left: str | None = None) -> None:
        """Write to `descriptor`, whose file has `begun` as its content.

        Without one, `left` says why nothing is written.
        """
        self.path = path
        self._descriptor = descriptor
        #: What the file contained when it was opened, and the number of entries handled since; -1 before the session.
        self._begun = begun
        self._seen = -1
        #: Why the file is no longer written, or None.
        self.left = left

    @classmethod
    def new(cls, path: Path, mode: int = 0o666) -> LogCopy:
        """Create the file. Raises `BadParameter` if it exists or cannot be created."""
        try:
            return cls(path, os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
        except FileExistsError:
            what = "it is a folder" if path.is_dir() else "the file already exists"
            raise BadParameter(f"cannot write the log to {path}: {what}") from None
        except OSError as error:
            raise BadParameter(f"cannot write the log to {path}: {error.strerror}") from None

    @classmethod
    def again(cls, path: Path) -> LogCopy:
        """Reopen the file of a resumed game, or create it if it was removed.

        If neither works, `left` has the reason; the game goes on without the copy.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            return cls(path, descriptor, path.read_bytes())
        except OSError as error:
            return cls(path, None, left=error.strerror)

    def follow(self, replica: Replica) -> None:
        """Write the new entries of the log."""
        lines: list[bytes] = []
        if self._seen < 0:
            lines.append(encode(replica.config.session))
            self._seen = 0
        lines += replica.entries[self._seen :]
        self._seen = len(replica.entries)
        self._write(b"".join(line + b"\n" for line in lines))

    def _write(self, data: bytes) -> None:
        """Compare the data with what the file already had; append the rest. On failure, set `left` to the reason."""
        common = min(len(data), len(self._begun))
        if data[:common] != self._begun[:common]:
            self.left = "it no longer contains the log of this game"
        self._begun, data = self._begun[common:], data[common:]
        try:
            while data and self.left is None and self._descriptor is not None:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            self.left = error.strerror

    def __enter__(self) -> LogCopy:
        """Return the copy itself; the file is already open."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file, and delete it if it is empty."""
        if self._descriptor is None:
            return
        empty = os.fstat(self._descriptor).st_size == 0
        os.close(self._descriptor)
        if empty:
            self.path.unlink(missing_ok=True)


def copy_log(copies: Iterable[LogCopy], log: Path, show: Callable[[LogCopyStopped], None], replica: Replica) -> None:
    """Write the new entries to each copy, and show once if one can no longer be written. `log` is the whole log."""
    for copy in copies:
        known = copy.left
        copy.follow(replica)
        if copy.left is not None and known is None:
            show(LogCopyStopped(str(copy.path), copy.left, str(log)))
