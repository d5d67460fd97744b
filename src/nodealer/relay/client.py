"""A client of a relay: frames in, frames out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from nodealer.errors import DecodeError, RelayError
from nodealer.relay.core import Greeting
from nodealer.wire import MESSAGE_BYTES_MAX, decode


class RelayClient:
    """One connection. `frames` gives every frame of the table in order, from the first one on."""

    def __init__(self, connection: ClientConnection, known: int = 0) -> None:
        self._connection = connection
        #: How many frames the table had when this connection was made.
        self.known = known

    async def send(self, frame: bytes) -> None:
        """Give the relay a frame to put into the order."""
        try:
            await self._connection.send(frame)
        except ConnectionClosed:
            raise RelayError("the relay has closed the connection") from None

    async def frames(self) -> AsyncIterator[bytes]:
        """Frames until the relay goes away."""
        try:
            async for message in self._connection:
                if isinstance(message, str):
                    raise RelayError("the relay sent text")
                yield message
        except ConnectionClosed:
            raise RelayError("the relay has gone away") from None


@asynccontextmanager
async def connect_to(url: str) -> AsyncIterator[RelayClient]:
    """A connection to a relay. Raises `RelayError` when there is none."""
    try:
        # Without pings: who is stopped, or proves something for a minute on a slow machine, has not gone away.
        # And directly: the only relay there is runs on this machine, and a proxy has no business there.
        connection = await connect(url, max_size=MESSAGE_BYTES_MAX, compression=None, ping_interval=None, proxy=None)
    except (OSError, WebSocketException) as error:
        raise RelayError(f"no relay at {url}: {error}") from None
    async with connection:
        try:
            yield RelayClient(connection, await _greeted(connection))
        finally:
            # What nobody reads any more stands before the relay's good-bye.
            await asyncio.gather(connection.close(), _unread(connection))


async def _unread(connection: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async for _ in connection:
            pass


async def _greeted(connection: ClientConnection) -> int:
    try:
        greeting = await connection.recv()
    except ConnectionClosed:
        raise RelayError("the relay has closed the connection") from None
    if not isinstance(greeting, str):
        raise RelayError("the relay does not say how many frames there are")
    try:
        return decode(Greeting, greeting.encode(), what="the relay's greeting").frames
    except DecodeError as error:
        raise RelayError(str(error)) from None
