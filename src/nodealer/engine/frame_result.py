"""What comes of a frame: what to send, and what happened at the table."""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.engine.lobby_messages import News
from nodealer.engine.replica import Applied


@dataclass(frozen=True)
class Diverged:
    """This log and a seat's have parted: it signed on a head that this one never had.

    Either the transport has shown the two of them different orders, or the seat says what is not so. Nobody can tell
    which from here: comparing the two logs does.
    """

    seat: int
    #: The head that the seat had seen, and the one that is here.
    theirs: bytes
    ours: bytes


@dataclass(frozen=True)
class Silenced:
    """This participant signs nothing any more, and why."""

    reason: str


ReceivedEvent = Applied | Diverged | Silenced | News


@dataclass(frozen=True)
class Received:
    """What came of a frame: what to send, and what happened."""

    send: tuple[bytes, ...] = ()
    happened: tuple[ReceivedEvent, ...] = ()
