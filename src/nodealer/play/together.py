"""Entries that came in together: their proofs are looked at as one, before anything is said that follows from them.

Where all of them hold, nothing else has happened than would have one by one. Where one does not, the log goes back to
where it was before the first of them, and whoever took them takes them again, one by one.
"""

from __future__ import annotations

from nodealer.errors import JournalLost, NodealerError, ProofRejected
from nodealer.play.replica import Applied, Outcome
from nodealer.play.seat import Seat


class Together:
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
