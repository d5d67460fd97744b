"""The journal: what a seat writes to disk before it sends anything.

It records signed entries and the player's private choices, each with the newest head that the seat had applied. Each
sequence number is signed only once: after a crash the seat sends the same bytes again, and it refuses a log that lacks
the head in the journal. A seat that lost its journal must not continue the hand.
"""

from __future__ import annotations

from typing import Protocol

from nodealer.wire import Digest, Message


class Sent(Message, frozen=True, tag="sent"):
    """An entry that the seat signed. The entry's `seen` is the newest head that the seat had applied."""

    entry: bytes


class Chosen(Message, frozen=True, tag="chosen"):
    """What the player chose for a duty, and the newest head that the seat had applied."""

    head: Digest
    duty: Digest
    choice: bytes


Record = Sent | Chosen


class Journal(Protocol):
    """A store for records. `write` must return only once the record will survive a crash."""

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, in the order they were written."""

    def write(self, record: Record) -> None:
        """Store a record durably."""


class MemoryJournal:
    """A journal for tests and rehearsals. It is lost when the process ends."""

    def __init__(self) -> None:
        """Create an empty journal."""
        self._records: list[Record] = []

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, in the order they were written."""
        return tuple(self._records)

    def write(self, record: Record) -> None:
        """Keep a record in memory."""
        self._records.append(record)
