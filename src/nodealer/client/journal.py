"""The journal of a player store, in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nodealer.client.durable_files import LINE_BYTES_MAX, LineFile
from nodealer.errors import DecodeError, HomeUnusable
from nodealer.log.journal import Record
from nodealer.wire import decode, encode


class FileJournal:
    """A journal with one record per line.

    `write` first syncs the log with `sync_log`, because the record refers to it, then the record. Both are on the disk
    when it returns.
    """

    def __init__(self, path: Path, sync_log: Callable[[], None]) -> None:
        """Open the journal at this path and read its records. `sync_log` waits until the log is on the disk."""
        self._sync_log = sync_log
        self._file = LineFile(path)
        try:
            self._records = [_read(line, path, number) for number, line in enumerate(self._file.lines(), start=1)]
        except HomeUnusable:
            self._file.close()
            raise

    @property
    def records(self) -> tuple[Record, ...]:
        """Return all records, oldest first."""
        return tuple(self._records)

    def write(self, record: Record) -> None:
        """Append a record; it and the log are on the disk when this returns."""
        self._sync_log()
        self._file.write(encode(record), sync=True)
        self._records.append(record)

    def close(self) -> None:
        """Close the file. Later writes are refused."""
        self._file.close()


def _read(line: bytes, path: Path, number: int) -> Record:
    """Parse a record. Raise `HomeUnusable` if it is damaged."""
    try:
        record: Record = decode(Record, line, what=f"line {number}", limit=LINE_BYTES_MAX)
    except DecodeError as error:
        raise HomeUnusable(f"the journal {path} is damaged: {error}") from None
    return record
