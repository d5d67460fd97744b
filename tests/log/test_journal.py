"""The journal: on the disk before anything is said, and torn lines forgotten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nodealer.errors import DecodeError
from nodealer.log.journal import Chosen, FileJournal, MemoryJournal, Record, Sent

RECORDS: tuple[Record, ...] = (Sent(b"first entry"), Chosen(b"h" * 32, b"d" * 32, b"[2,1]"), Sent(b"second\nentry"))


def written(path: Path) -> bytes:
    journal = FileJournal(path)
    for record in RECORDS:
        journal.write(record)
    journal.close()
    return path.read_bytes()


def test_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    written(path)
    journal = FileJournal(path)
    assert journal.records == RECORDS
    journal.write(RECORDS[0])
    journal.close()
    again = FileJournal(path)
    assert again.records == (*RECORDS, RECORDS[0])
    again.close()


def test_written_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    path = tmp_path / "journal"
    monkeypatch.setattr(os, "fsync", lambda fileno: synced.append(path.stat().st_size))
    journal = FileJournal(path)
    for record in RECORDS:
        journal.write(record)
    journal.close()
    whole = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    assert synced == ends, "every line was in the file when it was synced"


def test_a_failed_sync_is_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(fileno: int) -> None:
        raise OSError("disk full")

    journal = FileJournal(tmp_path / "journal")
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        journal.write(RECORDS[0])
    assert journal.records == ()
    journal.close()


def test_torn_at_every_byte(tmp_path: Path) -> None:
    """A crash in the middle of a write: what was whole is there, what was torn is gone, and writing goes on."""
    whole = written(tmp_path / "whole")
    for size in range(len(whole)):
        path = tmp_path / f"torn {size}"
        path.write_bytes(whole[:size])
        journal = FileJournal(path)
        count = whole[:size].count(b"\n")
        assert journal.records == RECORDS[:count]
        journal.write(RECORDS[0])
        journal.close()
        again = FileJournal(path)
        assert again.records == (*RECORDS[:count], RECORDS[0])
        again.close()


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"garbage", b'{"type":"sent","entry":"!"}', b'{"type":"sent", "entry":""}']
)
def test_a_damaged_line_is_an_error(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "journal"
    path.write_bytes(written(tmp_path / "whole") + line + b"\n")
    with pytest.raises(DecodeError, match="damaged"):
        FileJournal(path)


def test_memory() -> None:
    journal = MemoryJournal()
    journal.write(RECORDS[0])
    assert journal.records == (RECORDS[0],)
