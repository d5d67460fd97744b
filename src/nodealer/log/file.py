"""Saved logs: JSON Lines with the session first, then one entry per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from nodealer.errors import DecodeError
from nodealer.log.session import Session, read_session
from nodealer.wire import LOG_BYTES_MAX, LOG_ENTRIES_MAX, MESSAGE_BYTES_MAX, encode


class LineCut(DecodeError):
    """The last line of a log does not end: the file was truncated, or is still being written."""


def save_log(path: Path, session: Session, entries: Iterable[bytes]) -> None:
    """Write a log atomically: the file appears complete or not at all."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(encode(session) + b"\n")
        file.writelines(entry + b"\n" for entry in entries)
    partial.replace(path)


def read_log(file: BinaryIO) -> tuple[Session, Iterator[bytes]]:
    """Return the session of a log and an iterator over its entries. Raise `DecodeError` if it is not a log.

    The iterator reads one line at a time, so memory is bounded by the longest line allowed. It raises `LineCut` if the
    last line is incomplete, and `DecodeError` if the log exceeds a limit.
    """
    lines = _lines(file)
    first = next(lines, None)
    if first is None:
        raise DecodeError("the file is empty")
    return read_session(first), lines


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a log without their ends. Raise `DecodeError` if one is cut off or a limit is exceeded."""
    total = 0
    for number in range(LOG_ENTRIES_MAX + 2):
        line = file.readline(MESSAGE_BYTES_MAX + 2)
        if not line:
            return
        total += len(line)
        if not line.endswith(b"\n"):
            if len(line) > MESSAGE_BYTES_MAX:
                raise DecodeError(f"line {number + 1} has more than {MESSAGE_BYTES_MAX} bytes")
            raise LineCut(f"line {number + 1} is cut off")
        if total > LOG_BYTES_MAX:
            raise DecodeError(f"the log has more than {LOG_BYTES_MAX} bytes")
        if number > LOG_ENTRIES_MAX:
            break
        yield line[:-1]
    raise DecodeError(f"the log has more than {LOG_ENTRIES_MAX} entries")
