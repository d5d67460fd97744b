"""The relay on a socket: WebSocket, one binary message a frame, in both directions.

A client is told, as text, how many frames there are. Then it gets every frame from the first one on, in order, and each
new one as it comes. What it sends is put into the order and comes back to it like everybody else's.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from nodealer.errors import RelayError
from nodealer.relay.core import Greeting, RelayCore
from nodealer.wire import MESSAGE_BYTES_MAX, encode

#: How many seconds a client may take to say that it goes.
FAREWELL: Final = 0.5


class RelayServer:
    """One table's relay."""

    def __init__(self, core: RelayCore) -> None:
        self.core = core
        self._changed = asyncio.Condition()

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one client until it goes away."""
        sending = asyncio.create_task(self._send_all(connection))
        try:
            async for message in connection:
                if isinstance(message, str):
                    raise RelayError("a frame is bytes, not text")
                self.core.append(message)
                async with self._changed:
                    self._changed.notify_all()
        except RelayError as error:
            await connection.close(1008, str(error))
        except ConnectionClosed:
            pass
        finally:
            sending.cancel()

    async def _send_all(self, connection: ServerConnection) -> None:
        sent = 0
        try:
            await connection.send(encode(Greeting(len(self.core))).decode())
            while True:
                async with self._changed:
                    while sent == len(self.core):
                        await self._changed.wait()
                while sent < len(self.core):
                    await connection.send(self.core.frame(sent))
                    sent += 1
        except ConnectionClosed:
            return


@asynccontextmanager
async def relay_on_loopback(core: RelayCore, door: str = "") -> AsyncIterator[str]:
    """A relay for some processes of this machine, on a free port. Gives its address, with the door in it.

    Every user of the machine can reach the port, and so can pages in their browsers. In come programs that know the
    door.
    """
    relay = RelayServer(core)
    path = f"/{door}".encode()

    def watch_door(connection: ServerConnection, request: Request) -> Response | None:
        known = hmac.compare_digest(request.path.encode(), path)
        return None if known else connection.respond(HTTPStatus.FORBIDDEN, "")

    # Without pings, and without waiting for farewells: on one machine a connection says itself that its process died.
    async with serve(
        relay.handle,
        "127.0.0.1",
        0,
        max_size=MESSAGE_BYTES_MAX,
        compression=None,
        ping_interval=None,
        close_timeout=FAREWELL,
        origins=[None],
        process_request=watch_door,
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/{door}"
