"""A minimal relay client: one WebSocket and its messages."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import (
    PAGE_BYTES_MAX,
    Create,
    Open,
    Opened,
    RelayReply,
    RelayRequest,
    StoredFrame,
    Token,
    parse_page,
    parse_reply,
)
from nodealer.relay.server.listener import Relay, serve_relay
from nodealer.relay.stores.base import Store
from nodealer.relay.stores.memory import MemoryStore
from nodealer.wire import encode

TOKEN = b"t" * 32
TABLE = "ab" * 16


def writer(token: bytes = TOKEN) -> bytes:
    return hashlib.sha512(token).digest()


def counting() -> Callable[[int], bytes]:
    """Return an entropy source for tests that gives different bytes every time."""
    count = 0

    def entropy(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.sha512(b"%d" % count).digest()[:size]

    return entropy


class Wire:
    """One connection."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.frames: list[StoredFrame] = []

    async def ask(self, asked: RelayRequest) -> RelayReply:
        """Send a request and return the reply. Frames that arrive before it are kept."""
        await self.connection.send(encode(asked).decode())
        return await self.told()

    async def told(self) -> RelayReply:
        while not isinstance(message := await self.connection.recv(), str):
            self.frames += parse_page(message)
        return parse_reply(message)

    async def open(self, after: int | None = None, *, table: str = TABLE, token: bytes | None = None) -> Opened:
        """Open a table, with a token if there is one."""
        opened = await self.ask(Open(table, after))
        assert isinstance(opened, Opened), opened
        if token is not None:
            accepted = await self.ask(Token(token))
            assert type(accepted).__name__ == "Accepted", accepted
        return opened

    async def next(self, count: int = 1) -> list[bytes]:
        """Return the next frames."""
        while len(self.frames) < count:
            message = await self.connection.recv()
            assert isinstance(message, bytes), message
            self.frames += parse_page(message)
        some, self.frames = self.frames[:count], self.frames[count:]
        return [frame for _, frame in some]

    async def send(self, *frames: bytes) -> None:
        for frame in frames:
            await self.connection.send(frame)


@asynccontextmanager
async def wire(port: int, scheme: str = "ws", **options: Any) -> AsyncIterator[Wire]:
    url, options = f"{scheme}://127.0.0.1:{port}", {"compression": None, "proxy": None, "close_timeout": 0.5} | options
    async with connect(url, max_size=PAGE_BYTES_MAX, **options) as connection:
        yield Wire(connection)


@asynccontextmanager
async def seat(port: int, *, token: bytes | None = TOKEN) -> AsyncIterator[Wire]:
    """Connect and open the table, creating it if necessary."""
    async with wire(port) as one:
        await one.ask(Create(TABLE, writer()))
        await one.open(token=token)
        yield one


def on_relay(
    work: Callable[[Relay], Awaitable[None]],
    limits: RelayLimits | None = None,
    store: Store | None = None,
    **options: Any,
) -> None:
    """Run a test against a relay on loopback."""

    async def run() -> None:
        kept = store or MemoryStore(monotonic)
        async with (
            asyncio.timeout(60),
            serve_relay(kept, entropy=counting(), limits=limits, **options) as relay,
        ):
            await work(relay)

    asyncio.run(run())
