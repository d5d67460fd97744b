"""A transport in this process: one list is one order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator


class Hub:
    """The frames of a table, and those who listen."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.changed = asyncio.Condition()
        self.gone = False

    async def say(self, frame: bytes) -> None:
        async with self.changed:
            self.frames.append(frame)
            self.changed.notify_all()

    async def end(self) -> None:
        """The relay goes away."""
        async with self.changed:
            self.gone = True
            self.changed.notify_all()


class Line:
    """One connection to it."""

    def __init__(self, hub: Hub, known: int | None = None) -> None:
        self.hub = hub
        self.known = len(hub.frames) if known is None else known
        self.sent: list[bytes] = []

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)
        await self.hub.say(frame)

    async def frames(self) -> AsyncIterator[bytes]:
        number = 0
        while True:
            async with self.hub.changed:
                while number == len(self.hub.frames) and not self.hub.gone:
                    await self.hub.changed.wait()
            if number == len(self.hub.frames):
                return
            yield self.hub.frames[number]
            number += 1
