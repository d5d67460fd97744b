"""Entries that came in together: their proofs are looked at as one, before anything is said that follows from them.

Where all of them hold, nothing else has happened than would have one by one. Where one does not, the log goes back to
where it was before the first of them, and whoever took them takes them again, one by one.
"""

from __future__ import annotations

from nodealer.errors import NodealerError, ProofRejected
from nodealer.play.replica import Applied, Outcome
from nodealer.play.seat import Seat


class Together:
    """What a seat has taken, and not looked at the proofs of."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._mark = seat.mark()
        self._false = False
        self._taken: list[bytes] = []
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

    def undo(self) -> list[bytes]:
        """Go back to before the first of them, and give them all."""
        self._seat.back_to(self._mark)
        return self._taken
