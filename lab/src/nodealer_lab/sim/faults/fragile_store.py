"""A player store that outlives its process, for simulated crashes.

The process can be killed before and after each write, the disk can fail, and an old copy can replace the store.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import HomeUnusable
from nodealer.keys import Identity
from nodealer.log.entry import first_head, next_head, read_entry
from nodealer.log.journal import Chosen, MemoryJournal, Record, Sent
from nodealer.log.session import Session
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.plan import Failing

REASONS: Final[dict[Failing, str]] = {
    "full": "no space left on device",
    "torn": "input/output error",
    "unsure": "input/output error while it was synced",
}


class Killed(Exception):
    """The process was killed. Only what it has written remains."""


class FragileHome(MemoryPlayerStore):
    """A store on a disk that keeps what the contract promises, and may lose the rest in a crash."""

    def __init__(self, name: str | None, identity: Identity, root: bytes) -> None:
        """Create the empty store of a player, on a sound disk and without a planned kill."""
        super().__init__(name, identity, root)
        self.journal = _FragileJournal(self)
        #: How many more writes and messages the process survives, or None if no kill is planned.
        self.fuse: int | None = None
        #: How many log entries are sure to survive a crash: those before a journal record.
        self.synced = 0
        #: How many writes the disk still takes, or None if it is sound; how it fails; and how often it will fail again.
        self.failing: int | None = None
        self.how: Failing = "full"
        self.again = 0
        #: Whether a write has failed. The store then rejects all writes until it is reopened.
        self.in_doubt = False

    def burn_fuse(self) -> None:
        """Raise `Killed` if the process has used up its writes and messages."""
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                self.fuse = None
                raise Killed

    def guard_write(self, write: Callable[[], None]) -> None:
        """Perform a write, unless the process is killed before it or the disk fails.

        Raise `Killed` or `HomeUnusable` then. After a disk failure, reject all writes.
        """
        self.burn_fuse()
        if self.in_doubt:
            raise HomeUnusable("the home takes no more: a write to it failed; open it again")
        if self.failing is not None:
            self.failing -= 1
            self.in_doubt = self.failing < 0
        if not self.in_doubt or self.how == "unsure":
            write()
        if self.in_doubt:
            raise HomeUnusable(f"cannot use the home: {REASONS[self.how]}")

    def crash(self, dice: SeededDice) -> None:
        """Lose a random part of the entries that were not synced."""
        self.fuse = None
        del self.entries[dice.between(self.synced, len(self.entries)) :]

    def reopen(self) -> None:
        """Open the store again after a repair. The disk may fail once more."""
        if self.in_doubt:
            self.in_doubt = False
            self.failing, self.again = (1, self.again - 1) if self.again else (None, 0)

    def repair(self) -> None:
        """Let neither the disk nor the process fail from now on."""
        self.fuse = self.failing = None
        self.again = 0

    # --- Writing ---

    def append_lobby_frame(self, frame: bytes) -> None:
        """Store a lobby frame. A failing disk or a planned kill may strike."""
        self.guard_write(lambda: super(FragileHome, self).append_lobby_frame(frame))
        self.burn_fuse()

    def save_session(self, session: Session) -> None:
        """Store the session. A failing disk or a planned kill may strike."""
        self.guard_write(lambda: super(FragileHome, self).save_session(session))
        self.burn_fuse()

    def append(self, entry: bytes) -> None:
        """Store a log entry. A failing disk or a planned kill may strike, and a crash loses entries not yet synced."""
        self.guard_write(lambda: super(FragileHome, self).append(entry))

    # --- Copies ---

    def copy(self, entries: int | None = None, records: int | None = None) -> FragileHome:
        """Return a copy of the store as it is now, or as it was with this many entries and records."""
        copy = FragileHome(self.name, self.identity, self.root)
        copy.lobby, copy.entries, copy.session = list(self.lobby), self.entries[:entries], self.session
        copy.journal = _FragileJournal(copy, self.journal.records[:records])
        copy.synced = len(copy.entries)
        return copy

    def with_log_of(self, copy: FragileHome) -> FragileHome:
        """Return a copy of this store with the older log of another copy."""
        mixed = self.copy()
        mixed.entries, mixed.synced = list(copy.entries), len(copy.entries)
        return mixed

    @property
    def missing_heads(self) -> int:
        """The number of heads that the journal mentions and the log lacks."""
        if self.session is None:
            return 0
        heads = [first_head(self.session.id)]
        for entry in self.entries:
            heads.append(next_head(heads[-1], entry))
        signed = (read_entry(record.entry).entry.seen for record in self.journal.records if isinstance(record, Sent))
        chosen = (record.head for record in self.journal.records if isinstance(record, Chosen))
        return len({*signed, *chosen}.difference(heads))

    def has_signed(self, entry: bytes) -> bool:
        """Return whether the journal contains an entry."""
        return isinstance(self.journal, _FragileJournal) and entry in self.journal.signed


class _FragileJournal(MemoryJournal):
    def __init__(self, home: FragileHome, records: tuple[Record, ...] = ()) -> None:
        """Create the journal of a store, with the records of an earlier process if there are any."""
        super().__init__()
        self._records.extend(records)
        self.signed = {record.entry for record in records if isinstance(record, Sent)}
        self._home = home

    def write(self, record: Record) -> None:
        """Write a record. A failing disk or a planned kill may strike."""
        self._home.guard_write(lambda: self._write(record))
        self._home.burn_fuse()

    def _write(self, record: Record) -> None:
        """Write a record. It syncs the disk, so that all log entries before it survive a crash."""
        super().write(record)
        self._home.synced = len(self._home.entries)
        if isinstance(record, Sent):
            self.signed.add(record.entry)
