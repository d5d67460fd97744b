"""A simulated relay: one order of frames and, if it lies, another one for some places."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

from nodealer.errors import Malformed
from nodealer.log.entry import Entry, read_entry
from nodealer_lab.sim.plan import Forking


@lru_cache(maxsize=1024)
def parse_entry(frame: bytes) -> Entry | None:
    """Parse a frame as a log entry. Return None if it is not one."""
    try:
        return read_entry(frame).entry
    except Malformed:
        return None


class SimRelay:
    """Puts frames into an order. Once it forks, some places see a different one.

    `text` returns the plaintext of a frame. A real relay could not read it; the simulator does, so that it lies where
    it hurts.
    """

    def __init__(self, text: Callable[[bytes], bytes] = lambda frame: frame) -> None:
        """Create a relay with no frames. `text` returns the plaintext of a frame."""
        self.frames: list[bytes] = []
        #: How many distinct entries have arrived.
        self.entries = 0
        #: Whether the two orders already differ.
        self.forked = False
        self._text = text
        self._seen: set[bytes] = set()
        self._aside: frozenset[int] = frozenset()
        self._swaps = False
        self._lobby = False
        self._other: list[bytes] | None = None
        #: The frame that the majority got and the others did not, or not yet.
        self._kept: bytes | None = None

    def frames_for(self, place: int) -> list[bytes]:
        """Return the frames that a place is shown, in order."""
        return self._other if self._other is not None and place in self._aside else self.frames

    def fork(self, how: Forking, places: Collection[int], *, lobby: bool) -> None:
        """Show these places another order from the next entry on, or from the next lobby frame on."""
        self._aside, self._swaps, self._lobby, self._other = frozenset(places), how == "swap", lobby, list(self.frames)

    def append(self, frame: bytes) -> None:
        """Append the next frame to the order, and to the second order once the relay has forked."""
        text = self._text(frame)
        entry = parse_entry(text)
        fresh = text not in self._seen and entry is not None
        counts = text not in self._seen if self._lobby else fresh
        self._seen.add(text)
        self.entries += fresh
        self.frames.append(frame)
        if self._other is not None:
            self._append_forked(self._other, frame, counts)

    def _append_forked(self, other: list[bytes], frame: bytes, fresh: bool) -> None:
        """Append a frame to the second order, which the relay shows to some places only.

        The first new frame is held back from those places, which makes the two orders differ. If the fork is a swap,
        the held frame follows after the first frame that can be swapped with it; otherwise it never arrives.
        """
        if fresh and not self.forked and self._kept is None:
            self._kept = frame
        elif self._kept is None or self._text(frame) != self._text(self._kept):
            other.append(frame)
            self.forked |= fresh
            if self._swaps and fresh and self._kept is not None and self._can_swap(self._kept, frame):
                other.append(self._kept)
                self._kept = None

    def _can_swap(self, first: bytes, second: bytes) -> bool:
        """Return whether two entries are from different seats.

        Entries of one seat have a fixed order, so swapping them has no effect.
        """
        one, other = parse_entry(self._text(first)), parse_entry(self._text(second))
        return self._lobby or (one is not None and other is not None and one.seat != other.seat)
