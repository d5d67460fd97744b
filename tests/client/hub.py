"""A transport within this process, with one list as the frame order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from nodealer.client.transport import Connected, Disconnected, Event


class Hub:
    """The frames of a table, shared by its connections."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.changed = asyncio.Condition()
        self.gone = False

    async def say(self, frame: bytes) -> None:
        async with self.changed:
            self.frames.append(frame)
            self.changed.notify_all()

    async def end(self) -> None:
        """Simulate that the relay goes away."""
        async with self.changed:
            self.gone = True
            self.changed.notify_all()


class Line:
    """One connection to the hub."""

    def __init__(self, hub: Hub, known: int | None = None) -> None:
        self.hub = hub
        self.known = len(hub.frames) if known is None else known
        self.sent: list[bytes] = []
        #: Cleared while the connection is cut.
        self.whole = asyncio.Event()
        self.whole.set()

    async def send(self, frame: bytes) -> None:
        if not self.whole.is_set():
            return
        self.sent.append(frame)
        await self.hub.say(frame)

    async def cut(self) -> None:
        """Cut the connection: nothing is sent or received over it until it is restored."""
        self.whole.clear()
        async with self.hub.changed:
            self.hub.changed.notify_all()

    async def events(self) -> AsyncGenerator[Event, None]:
        number = 0
        yield Connected(self.known)
        while True:
            async with self.hub.changed:
                while number == len(self.hub.frames) and not self.hub.gone and self.whole.is_set():
                    await self.hub.changed.wait()
            if not self.whole.is_set():
                yield Disconnected()
                await self.whole.wait()
                yield Connected(len(self.hub.frames))
                continue
            if number == len(self.hub.frames):
                return
            yield self.hub.frames[number]
            number += 1
