"""The servers of `bench relay` and `bench page`: a bare broadcast, a bare socket, a bare page, and the relay.
Each is a process of its own.

This file is run as a script, so that the bare ones load nothing of ours. It says its port, and ends when its input
does.
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
#: So many seconds at most, whatever happens to who has started it.
_LIFE: Final = 600.0
#: What does not fit into a limit meant for the world.
_MANY: Final = 100_000


async def broadcast() -> None:
    """The yardstick of the relay: the library alone. What one says in a room goes to all who are in it, and nothing is
    kept. The first word is the room's name."""
    from websockets.asyncio.server import broadcast as tell
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    rooms: dict[str | bytes, set[ServerConnection]] = {}

    async def handle(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            room = rooms.setdefault(await connection.recv(), set())
            room.add(connection)
            try:
                await connection.send("in")
                async for message in connection:
                    tell(room, message)
            finally:
                room.discard(connection)

    async with serve(handle, HOST, 0, compression=None) as server:
        await _until_told(next(iter(server.sockets)).getsockname()[1])


async def bare_page(port: int) -> None:
    """The yardstick of the page: what a page says goes on to the broadcast on this port, and what that says to it."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect
    from websockets.asyncio.client import connect

    async def empty(request: Request) -> HTMLResponse:
        return HTMLResponse("<!doctype html><title>bare</title><link rel=icon href=data:,><p></p>")

    async def echo(page: WebSocket) -> None:
        await page.accept()
        async with connect(f"ws://{HOST}:{port}", compression=None) as room:
            await room.send("the room")
            await room.recv()

            async def tell() -> None:
                async for message in room:
                    await page.send_text(message if isinstance(message, str) else message.decode())

            telling = asyncio.ensure_future(tell())
            with suppress(WebSocketDisconnect):
                while True:
                    await room.send(await page.receive_text())
            telling.cancel()

    app = Starlette(routes=[Route("/", empty), WebSocketRoute("/echo", echo)])
    listening = socket.create_server((HOST, 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="websockets-sansio", access_log=False)
    server = uvicorn.Server(config)
    running = asyncio.ensure_future(server.serve(sockets=[listening]))
    await _until_told(listening.getsockname()[1])
    server.should_exit = server.force_exit = True
    await asyncio.gather(running, return_exceptions=True)


async def plain(size: int) -> None:
    """The yardstick of catching up: a socket. For each byte that comes so many go back."""
    data, loop = os.urandom(size), asyncio.get_running_loop()

    async def serve(listening: socket.socket) -> None:
        connection, _ = await loop.sock_accept(listening)
        with connection:
            while await loop.sock_recv(connection, 1):
                await loop.sock_sendall(connection, data)

    with socket.create_server((HOST, 0)) as listening:
        listening.setblocking(False)
        serve_relay = asyncio.create_task(serve(listening))
        await _until_told(listening.getsockname()[1])
        serve_relay.cancel()


async def relay(store: str) -> None:
    """A relay that slows nobody down."""
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
        await _until_told(running.port)


async def _until_told(port: int) -> None:
    """Until the input ends."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), told.set)
    print(port, flush=True)
    with suppress(TimeoutError):
        async with asyncio.timeout(_LIFE):
            await told.wait()


def main(kind: str, *arguments: str) -> None:
    """What `served.Server` runs."""
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
