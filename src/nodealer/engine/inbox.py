"""The order of a table, where its transport numbers the frames: each of them is judged once.

What a frame is worth hangs on the table as it stood when the frame came. One that was refused then might be taken on a
later table: whoever judged it again, after a restart, would have another log than everybody else. A home keeps what
changed something, and between two such frames nothing changes. So every frame up to the last one that a home has was
judged, and is passed over when the order is heard from its beginning again.

Entries that came in together: their proofs are looked at as one, before anything is said that follows from them.

Where all of them hold, nothing else has happened than would have one by one. Where one does not, the log goes back to
where it was before the first of them, and whoever took them takes them again, one by one.

Entries that do not fit the log yet: those that build on something that is not here, and those that never will.

Where frames have no numbers, what an entry builds on may still come; so it waits. Where it cannot come any more, or too
many wait, the log of its seat and this one have parted, and that is said once for each head.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from nodealer.engine.frame_result import Diverged
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.seat import Seat
from nodealer.errors import JournalLost, NodealerError, ProofRejected
from nodealer.log.entry import Arrival, read_entry

#: How many frames wait for those before them, and their bytes. What is beyond comes again.
AHEAD_MAX: Final = 1024
AHEAD_BYTES_MAX: Final = 16 << 20


class FrameInbox:
    """The frames of a table as they come to one participant, from number 0 on."""

    def __init__(self) -> None:
        #: How many have come.
        self.taken = 0
        self._ahead: dict[int, bytes] = {}
        self._ahead_bytes = 0
        self._kept: deque[bytes] = deque()

    def came_back(self, kept: Iterable[bytes]) -> None:
        """A home has these of the frames, in their order."""
        self._kept.extend(kept)

    @property
    def lacking(self) -> int:
        """How many frames a home has that have not come again yet."""
        return len(self._kept)

    def take(self, frame: bytes, number: int) -> list[bytes]:
        """The frames that are to be judged now. Frames may come repeated and too soon."""
        if number != self.taken:
            if number > self.taken and number not in self._ahead:
                self._wait(frame, number)
            return []
        ready = [frame]
        while (following := self._ahead.pop(self.taken + len(ready), None)) is not None:
            self._ahead_bytes -= len(following)
            ready.append(following)
        self.taken += len(ready)
        return [one for one in ready if self._is_new(one)]

    def _wait(self, frame: bytes, number: int) -> None:
        if len(self._ahead) < AHEAD_MAX and self._ahead_bytes + len(frame) <= AHEAD_BYTES_MAX:
            self._ahead[number] = frame
            self._ahead_bytes += len(frame)

    def _is_new(self, frame: bytes) -> bool:
        if not self._kept:
            return True
        if frame == self._kept[0]:
            self._kept.popleft()
        return False


class EntryBatch:
    """What a seat has taken, and not looked at the proofs of."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._mark = seat.mark()
        #: Whether all of it has to be taken again, one by one.
        self._false = False
        self._taken: list[bytes] = []
        #: After how many of them there was time to say something.
        self._pauses: set[int] = set()
        #: What became of it, if all of it holds.
        self.applied: list[Applied] = []

    def take(self, data: bytes) -> bool:
        """Whether an entry was taken. One that was not is for the caller to judge, on a log that was looked at."""
        if self._false:
            return False
        replica = self._seat.replica
        replica.eager = replica.rewinds = False
        try:
            applied = self._seat.receive(data)
        except ProofRejected:
            self._false = True
            return False
        except JournalLost:
            # An entry that is not in the journal is in the log by now: taken a second time it would be a repetition,
            # and nobody would hear that somebody else signs for this seat. It is at hand: whatever would be said before
            # it could have its number.
            self._false = True
            self._pauses.clear()
            return False
        except NodealerError:
            return False
        finally:
            replica.eager = replica.rewinds = True
        self._taken.append(data)
        if applied.outcome is not Outcome.REPEATED:
            self.applied.append(applied)
        return True

    @property
    def size(self) -> int:
        """How many entries were taken."""
        return len(self._taken)

    def hold(self) -> bool:
        """Look at all proofs. Whether they hold."""
        replica = self._seat.replica
        replica.rewinds = False
        try:
            if not self._false:
                replica.settle()
        except ProofRejected:
            self._false = True
        finally:
            replica.rewinds = True
        return not self._false

    def pause(self) -> None:
        """What was taken so far did not come at once with what comes next."""
        self._pauses.add(self.size)

    def undo(self) -> list[tuple[bytes, bool]]:
        """Go back to before the first of them, and give them all, each with whether a pause followed it."""
        self._seat.back_to(self._mark)
        return [(data, place in self._pauses) for place, data in enumerate(self._taken, 1)]


#: How many entries of one seat wait for what they build on, where frames have no numbers, and how many heads of one
#: seat are told of that this log never had.
HELD_MAX: Final = 64
#: And their bytes. The largest honest entry has a quarter of this.
HELD_BYTES_MAX: Final = 8 << 20


class HoldBackQueue:
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
            signed = replica.count_signed_by(replica.state.all_members[held.entry.seat].key)
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
