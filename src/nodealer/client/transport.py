"""The transport between the participants of a table."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Connected:
    """A connection was established, also the first one. Frames that were not confirmed are sent again over it."""

    #: How many frames the table has now, including those received over earlier connections.
    known: int


@dataclass(frozen=True)
class Disconnected:
    """The connection was lost. Until the next one, nothing is signed and no one is late."""


#: What a transport yields; bytes are a frame.
Event = Connected | Disconnected | bytes


class Transport(Protocol):
    """Carries frames, in one order for everyone."""

    async def send(self, frame: bytes) -> None:
        """Submit a frame to the order. Does nothing while there is no connection."""

    def events(self) -> AsyncGenerator[Event, None]:
        """Yield `Connected` first and after every reconnect, and each frame of the table once.

        Frames come from the first one on, without gaps and in the same order for everyone.
        """
