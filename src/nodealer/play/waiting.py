"""Entries that do not fit the log yet: those that build on something that is not here, and those that never will.

Where frames have no numbers, what an entry builds on may still come; so it waits. Where it cannot come any more, or too
many wait, the log of its seat and this one have parted, and that is said once for each head.
"""

from __future__ import annotations

from typing import Final

from nodealer.log.entry import Arrival, read_entry
from nodealer.play.happened import Diverged
from nodealer.play.replica import Replica

#: How many entries of one seat wait for what they build on, where frames have no numbers, and how many heads of one
#: seat are told of that this log never had.
HELD_MAX: Final = 64
#: And their bytes. The largest honest entry has a quarter of this.
HELD_BYTES_MAX: Final = 8 << 20


class Waiting:
    """What one participant has heard and could not take."""

    def __init__(self) -> None:
        #: In the order in which they came.
        self._held: list[Arrival] = []
        #: Seat to the heads that it saw and this log never had.
        self._parted: dict[int, set[bytes]] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def hold(self, replica: Replica, seat: int, data: bytes) -> list[Diverged]:
        """Let an entry wait for what it builds on. Where there is no room for it, the logs have parted."""
        held = [one.data for one in self._held if one.entry.seat == seat]
        if data in held:
            return []
        if len(held) == HELD_MAX or sum(map(len, held)) + len(data) > HELD_BYTES_MAX:
            return self.part(replica, seat, data)
        self._held.append(read_entry(data))
        return []

    def released(self, replica: Replica) -> bytes | None:
        """The first of those that wait that can be judged now."""
        for place, held in enumerate(self._held):
            signed = replica.signed_by(replica.state.known[held.entry.seat].key)
            if held.entry.seq <= signed and replica.has_seen(held.entry.seen):
                return self._held.pop(place).data
        return None

    def part(self, replica: Replica, seat: int, data: bytes) -> list[Diverged]:
        """An entry was signed on a head that this log never had."""
        seen, parted = read_entry(data).entry.seen, self._parted.setdefault(seat, set())
        if seen in parted or len(parted) == HELD_MAX:
            return []
        parted.add(seen)
        return [Diverged(seat, seen, replica.head)]
