"""The connection, as the person learns about it: one judgement of the transport's reports, for all front ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nodealer.client.events import ConnectionChanged
from nodealer.client.relay_transport import (
    Behind,
    ConnectionEvent,
    KeyMissing,
    RelayFound,
    RelayLost,
    WriteRefused,
)
from nodealer.errors import RelayError


class LockedOut(Exception):
    """This participant has lost its seat, or lacks the table's new key: it can read nothing more."""


@dataclass
class ConnectionMonitor:
    """Judges the reports of a relay transport, and shows each change once.

    A user who comes for the first time and finds no relay gets `RelayError` instead of waiting. The relay of a table on
    this machine is a process: once it has ended it does not come back, so a failed retry raises `RelayError` too.
    """

    show: Callable[[ConnectionChanged], None]
    #: How many relays there are to try.
    relays: int = 1
    #: Whether to wait for a relay that was never found: a player who was at the table before does.
    patient: bool = False
    #: Whether the relay is a process of this machine.
    local: bool = False
    #: Whether the first connection is shown too.
    shows_first: bool = False
    #: Called at the first connection.
    on_found: Callable[[], None] = lambda: None
    _found: bool = False
    _failed: int = 0
    _lost: bool = False
    #: Whether it was shown that the relay rejects messages, which it may do again and again.
    _unheard: bool = False
    #: Whether that ended the last connection: then the next one is not shown.
    _refused: bool = False

    def __call__(self, event: ConnectionEvent) -> None:
        """Take a report. Raise `LockedOut` without the key, and `RelayError` if there is no relay to wait for."""
        if isinstance(event, RelayFound):
            self._on_found(event)
        elif isinstance(event, WriteRefused) or (isinstance(event, RelayLost) and event.refused):
            self._on_refused(event)
        elif isinstance(event, Behind):
            self.show(ConnectionChanged("behind", self._named(event)))
        elif isinstance(event, KeyMissing):
            self.show(ConnectionChanged("locked", self._named(event)))
            raise LockedOut
        else:
            self._on_lost(event)

    def _on_found(self, event: RelayFound) -> None:
        """Show that there is a connection again, unless the last one was only refused."""
        if (self._lost or (self.shows_first and not self._found)) and not self.local:
            self.show(ConnectionChanged("found", event.relay))
        self._unheard = self._unheard and self._refused
        self._lost = self._refused = False
        self._failed = 0
        self.patient = self.patient or not self.local
        if not self._found:
            self._found = True
            self.on_found()

    def _on_refused(self, event: WriteRefused | RelayLost) -> None:
        """Show that the relay rejects this player's messages."""
        self._refused = isinstance(event, RelayLost)
        if not self._unheard:
            self.show(ConnectionChanged("unheard", self._named(event), event.reason, retrying=self._refused))
        self._unheard = True
        if self._refused and self.local:
            self._count_failure(event.reason)

    def _on_lost(self, event: RelayLost) -> None:
        """Show that the connection is lost, or give up."""
        self._count_failure(event.reason)
        if not self._lost and self.patient:
            self.show(ConnectionChanged("lost", self._named(event), event.reason))
        self._lost = True

    def _count_failure(self, reason: str) -> None:
        """Raise `RelayError` if this was the last attempt. A connection that was lost is tried once more."""
        self._failed += 1
        if not self.patient and self._failed >= self.relays + self._found:
            raise RelayError(reason)

    def _named(self, event: ConnectionEvent) -> str | None:
        """Return the relay's address, or None for one of this machine, whose address means nothing to a person."""
        return None if self.local else event.relay
