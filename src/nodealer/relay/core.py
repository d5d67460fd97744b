"""What a relay does, without a socket: one table, one order, everything kept in memory."""

from __future__ import annotations

from nodealer.errors import RelayError
from nodealer.wire import LOG_BYTES_MAX, LOG_ENTRIES_MAX, MESSAGE_BYTES_MAX, Message, Natural


class Greeting(Message, frozen=True):
    """What a relay says first, to each who comes: how many frames the table has."""

    frames: Natural


class RelayCore:
    """Frames in the order in which they came."""

    def __init__(self) -> None:
        self._frames: list[bytes] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._frames)

    def append(self, frame: bytes) -> int:
        """Put a frame into the order; gives its number. Too much is refused, whatever it says."""
        if not 0 < len(frame) <= MESSAGE_BYTES_MAX:
            raise RelayError(f"a frame has 1 to {MESSAGE_BYTES_MAX} bytes, not {len(frame)}")
        if len(self._frames) >= LOG_ENTRIES_MAX or self._bytes + len(frame) > LOG_BYTES_MAX:
            raise RelayError("the table has more frames than a log can hold")
        self._frames.append(frame)
        self._bytes += len(frame)
        return len(self._frames) - 1

    def frame(self, number: int) -> bytes:
        """The frame with this number."""
        return self._frames[number]
