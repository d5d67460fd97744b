"""A client of a relay: one connection, about one table.

A relay need not be trusted, and not to make sense either: what it says is measured and read strictly, and nonsense is a
`RelayError` that names the relay.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from typing import Final, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.uri import parse_uri

from nodealer.errors import DecodeError, RelayError, RelayRefused
from nodealer.relay.messages import (
    PAGE_BYTES_MAX,
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

#: A network that is dead is noticed after the two of them.
PING_EVERY: Final = 20.0
PONG_WITHIN: Final = 30.0
#: How many seconds a relay may take to answer what all the rest waits for.
ANSWER_WITHIN: Final = 60.0
#: How many seconds a relay may take to say good-bye.
FAREWELL: Final = 2.0
#: Messages that are read before anybody asks for them.
READ_AHEAD: Final = 1

T = TypeVar("T", bound=Told)


def writer_of(token: bytes) -> bytes:
    """What a relay keeps of a write token."""
    return hashlib.sha512(token).digest()


class RelayClient:
    """One connection. `create` and `open` wait for their answers, which are all that comes before frames do.

    Then `read` gives what comes: pages, and in their order the answers to what was asked by `say_token`, `say_writer`
    and `say_end`.
    """

    def __init__(self, connection: ClientConnection, url: str, patience: float | None = None) -> None:
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

    async def say_token(self, token: bytes) -> None:
        """What is needed to append."""
        await self._say(Token(token))

    async def say_writer(self, token: bytes) -> None:
        """Let the next key epoch write with this token."""
        await self._say(Rekey(writer_of(token)))

    async def say_end(self) -> None:
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
        except ConnectionClosed as closed:
            raise self._gone(closed) from None

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
        except ConnectionClosed as closed:
            raise self._gone(closed) from None
        except DecodeError as error:
            raise self.error(f"speaks nonsense: {error}") from None

    def _gone(self, closed: ConnectionClosed) -> RelayError:
        said = closed.sent if closed.rcvd is None or closed.rcvd_then_sent is False else closed.rcvd
        return self.error("has gone away" + (f": {said.reason}" if said is not None and said.reason else ""))


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
            yield RelayClient(connection, url, None if here else ANSWER_WITHIN)
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
