"""The journal in memory."""

from __future__ import annotations

from nodealer.log.journal import Chosen, MemoryJournal, Record, Sent

RECORDS: tuple[Record, ...] = (Sent(b"first entry"), Chosen(b"h" * 32, b"d" * 32, b"[2,1]"), Sent(b"second\nentry"))


def test_memory() -> None:
    journal = MemoryJournal()
    for record in RECORDS:
        journal.write(record)
    assert journal.records == RECORDS
