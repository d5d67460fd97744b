"""The player store: what one player keeps of one table, namely key, root, journal and log.

A store belongs to one table. A participant that opens it again continues where the last one stopped: with the same
cards, and with the same bytes for everything already signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from nodealer.keys import Identity
from nodealer.log.journal import Journal, MemoryJournal
from nodealer.log.session import Session


class PlayerStore(Protocol):
    """The persistent state of one player at one table.

    Every method returns only when its effect survives a crash, except `append`: the log that a journal record has seen
    must be on disk before the record is.
    """

    @property
    def name(self) -> str | None:
        """The player's name, or None for a spectator."""

    @property
    def identity(self) -> Identity:
        """The key that signs."""

    @property
    def root(self) -> bytes:
        """The bytes from which every secret of this table is derived."""

    @property
    def journal(self) -> Journal:
        """What was signed and chosen."""

    @property
    def lobby(self) -> Sequence[bytes]:
        """The lobby frames that changed something, in order."""

    def append_lobby_frame(self, frame: bytes) -> None:
        """Store one more lobby frame."""

    @property
    def session(self) -> Session | None:
        """The agreed session, or None before the agreement."""

    @property
    def entries(self) -> Iterable[bytes]:
        """The log as it was stored when this store was opened."""

    def save_session(self, session: Session) -> None:
        """Store the session that the players have agreed on."""

    def append(self, entry: bytes) -> None:
        """Store one more entry of the log, whose checks are settled."""


class MemoryPlayerStore:
    """A store in memory, which survives only the loss of its participant: for rehearsals, simulations and tests."""

    def __init__(self, name: str | None, identity: Identity, root: bytes) -> None:
        """Create an empty store. `name` is None for a spectator; `root` is the source of all secrets of the table."""
        self.name = name
        self.identity = identity
        self.root = root
        self.journal: Journal = MemoryJournal()
        self.lobby: list[bytes] = []
        self.session: Session | None = None
        self.entries: list[bytes] = []

    def append_lobby_frame(self, frame: bytes) -> None:
        """Store one more lobby frame."""
        self.lobby.append(frame)

    def save_session(self, session: Session) -> None:
        """Store the agreed session."""
        self.session = session

    def append(self, entry: bytes) -> None:
        """Store one more entry of the log."""
        self.entries.append(entry)
