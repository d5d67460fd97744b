"""What a seat writes to its disk before it speaks.

Signed entries, and the private choices of its person, each with the newest head the seat had applied. A number is
signed once: after a crash the same bytes go out again, and a log that lacks the head in the journal is refused. A seat
that lost its journal must not go on in the hand.
"""

from __future__ import annotations

from typing import Protocol

from nodealer.wire import Digest, Message


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
