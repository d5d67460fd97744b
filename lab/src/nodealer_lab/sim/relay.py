"""A relay: one order, and, where it lies, another one for some."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

from nodealer.errors import Malformed
from nodealer.log.entry import Entry, read_entry
from nodealer_lab.sim.plan import Forking


@lru_cache(maxsize=1024)
def entry_in(frame: bytes) -> Entry | None:
    """The entry that a frame is, if it is one."""
    try:
        return read_entry(frame).entry
    except Malformed:
        return None


class SimRelay:
    """Puts frames into an order. From when it forks, some places see a different one.

    `text` is what is in a frame. A relay could not read it; the simulator does, to lie where it hurts.
    """

    def __init__(self, text: Callable[[bytes], bytes] = lambda frame: frame) -> None:
        self.frames: list[bytes] = []
        #: How many different entries came.
        self.entries = 0
        #: Whether two orders differ by now.
        self.forked = False
        self._text = text
        self._seen: set[bytes] = set()
        self._aside: frozenset[int] = frozenset()
        self._swaps = False
        self._lobby = False
        self._other: list[bytes] | None = None
        #: What the others got, and these did not: not yet, or never.
        self._kept: bytes | None = None

    def order(self, place: int) -> list[bytes]:
        """What a place is shown."""
        return self._other if self._other is not None and place in self._aside else self.frames

    def fork(self, how: Forking, places: Collection[int], *, lobby: bool) -> None:
        """Show these another order from the next entry on; or from the next frame of the lobby."""
        self._aside, self._swaps, self._lobby, self._other = frozenset(places), how == "swap", lobby, list(self.frames)

    def take(self, frame: bytes) -> None:
        """The next frame."""
        text = self._text(frame)
        entry = entry_in(text)
        fresh = text not in self._seen and entry is not None
        counts = text not in self._seen if self._lobby else fresh
        self._seen.add(text)
        self.entries += fresh
        self.frames.append(frame)
        if self._other is not None:
            self._show_others(self._other, frame, counts)

    def _show_others(self, other: list[bytes], frame: bytes, fresh: bool) -> None:
        if fresh and not self.forked and self._kept is None:
            self._kept = frame
        elif self._kept is None or self._text(frame) != self._text(self._kept):
            other.append(frame)
            self.forked |= fresh
            if self._swaps and fresh and self._kept is not None and self._cross(self._kept, frame):
                other.append(self._kept)
                self._kept = None

    def _cross(self, first: bytes, second: bytes) -> bool:
        """Whether two entries are of different seats: those of one seat have an order of their own."""
        one, other = entry_in(self._text(first)), entry_in(self._text(second))
        return self._lobby or (one is not None and other is not None and one.seat != other.seat)
