"""A table whose first seat plays from a store in a folder, and may be killed after any journal record.

Run as a program, `python -m client.table FOLDER RECORDS`, it really kills itself.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.cards.operations import Look
from nodealer.client.folder_store import FolderStore
from nodealer.engine.replica import Outcome
from nodealer.engine.seat import Seat
from nodealer.group import group
from nodealer.log.journal import Journal, Record

GAME = ClearProtocol(group()), TinyRules(peek=Look.REORDER)


def tiny() -> Game:
    return Game(*GAME)


class DyingJournal:
    """A journal whose process dies as soon as its last allowed record is on the disk."""

    def __init__(self, journal: Journal, records: int, die: Callable[[], None]) -> None:
        self._journal = journal
        self._left = records
        self._die = die

    @property
    def records(self) -> tuple[Record, ...]:
        return self._journal.records

    def write(self, record: Record) -> None:
        self._journal.write(record)
        self._left -= 1
        if not self._left:
            self._die()


class HomeGame(Game):
    """A game in which seat 0 keeps its journal and log in a store; the others never fail."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(*GAME)
        me = self.persons[0]
        self.home = FolderStore.create(path, "Ada", me.signing, me.root)
        self.home.save_session(self.config.session)
        self.sit(self.home.journal)

    def sit(self, journal: Journal) -> Seat:
        """Take seat 0 with everything from the store."""
        self.seats[0] = Seat(
            self.configs[0],
            0,
            root=self.home.root,
            key=self.home.identity,
            journal=journal,
            entropy=self.source,
            log=self.home.entries,
        )
        return self.seats[0]

    def order(self, data: bytes) -> Outcome | None:
        outcome = super().order(data)
        self.home.append(data)
        return outcome

    def come_back(self) -> Seat:
        """Open the store as another process would."""
        self.home.close()
        self.home = FolderStore.open(self.path)
        return self.sit(self.home.journal)

    def go_on(self) -> None:
        """Send again what seat 0 may have sent, before the others continue on the same log."""
        for data in [*self.seats[0].unconfirmed, *self.due()]:
            self.order(data)
        self.play()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    table = HomeGame(Path(sys.argv[1]))
    table.sit(DyingJournal(table.home.journal, int(sys.argv[2]), kill))
    table.play()
