"""What a seat writes to its disk before it speaks.

Signed entries, and the private choices of its person, each with the newest head the seat had applied. A number is
signed once: after a crash the same bytes go out again, and a log that lacks the head in the journal is refused. A seat
that lost its journal must not go on in the hand.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from nodealer.errors import DecodeError
from nodealer.wire import Digest, Message, decode, encode


class Sent(Message, frozen=True, tag="sent"):
    """An entry that was signed. Its `seen` is the newest head that the seat had applied."""

    entry: bytes


class Chosen(Message, frozen=True, tag="chosen"):
    """What the seat's person chose for a duty, and the newest head that the seat had applied."""

    head: Digest
    duty: Digest
    choice: bytes


Record = Sent | Chosen


class Journal(Protocol):
    """Where records go. `write` returns when the record will survive a crash."""

    @property
    def records(self) -> tuple[Record, ...]: ...
    def write(self, record: Record) -> None: ...


class MemoryJournal:
    """A journal for tests and rehearsals: survives nothing but the loss of its seat."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._records)

    def write(self, record: Record) -> None:
        self._records.append(record)


class FileJournal:
    """A journal in a file, one record a line, on the disk before `write` returns."""

    def __init__(self, path: Path) -> None:
        whole, torn = _read(path)
        self._records = whole
        self._file = path.open("ab")
        if torn:
            # The crash came in the middle of a write: that record was never acted upon.
            self._file.truncate(sum(len(encode(record)) + 1 for record in whole))

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._records)

    def write(self, record: Record) -> None:
        self._file.write(encode(record) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._records.append(record)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _read(path: Path) -> tuple[list[Record], bool]:
    """All whole records of a file, and whether a torn one follows."""
    if not path.exists():
        return [], False
    *lines, last = path.read_bytes().split(b"\n")
    records: list[Record] = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(decode(Record, line, what=f"line {number} of the journal"))
        except DecodeError as error:
            raise DecodeError(f"the journal {path.name} is damaged: {error}") from None
    return records, bool(last)
