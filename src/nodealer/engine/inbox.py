"""What a participant does with incoming frames before they are part of its log.

`FrameInbox` puts numbered frames in order and passes on each one once. What a frame does depends on the table when it
arrived: one that was refused then might be accepted later, and a participant that judged it again after a restart would
have a different log from everyone else. The player store keeps the frames that changed something, and between two of
them nothing changes. So every frame up to the last stored one was judged before, and is skipped when the frames are
delivered from the beginning again.

`EntryBatch` applies entries that arrive together and verifies their proofs as one batch, before anything is sent that
depends on them. If all proofs hold, the result is the same as one by one. If one does not, the log goes back to where
it was before the batch, and the caller applies the entries again one by one.

`HoldBackQueue` keeps entries that do not fit the log yet. Without frame numbers, the entry that one builds on may still
arrive, so it waits. If that is no longer possible, or too many wait, the logs have diverged, which is reported once for
each head.
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

#: How many frames wait for those before them, and their bytes. Frames beyond that must be delivered again.
AHEAD_MAX: Final = 1024
AHEAD_BYTES_MAX: Final = 16 << 20


class FrameInbox:
    """The frames of a table as they reach one participant, starting with number 0."""

    def __init__(self) -> None:
        """Start with no frame received."""
        #: The number of the next frame, which is how many were taken.
        self.next_number = 0
        self._ahead: dict[int, bytes] = {}
        self._ahead_bytes = 0
        self._stored: deque[bytes] = deque()

    def skip_stored(self, kept: Iterable[bytes]) -> None:
        """Expect these frames, which the player store has, to be delivered again in this order, and skip them."""
        self._stored.extend(kept)

    @property
    def count_missing_stored(self) -> int:
        """How many frames the player store has that were not delivered again yet."""
        return len(self._stored)

    def take(self, frame: bytes, number: int) -> list[bytes]:
        """Take a frame, and return the new frames that can be judged now. Frames may come repeatedly or too early."""
        if number != self.next_number:
            if number > self.next_number and number not in self._ahead:
                self._keep_ahead(frame, number)
            return []
        ready = [frame]
        while (following := self._ahead.pop(self.next_number + len(ready), None)) is not None:
            self._ahead_bytes -= len(following)
            ready.append(following)
        self.next_number += len(ready)
        return [one for one in ready if self._is_new(one)]

    def _keep_ahead(self, frame: bytes, number: int) -> None:
        """Keep a frame until those before it arrive, if there is room. Otherwise it has to be delivered again."""
        if len(self._ahead) < AHEAD_MAX and self._ahead_bytes + len(frame) <= AHEAD_BYTES_MAX:
            self._ahead[number] = frame
            self._ahead_bytes += len(frame)

    def _is_new(self, frame: bytes) -> bool:
        """Return whether a frame comes after all stored ones, and count it off if it is the next stored one."""
        if not self._stored:
            return True
        if frame == self._stored[0]:
            self._stored.popleft()
        return False


class EntryBatch:
    """Entries that a seat has applied without verifying their proofs."""

    def __init__(self, seat: Seat) -> None:
        """Start an empty batch at the seat's current state, to which `undo` returns."""
        self._seat = seat
        self._start = seat.checkpoint()
        #: Whether all of it has to be applied again, one by one.
        self._failed = False
        self._taken: list[bytes] = []
        #: The sizes of the batch at which there was time to send something.
        self._pauses: set[int] = set()
        #: The results, which count if all proofs hold.
        self.applied: list[Applied] = []

    def take(self, data: bytes) -> bool:
        """Apply an entry and return True.

        If it returns False, the caller must verify the batch and then judge the entry.
        """
        if self._failed:
            return False
        replica = self._seat.replica
        replica.eager = replica.rewinds = False
        try:
            applied = self._seat.receive(data)
        except ProofRejected:
            self._failed = True
            return False
        except JournalLost:
            # The entry, which is not in the journal, is in the log by now. If it were applied again it would be a
            # repetition, and no one would notice that someone else signs for this seat. Nothing may be sent before it
            # is applied again, because that could use its number.
            self._failed = True
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
        """How many entries were applied."""
        return len(self._taken)

    def verify(self) -> bool:
        """Verify all proofs and return whether they hold."""
        replica = self._seat.replica
        replica.rewinds = False
        try:
            if not self._failed:
                replica.settle()
        except ProofRejected:
            self._failed = True
        finally:
            replica.rewinds = True
        return not self._failed

    def mark_pause(self) -> None:
        """Note that the frames after these entries arrived later. `undo` reports where these pauses were."""
        self._pauses.add(self.size)

    def undo(self) -> list[tuple[bytes, bool]]:
        """Roll back to before the batch and return its entries, each with whether a pause followed it."""
        self._seat.roll_back(self._start)
        return [(data, place in self._pauses) for place, data in enumerate(self._taken, 1)]


#: How many entries of one seat are held back if frames have no numbers, and how many unknown heads of one seat are
#: reported.
HELD_MAX: Final = 64
#: The bytes of those entries. The largest honest entry has a quarter of this.
HELD_BYTES_MAX: Final = 8 << 20


class HoldBackQueue:
    """The entries that one participant has received and could not apply yet."""

    def __init__(self) -> None:
        """Start with nothing held back."""
        #: In order of arrival.
        self._held: list[Arrival] = []
        #: Seat to the heads that it had seen, that this log never had, and that were reported.
        self._reported: dict[int, set[bytes]] = {}

    def __bool__(self) -> bool:
        """Return whether any entry is still held back."""
        return bool(self._held)

    def hold(self, replica: Replica, seat: int, data: bytes) -> list[Diverged]:
        """Keep an entry until it can be applied. Report a divergence if there is no room for it."""
        held = [one.data for one in self._held if one.entry.seat == seat]
        if data in held:
            return []
        if len(held) == HELD_MAX or sum(map(len, held)) + len(data) > HELD_BYTES_MAX:
            return self.report_divergence(replica, seat, data)
        self._held.append(read_entry(data))
        return []

    def pop_ready(self, replica: Replica) -> bytes | None:
        """Remove and return the first entry that can be judged now, or None."""
        for place, held in enumerate(self._held):
            signed = replica.count_signed_by(replica.state.all_members[held.entry.seat].key)
            if held.entry.seq <= signed and replica.has_seen(held.entry.seen):
                return self._held.pop(place).data
        return None

    def report_divergence(self, replica: Replica, seat: int, data: bytes) -> list[Diverged]:
        """Report an entry that was signed on a head that this log never had, once for each head."""
        seen, parted = read_entry(data).entry.seen, self._reported.setdefault(seat, set())
        if seen in parted or len(parted) == HELD_MAX:
            return []
        parted.add(seen)
        return [Diverged(seat, seen, replica.head)]
