"""The servers of `bench relay` and `bench page`: a bare broadcast, a bare socket, a bare page, and the relay.

Each is a separate process. This file is run as a script, so that the bare servers import nothing of ours. It prints its
port, and exits when its input ends.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from nodealer.relay.stores.base import Store

HOST: Final = "127.0.0.1"
#: The longest lifetime in seconds, whatever happens to the parent process.
_LIFE: Final = 600.0
#: A limit that is high enough to have no effect.
_MANY: Final = 100_000


async def broadcast() -> None:
    """Serve the yardstick of the relay: the WebSocket library alone.

    Each message goes to everyone in the same room, and nothing is stored. The first message is the room's name.
    """
    from websockets.asyncio.server import broadcast as send_to_all
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    rooms: dict[str | bytes, set[ServerConnection]] = {}

    async def handle(connection: ServerConnection) -> None:
        """Add a connection to the room named in its first message, and send its later messages to the whole room."""
        with suppress(ConnectionClosed):
            room = rooms.setdefault(await connection.recv(), set())
            room.add(connection)
            try:
                await connection.send("in")
                async for message in connection:
                    send_to_all(room, message)
            finally:
                room.discard(connection)

    async with serve(handle, HOST, 0, compression=None) as server:
        await _wait_for_end(next(iter(server.sockets)).getsockname()[1])


async def bare_page(port: int) -> None:
    """Serve the yardstick of the page: forward messages between a page and the broadcast on this port."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect
    from websockets.asyncio.client import connect

    async def empty(request: Request) -> HTMLResponse:
        """Answer with an empty page."""
        return HTMLResponse("<!doctype html><title>bare</title><link rel=icon href=data:,><p></p>")

    async def echo(page: WebSocket) -> None:
        """Join the page's websocket to a room of the broadcast server: pass on all messages in both directions."""
        await page.accept()
        async with connect(f"ws://{HOST}:{port}", compression=None) as room:
            await room.send("the room")
            await room.recv()

            async def forward() -> None:
                """Pass messages of the room on to the page."""
                async for message in room:
                    await page.send_text(message if isinstance(message, str) else message.decode())

            forwarding = asyncio.ensure_future(forward())
            with suppress(WebSocketDisconnect):
                while True:
                    await room.send(await page.receive_text())
            forwarding.cancel()

    app = Starlette(routes=[Route("/", empty), WebSocketRoute("/echo", echo)])
    listening = socket.create_server((HOST, 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="websockets-sansio", access_log=False)
    server = uvicorn.Server(config)
    running = asyncio.ensure_future(server.serve(sockets=[listening]))
    await _wait_for_end(listening.getsockname()[1])
    server.should_exit = server.force_exit = True
    await asyncio.gather(running, return_exceptions=True)


async def plain(size: int) -> None:
    """Serve the yardstick of catching up: a socket that returns `size` bytes for each byte received."""
    data, loop = os.urandom(size), asyncio.get_running_loop()

    async def serve(listening: socket.socket) -> None:
        """Accept one connection, and send the whole data for each byte received."""
        connection, _ = await loop.sock_accept(listening)
        with connection:
            while await loop.sock_recv(connection, 1):
                await loop.sock_sendall(connection, data)

    with socket.create_server((HOST, 0)) as listening:
        listening.setblocking(False)
        serving = asyncio.create_task(serve(listening))
        await _wait_for_end(listening.getsockname()[1])
        serving.cancel()


async def relay(store: str) -> None:
    """Serve a relay whose rate limits have no effect."""
    from nodealer.relay.limits import RelayLimits
    from nodealer.relay.server.listener import serve_relay
    from nodealer.relay.stores.memory import MemoryStore
    from nodealer.relay.stores.sqlite import open_sqlite

    limits = RelayLimits(
        frames_per_second=_MANY, bytes_per_second=1 << 30, tables_per_address=_MANY, connections_per_address=_MANY
    )
    opening: AbstractAsyncContextManager[Store] = nullcontext(MemoryStore(time.monotonic))
    if store != "memory":
        opening = open_sqlite(Path(store), time.time)
    async with opening as kept, serve_relay(kept, entropy=os.urandom, limits=limits, host=HOST) as running:
        await _wait_for_end(running.port)


async def _wait_for_end(port: int) -> None:
    """Print the port, then wait until the input ends."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), told.set)
    print(port, flush=True)
    with suppress(TimeoutError):
        async with asyncio.timeout(_LIFE):
            await told.wait()


def main(kind: str, *arguments: str) -> None:
    """Run the server that `server_process.Server` asks for."""
    if kind == "broadcast":
        asyncio.run(broadcast())
    elif kind == "page":
        asyncio.run(bare_page(int(arguments[0])))
    elif kind == "plain":
        asyncio.run(plain(int(arguments[0])))
    else:
        asyncio.run(relay(*arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
