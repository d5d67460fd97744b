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
from nodealer.relay.client_protocol import Gone, RelayClient, writer_of
from nodealer.relay.messages import PAGE_BYTES_MAX

__all__ = ["RelayClient", "connect_to", "writer_of"]

#: A network that is dead is noticed after the two of them.
PING_EVERY: Final = 20.0
PONG_WITHIN: Final = 30.0
#: How many seconds a relay may take to answer what all the rest waits for.
ANSWER_WITHIN: Final = 60.0
#: How many seconds a relay may take to say good-bye.
FAREWELL: Final = 2.0
#: Messages that are read before anybody asks for them.
READ_AHEAD: Final = 1


class _WebSocket:
    """A WebSocket, as a conversation wants it."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, message: bytes | str, /) -> None:
        try:
            await self._connection.send(message)
        except ConnectionClosed as closed:
            raise _gone(closed) from None

    async def recv(self) -> bytes | str:
        try:
            return await self._connection.recv()
        except ConnectionClosed as closed:
            raise _gone(closed) from None

    async def close(self) -> None:
        await self._connection.close()


def _gone(closed: ConnectionClosed) -> Gone:
    said = closed.sent if closed.rcvd is None or closed.rcvd_then_sent is False else closed.rcvd
    return Gone("" if said is None else said.reason)


@asynccontextmanager
async def connect_to(url: str) -> AsyncIterator[RelayClient]:
    """A connection to a relay. Raises `RelayError` when there is none."""
    here = _is_here(url)
    try:
        connection = await connect(
            url,
            max_size=PAGE_BYTES_MAX,
            max_queue=READ_AHEAD,
            compression=None,
            close_timeout=FAREWELL,
            # On one machine a connection says itself that its process died; and who is stopped, or proves something for
            # a minute, has not gone away. A proxy has no business there.
            ping_interval=None if here else PING_EVERY,
            ping_timeout=PONG_WITHIN,
            proxy=None if here else True,
        )
    except (OSError, WebSocketException, ValueError, ImportError) as error:
        raise RelayError(f"no relay at {url}: {str(error) or type(error).__name__}") from None
    async with connection:
        try:
            yield RelayClient(_WebSocket(connection), url, None if here else ANSWER_WITHIN)
        finally:
            # What nobody reads any more stands before the relay's good-bye.
            await asyncio.gather(connection.close(), _unread(connection))


def _is_here(url: str) -> bool:
    """Whether a relay is on this machine."""
    try:
        host = parse_uri(url).host
        return host == "localhost" or ip_address(host).is_loopback
    except (InvalidURI, ValueError):
        return False


async def _unread(connection: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async for _ in connection:
            pass
