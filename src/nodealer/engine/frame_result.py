"""What a participant returns for a received frame: the frames to send, and the events at the table."""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.engine.lobby_messages import LobbyEvent
from nodealer.engine.replica import Applied


@dataclass(frozen=True)
class Diverged:
    """A seat's log differs from this one: it signed on a head that this log never had.

    Either the transport has shown the two participants different orders, or the seat is lying. Only comparing the two
    logs can tell which.
    """

    seat: int
    #: The head that the seat had seen, and the head of this log.
    theirs: bytes
    ours: bytes


@dataclass(frozen=True)
class Silenced:
    """This participant will not sign anything again, for the given reason."""

    reason: str


ReceivedEvent = Applied | Diverged | Silenced | LobbyEvent


@dataclass(frozen=True)
class Received:
    """The result of a received frame: the frames to send, and the events in order."""

    send: tuple[bytes, ...] = ()
    happened: tuple[ReceivedEvent, ...] = ()
