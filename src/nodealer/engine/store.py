"""What one player keeps of one table: key, root, journal and log. From these it comes back at any point.

A home is for one table. Whatever opens it again goes on where the last one stopped: with the same cards, and with the
same bytes for what was signed already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from nodealer.keys import Identity
from nodealer.log.journal import Journal, MemoryJournal
from nodealer.log.session import Session


class PlayerStore(Protocol):
    """Everything here returns when it will survive a crash, but for `append`: what a journal's record has seen is on
    the disk before the record is."""

    @property
    def name(self) -> str | None:
        """What the player is called; None for one who only watches."""

    @property
    def identity(self) -> Identity:
        """The key that signs."""

    @property
    def root(self) -> bytes:
        """What every secret of this table comes from."""

    @property
    def journal(self) -> Journal:
        """What was signed and chosen."""

    @property
    def lobby(self) -> Sequence[bytes]:
        """The frames of the lobby that counted, in their order."""

    def heard(self, frame: bytes) -> None:
        """Keep one more frame of the lobby."""

    @property
    def session(self) -> Session | None:
        """What was agreed, once it was."""

    @property
    def entries(self) -> Iterable[bytes]:
        """The log, as far as it was kept when this home was opened."""

    def begin(self, session: Session) -> None:
        """The players have agreed."""

    def append(self, entry: bytes) -> None:
        """Keep one more entry of the log, whose checks are settled."""


class MemoryPlayerStore:
    """A home that survives nothing but the loss of its participant: for rehearsals, simulations and tests."""

    def __init__(self, name: str | None, identity: Identity, root: bytes) -> None:
        self.name = name
        self.identity = identity
        self.root = root
        self.journal: Journal = MemoryJournal()
        self.lobby: list[bytes] = []
        self.session: Session | None = None
        self.entries: list[bytes] = []

    def heard(self, frame: bytes) -> None:
        self.lobby.append(frame)

    def begin(self, session: Session) -> None:
        self.session = session

    def append(self, entry: bytes) -> None:
        self.entries.append(entry)
