"""Saved logs: what goes in comes out, and limits."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodealer.errors import DecodeError
from nodealer.log import file
from nodealer.log.file import LineCut, read_log, save_log
from nodealer.wire import encode

from .test_entry import entry
from .test_session import made

ENTRIES = [entry(0), entry(1), entry(2)]


def saved(path: Path) -> bytes:
    save_log(path / "log", made().session(), ENTRIES)
    return (path / "log").read_bytes()


def test_round_trip(tmp_path: Path) -> None:
    session, entries = read_log(io.BytesIO(saved(tmp_path)))
    assert session == made().session() and list(entries) == ENTRIES
    assert [path.name for path in tmp_path.iterdir()] == ["log"], "no partial file stays"


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    before = saved(tmp_path)

    def broken() -> Iterator[bytes]:
        yield ENTRIES[0]
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        save_log(tmp_path / "log", made().session(), broken())
    assert (tmp_path / "log").read_bytes() == before


def test_cut_anywhere(tmp_path: Path) -> None:
    """A file cut in a line says so; one cut between lines is a shorter log."""
    data = saved(tmp_path)
    first = len(encode(made().session())) + 1
    for size in range(0, len(data), 7):
        stream = io.BytesIO(data[:size])
        if size == 0:
            with pytest.raises(DecodeError, match="empty"):
                read_log(stream)
        elif size < first:
            with pytest.raises(LineCut):
                read_log(stream)
        else:
            _, entries = read_log(stream)
            if data[:size].endswith(b"\n"):
                assert len(list(entries)) < len(ENTRIES)
            else:
                with pytest.raises(LineCut):
                    list(entries)


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(tmp_path)
    monkeypatch.setattr(file, "LOG_ENTRIES_MAX", 3)
    assert len(list(read_log(io.BytesIO(data))[1])) == 3
    monkeypatch.setattr(file, "LOG_ENTRIES_MAX", 2)
    _, entries = read_log(io.BytesIO(data))
    with pytest.raises(DecodeError, match="more than 2 entries"):
        list(entries)
    monkeypatch.setattr(file, "LOG_ENTRIES_MAX", 3)
    monkeypatch.setattr(file, "LOG_BYTES_MAX", len(data) - 1)
    _, entries = read_log(io.BytesIO(data))
    with pytest.raises(DecodeError, match="bytes"):
        list(entries)


def test_a_long_line_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MESSAGE_BYTES_MAX", 5000)
    stream = io.BytesIO(encode(made().session()) + b"\n" + b"x" * 100_000)
    _, entries = read_log(stream)
    with pytest.raises(DecodeError, match="more than 5000 bytes"):
        list(entries)
    assert stream.tell() < 12_000


@pytest.mark.parametrize("data", [b"\n", b"{}\n", b"\x00" * 100 + b"\n", b"PK\x03\x04\n", b"x" * 100])
def test_not_a_log(data: bytes) -> None:
    with pytest.raises(DecodeError):
        read_log(io.BytesIO(data))
