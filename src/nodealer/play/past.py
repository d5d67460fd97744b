"""What somebody who comes back hears once more: the frames that the log in the home was made of.

They were judged when they came, each on the table of its time. On the table of today an entry that was refused might be
taken, or accuse its seat, and the log would part from everybody else's. So none is judged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.log.entry import Arrival, Entry, read_entry

#: How many entries wait for what they build on: of one seat, and of the past of one who comes back.
HELD_MAX: Final = 64


class Past:
    """How far an order has come that a log was made of."""

    def __init__(self, log: Sequence[bytes]) -> None:
        self._log = tuple(log)
        self._coming = set(log)
        #: How much of the log has been made by now, and how many entries of each seat are in it.
        self._height = 0
        self._signed: dict[int, int] = {}
        self._held: list[bytes] = []

    @property
    def over(self) -> bool:
        """Whether what comes now is new."""
        return self._height == len(self._log)

    def heard(self, data: bytes) -> bool:
        """The next frame: whether it is an entry of the log."""
        # With another frame, those held back before it have been tried as far as they could be.
        self._held = [held for held in self._held if self._is_ahead(read_entry(held).entry)]
        known = data in self._coming
        self._coming.discard(data)
        while not self.over and self._log[self._height] not in self._coming:
            entry = read_entry(self._log[self._height]).entry
            self._signed[entry.seat] = max(self._signed.get(entry.seat, 0), entry.seq + 1)
            self._height += 1
        return known

    def fits(self, arrival: Arrival, seen: int) -> bool:
        """Keep an entry that is not in the log and was held back, as others were judged. `seen`: so much of the log.

        False for one that had seen more than this order has brought so far: so the log was made of another order.
        """
        if seen <= self._height and self._is_ahead(arrival.entry) and len(self._held) < HELD_MAX:
            self._held.append(arrival.data)
        return seen <= self._height

    @property
    def waiting(self) -> list[bytes]:
        """What was held back, and not tried or still too soon."""
        return [held for held in self._held if not self._is_late(read_entry(held).entry)]

    def _is_ahead(self, entry: Entry) -> bool:
        return entry.seq > self._signed.get(entry.seat, 0)

    def _is_late(self, entry: Entry) -> bool:
        return entry.seq < self._signed.get(entry.seat, 0)
