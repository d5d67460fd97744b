"""What one says to a relay, and what it answers: one connection, about one table, whatever carries it.

A relay need not be trusted, and not to make sense either: what it says is measured and read strictly, and nonsense is a
`RelayError` that names the relay.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Protocol, TypeVar

from nodealer.errors import DecodeError, RelayError, RelayRefused
from nodealer.relay.messages import (
    Accepted,
    Asked,
    Create,
    Created,
    End,
    MailboxGiven,
    MailboxWanted,
    Open,
    Opened,
    Refused,
    Rekey,
    Stored,
    Token,
    Told,
    read_page,
    read_told,
)
from nodealer.wire import encode

T = TypeVar("T", bound=Told)


class Gone(Exception):
    """There is no connection any more; why, where somebody has said it."""


class Channel(Protocol):
    """What carries messages to a relay and back: of bytes, and of text. Raises `Gone`."""

    async def send(self, message: bytes | str, /) -> None:
        """Say something."""

    async def recv(self) -> bytes | str:
        """The next message."""

    async def close(self) -> None:
        """Say good-bye."""


def writer_of(token: bytes) -> bytes:
    """What a relay keeps of a write token."""
    return hashlib.sha512(token).digest()


class RelayClient:
    """One connection. `create` and `open` wait for their answers, which are all that comes before frames do.

    Then `read` gives what comes: pages, and in their order the answers to what was asked by `send_token`, `send_writer`
    and `send_end`.
    """

    def __init__(self, connection: Channel, url: str, patience: float | None = None) -> None:
        """`patience`: seconds for an answer; None for one of this machine, which may be busy."""
        self.url = url
        self._patience = patience
        self._connection = connection
        #: The cursor of the last frame that came.
        self._last = -1
        #: The largest frame that the relay takes.
        self._largest = 0

    async def create(self, table: str, token: bytes) -> None:
        """Let there be a table that takes frames from those with this token. The same twice is no harm."""
        await self._say(Create(table, writer_of(token)))
        await self._answer(Created)

    async def mailbox(self) -> int:
        """The number of a mailbox that nobody else has."""
        await self._say(MailboxWanted())
        return (await self._answer(MailboxGiven)).number

    async def open(self, table: str, after: int | None = None) -> int:
        """How many frames the table has after a cursor, or in all. They come as pages, and then each new one."""
        await self._say(Open(table, after))
        opened = await self._answer(Opened)
        self._last = -1 if after is None else after
        self._largest = opened.largest
        return opened.frames

    async def send_token(self, token: bytes) -> None:
        """What is needed to append."""
        await self._say(Token(token))

    async def send_writer(self, token: bytes) -> None:
        """Let the next key epoch write with this token."""
        await self._say(Rekey(writer_of(token)))

    async def send_end(self) -> None:
        """The table need not be kept for long."""
        await self._say(End())

    async def append(self, frame: bytes) -> None:
        """Give the relay a frame to put into the order. It is kept when it comes back in a page."""
        if len(frame) > self._largest:
            raise self.error(f"takes frames of {self._largest} bytes, and this one has {len(frame)}")
        await self._send(frame)

    async def read(self) -> list[Stored] | Accepted:
        """A page of frames after those that came before, or an answer. Raises `RelayRefused` for one that says no."""
        told = await self._read()
        if isinstance(told, Refused):
            raise RelayRefused(self.url, told.code, told.reason)
        if isinstance(told, Accepted):
            return told
        if not isinstance(told, list):
            raise self.error(f"says {type(told).__name__.lower()!r}, and nobody asked for it")
        if told[0][0] <= self._last:
            raise self.error("sends frames that were there before")
        self._last = told[-1][0]
        return told

    # --- Inside ---

    def error(self, what: str) -> RelayError:
        """What the relay does, as an error that names it."""
        return RelayError(f"the relay {self.url} {what}")

    async def _say(self, asked: Asked) -> None:
        await self._send(encode(asked).decode())

    async def _send(self, message: bytes | str) -> None:
        try:
            await self._connection.send(message)
        except Gone as gone:
            raise self._gone(gone) from None

    async def _answer(self, kind: type[T]) -> T:
        try:
            async with asyncio.timeout(self._patience):
                told = await self._read()
        except TimeoutError:
            # It may be there for others, and there may be another relay.
            raise self.error(f"has not answered for {self._patience:g} seconds") from None
        if isinstance(told, Refused):
            raise RelayRefused(self.url, told.code, told.reason)
        if not isinstance(told, kind):
            raise self.error("answers something else than it was asked")
        return told

    async def _read(self) -> list[Stored] | Told:
        try:
            message = await self._connection.recv()
            return read_told(message) if isinstance(message, str) else read_page(message)
        except Gone as gone:
            raise self._gone(gone) from None
        except DecodeError as error:
            raise self.error(f"speaks nonsense: {error}") from None

    def _gone(self, gone: Gone) -> RelayError:
        said = str(gone)
        return self.error("has gone away" + (f": {said}" if said else ""))
