"""A home that outlives its participant, who can be killed before and after each write."""

from __future__ import annotations

from nodealer.keys import Identity
from nodealer.lab.sim.dice import Dice
from nodealer.log.journal import MemoryJournal, Record
from nodealer.log.session import Session
from nodealer.play.home import MemoryHome


class Killed(Exception):
    """The process ends here. What it has written is there, and nothing else of it."""


class FragileHome(MemoryHome):
    """On a disk that keeps what the contract of a home says, and may lose the rest in a crash."""

    def __init__(self, name: str | None, identity: Identity, root: bytes) -> None:
        super().__init__(name, identity, root)
        self.journal = _FragileJournal(self)
        #: How many writes and words it has left to live, where that is decided.
        self.fuse: int | None = None
        #: How many entries of the log are sure to survive: those before a record of the journal.
        self.synced = 0

    def burn(self) -> None:
        """A moment at which the process may be killed."""
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                self.fuse = None
                raise Killed

    def crash(self, dice: Dice) -> None:
        """What was not synced may be lost, from some entry on."""
        self.fuse = None
        del self.entries[dice.between(self.synced, len(self.entries)) :]

    def heard(self, frame: bytes) -> None:
        self.burn()
        super().heard(frame)
        self.burn()

    def begin(self, session: Session) -> None:
        self.burn()
        super().begin(session)
        self.burn()

    def append(self, entry: bytes) -> None:
        self.burn()
        super().append(entry)


class _FragileJournal(MemoryJournal):
    def __init__(self, home: FragileHome) -> None:
        super().__init__()
        self._home = home

    def write(self, record: Record) -> None:
        self._home.burn()
        super().write(record)
        self._home.synced = len(self._home.entries)
        self._home.burn()
