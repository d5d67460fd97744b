"""The journal in a file: on the disk before anything is sent, partial lines removed, no writes after a failed one."""

from __future__ import annotations

import errno
import os
from itertools import pairwise
from pathlib import Path

import pytest

from nodealer.client.journal import FileJournal
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.log.journal import Chosen, Journal, Record, Sent
from nodealer.wire import MESSAGE_BYTES_MAX, encode

RECORDS: tuple[Record, ...] = (Sent(b"first entry"), Chosen(b"h" * 32, b"d" * 32, b"[2,1]"), Sent(b"second\nentry"))


def no_log() -> None:
    """Do nothing: there is no log to sync."""


def opened(path: Path) -> FileJournal:
    return FileJournal(path, no_log)


def written(path: Path) -> bytes:
    path.touch()
    journal = opened(path)
    for record in RECORDS:
        journal.write(record)
    journal.close()
    return path.read_bytes()


def read(path: Path) -> tuple[Record, ...]:
    journal = opened(path)
    journal.close()
    return journal.records


def test_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    written(path)
    journal = opened(path)
    a_journal: Journal = journal
    assert a_journal.records == RECORDS
    journal.write(RECORDS[0])
    journal.close()
    assert read(path) == (*RECORDS, RECORDS[0])


def test_the_log_first_then_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record is synced when written, and the log that it refers to before it."""
    path = tmp_path / "journal"
    path.touch()
    done: list[object] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append(path.stat().st_size))
    journal = FileJournal(path, lambda: done.append(f"log at {path.stat().st_size}"))
    for record in RECORDS:
        journal.write(record)
    journal.close()
    ends = [0, *(at + 1 for at, byte in enumerate(path.read_bytes()) if byte == 10)]
    expected: list[object] = [0]
    for before, after in pairwise(ends):
        expected += [f"log at {before}", after]
    assert done == expected


def test_what_was_only_written_is_synced_when_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill between write and sync, a record must be synced before anyone acts on it."""
    path = tmp_path / "journal"
    whole = written(path)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(path.stat().st_size))
    path.write_bytes(whole + b"torn")
    read(path)
    assert synced == [len(whole)], "after the cut"


def test_no_record_without_its_log(tmp_path: Path) -> None:
    def fails() -> None:
        raise HomeUnusable("the log takes no more")

    path = tmp_path / "journal"
    path.touch()
    journal = FileJournal(path, fails)
    with pytest.raises(HomeUnusable, match="the log takes no more"):
        journal.write(RECORDS[0])
    journal.close()
    assert path.read_bytes() == b"" and journal.records == ()


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), OSError("odd"), KeyboardInterrupt()]
)
def test_after_a_failed_write_it_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException
) -> None:
    """A retry could replace a record that is on the disk: one number, signed twice."""

    def fails(*arguments: object) -> None:
        raise error

    path = tmp_path / "journal"
    written(path)
    journal = opened(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails)
        with pytest.raises((HomeUnusable, KeyboardInterrupt)) as caught:
            journal.write(RECORDS[0])
    assert isinstance(error, KeyboardInterrupt) or str(path) in str(caught.value)
    assert journal.records == RECORDS
    after = path.read_bytes()
    for _ in range(2):
        with pytest.raises(HomeUnusable, match="cannot write to"):
            journal.write(RECORDS[1])
    assert path.read_bytes() == after
    journal.close()
    assert read(path) == (RECORDS if call == "write" else (*RECORDS, RECORDS[0]))


def test_short_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(tmp_path / "whole")
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    assert written(tmp_path / "in pieces") == whole


def test_closed(tmp_path: Path) -> None:
    written(tmp_path / "journal")
    journal = opened(tmp_path / "journal")
    journal.close()
    journal.close()
    with pytest.raises(HomeUnusable, match="cannot write to"):
        journal.write(RECORDS[0])


def test_torn_at_every_byte(tmp_path: Path) -> None:
    """After a crash in the middle of a write, the partial line is removed, the others remain, and writing continues."""
    whole = written(tmp_path / "whole")
    path = tmp_path / "torn"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        journal = opened(path)
        count = whole[:size].count(b"\n")
        assert journal.records == RECORDS[:count]
        journal.write(RECORDS[0])
        journal.close()
        assert read(path) == (*RECORDS[:count], RECORDS[0])


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200_000])
def test_a_long_torn_line(tmp_path: Path, size: int) -> None:
    whole = written(tmp_path / "journal")
    (tmp_path / "journal").write_bytes(whole + bytes(size))
    assert read(tmp_path / "journal") == RECORDS
    assert (tmp_path / "journal").read_bytes() == whole


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"garbage", b'{"type":"sent","entry":"!"}', b'{"type":"sent", "entry":""}']
)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_damaged_line_is_an_error(tmp_path: Path, line: bytes, at: int) -> None:
    path = tmp_path / "journal"
    lines = written(path).splitlines(keepends=True)
    damaged = b"".join([*lines[:at], line + b"\n", *lines[at:]])
    path.write_bytes(damaged)
    with pytest.raises(HomeUnusable, match=f"{path} is damaged: line {at + 1} "):
        opened(path)
    assert path.read_bytes() == damaged


def test_the_largest_record_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.touch()
    journal = opened(path)
    largest = Sent(bytes(MESSAGE_BYTES_MAX))
    journal.write(largest)
    with pytest.raises(BadParameter, match="takes only single lines"):
        journal.write(Sent(bytes(2 * MESSAGE_BYTES_MAX)))
    journal.write(RECORDS[0])
    journal.close()
    assert read(path) == (largest, RECORDS[0])


def test_a_line_that_nobody_wrote(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(encode(Sent(bytes(2 * MESSAGE_BYTES_MAX))) + b"\n")
    with pytest.raises(HomeUnusable, match="line 1 is empty, too long or missing"):
        opened(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(HomeUnusable, match=f"cannot use {tmp_path / 'journal'}: No such file"):
        opened(tmp_path / "journal")


def test_a_disk_that_cannot_sync_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    written(tmp_path / "journal")
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(HomeUnusable, match="Input/output error"):
        opened(tmp_path / "journal")
