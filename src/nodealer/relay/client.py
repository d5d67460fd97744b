"""A connection to a relay over a WebSocket of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from nodealer.errors import RelayError
from nodealer.relay.client_protocol import ConnectionLost, RelayClient, writer_of
from nodealer.relay.messages import PAGE_BYTES_MAX

__all__ = ["RelayClient", "connect_to", "writer_of"]

#: A dead network is noticed after the sum of these.
PING_EVERY: Final = 20.0
PONG_WITHIN: Final = 30.0
#: How many seconds a relay may take to answer a request that blocks everything else.
ANSWER_WITHIN: Final = 60.0
#: How many seconds a relay may take to close the connection.
FAREWELL: Final = 2.0
#: Messages to buffer before they are read.
READ_AHEAD: Final = 1


class _WebSocket:
    """A WebSocket that implements `Channel`."""

    def __init__(self, connection: ClientConnection) -> None:
        """Wrap an open connection."""
        self._connection = connection

    async def send(self, message: bytes | str, /) -> None:
        """Send one message: text is sent as text, bytes as binary. Raises `ConnectionLost`."""
        try:
            await self._connection.send(message)
        except ConnectionClosed as closed:
            raise _connection_lost(closed) from None

    async def recv(self) -> bytes | str:
        """Wait for the next message. Raises `ConnectionLost`."""
        try:
            return await self._connection.recv()
        except ConnectionClosed as closed:
            raise _connection_lost(closed) from None

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()


def _connection_lost(closed: ConnectionClosed) -> ConnectionLost:
    """Return the closed connection as an error with the reason that was given."""
    close = closed.sent if closed.rcvd is None or closed.rcvd_then_sent is False else closed.rcvd
    return ConnectionLost("" if close is None else close.reason)


@asynccontextmanager
async def connect_to(url: str) -> AsyncIterator[RelayClient]:
    """Connect to a relay. Raise `RelayError` if that fails."""
    local = _is_local(url)
    try:
        connection = await connect(
            url,
            max_size=PAGE_BYTES_MAX,
            max_queue=READ_AHEAD,
            compression=None,
            close_timeout=FAREWELL,
            # On one machine the system closes the connection of a process that dies, and a process that is stopped, or
            # computes a proof for a minute, is still there. A proxy makes no sense either.
            ping_interval=None if local else PING_EVERY,
            ping_timeout=PONG_WITHIN,
            proxy=None if local else True,
        )
    except (OSError, WebSocketException, ValueError, ImportError) as error:
        raise RelayError(f"cannot connect to a relay at {url}: {str(error) or type(error).__name__}") from None
    async with connection:
        try:
            yield RelayClient(_WebSocket(connection), url, None if local else ANSWER_WITHIN)
        finally:
            # The relay's close frame comes after messages that no one reads any more.
            await asyncio.gather(connection.close(), _discard_unread(connection))


def _is_local(url: str) -> bool:
    """Return whether a relay is on this machine."""
    try:
        host = parse_uri(url).host
        return host == "localhost" or ip_address(host).is_loopback
    except (InvalidURI, ValueError):
        return False


async def _discard_unread(connection: ClientConnection) -> None:
    """Read and drop all remaining messages until the connection is closed."""
    with suppress(ConnectionClosed):
        async for _ in connection:
            pass
