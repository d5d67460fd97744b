"""A small, honest relay in this process, which tests turn into liars. A client's name is part of its address."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from nodealer.relay.messages import (
    FRAME_BYTES_MAX,
    Accepted,
    Create,
    Created,
    End,
    Open,
    Opened,
    Refused,
    Rekey,
    RelayReply,
    RelayRequest,
    StoredFrame,
    Token,
    encode_page,
    parse_request,
)
from nodealer.wire import encode


class Liar:
    """A relay with one table, whatever its name. Tests override the methods that decide what each client gets."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.writers: list[bytes] = []
        #: All requests in order, with the client's name.
        self.asked: list[tuple[str, RelayRequest]] = []
        self.here: dict[str, ServerConnection] = {}
        self._changed = asyncio.Event()

    # --- What a liar may do otherwise ---

    def take(self, name: str, frame: bytes) -> None:
        """Accept a frame from a client."""
        self.frames.append(frame)

    def shown(self, name: str) -> Sequence[StoredFrame]:
        """Return the frames that a client is shown."""
        return list(enumerate(self.frames, 1))

    def opened(self, name: str, after: int) -> RelayReply:
        """Return the reply to a client that opens the table."""
        shown = self.shown(name)
        if after and after not in {cursor for cursor, _ in shown}:
            return Refused("cursor", "there is no such cursor")
        return Opened(sum(cursor > after for cursor, _ in shown), FRAME_BYTES_MAX)

    async def send_page(self, name: str, connection: ServerConnection, frames: list[StoredFrame]) -> None:
        """Send frames to a client."""
        await connection.send(encode_page(frames))

    def answer(self, name: str, asked: RelayRequest) -> RelayReply | None:
        match asked:
            case Create(writer=writer):
                self.writers = self.writers or [writer]
                return Created()
            case Open():
                return self.opened(name, asked.after or 0) if self.writers else Refused("table", "no such table")
            case Token(token=token):
                good = hashlib.sha512(token).digest() in self.writers
                return Accepted() if good else Refused("token", "not a token of this table")
            case Rekey(writer=writer):
                self.writers += [] if writer in self.writers else [writer]
                return Accepted()
            case End():
                return Accepted()
        return Refused("unknown", "not here")

    # --- The rest ---

    def change(self) -> None:
        """Wake the connections: there is something new to show."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        name, showing = connection.request.path.strip("/"), None
        self.here[name] = connection
        may_write = False
        try:
            async for message in connection:
                if isinstance(message, bytes):
                    assert may_write, f"{name} appends without a token"
                    self.take(name, message)
                    self.change()
                    continue
                asked = parse_request(message)
                self.asked.append((name, asked))
                told = self.answer(name, asked)
                if told is not None:
                    await connection.send(encode(told).decode())
                if isinstance(asked, Open) and isinstance(told, Opened):
                    showing = asyncio.create_task(self._show(name, connection, asked.after or 0))
                may_write |= isinstance(asked, Token) and isinstance(told, Accepted)
        except ConnectionClosed:
            pass
        finally:
            if showing is not None:
                showing.cancel()

    async def _show(self, name: str, connection: ServerConnection, after: int) -> None:
        with suppress(ConnectionClosed):
            while True:
                changed = self._changed
                frames = [stored for stored in self.shown(name) if stored[0] > after][:50]
                if frames:
                    after = frames[-1][0]
                    await self.send_page(name, connection, frames)
                else:
                    await changed.wait()

    @asynccontextmanager
    async def on(self, port: int = 0) -> AsyncIterator[str]:
        """Listen on a port of this machine, and yield an address to which a name is appended."""
        async with serve(self.handle, "127.0.0.1", port, max_size=None, compression=None, ping_interval=None) as server:
            yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/"
