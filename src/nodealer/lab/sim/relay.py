"""A relay: one order, and, where it lies, another one for some."""

from __future__ import annotations

from nodealer.errors import Malformed
from nodealer.lab.sim.plan import Doomed
from nodealer.log.entry import Entry, read_entry


def entry_in(frame: bytes) -> Entry | None:
    """The entry that a frame is, if it is one."""
    try:
        return read_entry(frame).entry
    except Malformed:
        return None


class Relay:
    """Puts frames into an order. From when it forks, some places see a different one."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        #: How many different entries came.
        self.entries = 0
        #: Whether two orders differ by now.
        self.forked = False
        self._seen: set[bytes] = set()
        self._doomed: Doomed | None = None
        self._other: list[bytes] | None = None
        #: What the others got, and these did not: not yet, or never.
        self._kept: bytes | None = None

    def order(self, place: int) -> list[bytes]:
        """What a place is shown."""
        aside = self._other is not None and self._doomed is not None and place in self._doomed.seats
        return self._other if aside and self._other is not None else self.frames

    def fork(self, doomed: Doomed) -> None:
        """Show these another order from the next entry on."""
        self._doomed, self._other = doomed, list(self.frames)

    def take(self, frame: bytes) -> None:
        """The next frame."""
        fresh = frame not in self._seen and entry_in(frame) is not None
        self._seen.add(frame)
        self.entries += fresh
        self.frames.append(frame)
        if self._other is not None:
            self._show_others(self._other, frame, fresh)

    def _show_others(self, other: list[bytes], frame: bytes, fresh: bool) -> None:
        if fresh and not self.forked and self._kept is None:
            self._kept = frame
        elif frame != self._kept:
            other.append(frame)
            self.forked |= fresh
            swaps = self._doomed is not None and self._doomed.how == "swap"
            if swaps and fresh and self._kept is not None and _cross(self._kept, frame):
                other.append(self._kept)
                self._kept = None


def _cross(first: bytes, second: bytes) -> bool:
    """Whether two entries are of different seats: those of one seat have an order of their own."""
    one, other = entry_in(first), entry_in(second)
    return one is not None and other is not None and one.seat != other.seat
