"""The client's side of the relay protocol: one connection, for one table, over any channel.

The relay is not trusted, not even to make sense: what it sends is checked for size and parsed strictly. Anything
invalid raises a `RelayError` that names the relay.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Protocol, TypeVar

from nodealer.errors import DecodeError, RelayError, RelayRefused
from nodealer.relay.messages import (
    Accepted,
    Create,
    Created,
    End,
    MailboxIssued,
    Open,
    Opened,
    Refused,
    Rekey,
    RelayReply,
    RelayRequest,
    RequestMailbox,
    StoredFrame,
    Token,
    parse_page,
    parse_reply,
)
from nodealer.wire import encode

T = TypeVar("T", bound=RelayReply)


class ConnectionLost(Exception):
    """The connection is closed; the message is the reason, if one was given."""


class Channel(Protocol):
    """Carries binary and text messages to a relay and back. Its methods raise `ConnectionLost`."""

    async def send(self, message: bytes | str, /) -> None:
        """Send a message."""

    async def recv(self) -> bytes | str:
        """Return the next message."""

    async def close(self) -> None:
        """Close the connection."""


def writer_of(token: bytes) -> bytes:
    """Return the hash of a write token, which is all that a relay stores of it."""
    return hashlib.sha512(token).digest()


class RelayClient:
    """One connection to a relay.

    `create` and `open` wait for their replies, which are all that comes before frames. After that, `read` returns what
    arrives: pages of frames and, in order, the replies to `send_token`, `send_writer` and `send_end`.
    """

    def __init__(self, connection: Channel, url: str, timeout: float | None = None) -> None:
        """`timeout` is in seconds, for a reply; None for a relay on this machine, which may be busy."""
        self.url = url
        self._timeout = timeout
        self._connection = connection
        #: The cursor of the last frame received.
        self._last = -1
        #: The largest frame that the relay accepts.
        self._largest = 0

    async def create(self, table: str, token: bytes) -> None:
        """Create a table that accepts frames from holders of this token. Creating it twice is harmless."""
        await self._request(Create(table, writer_of(token)))
        await self._receive_reply(Created)

    async def mailbox(self) -> int:
        """Request a new mailbox, and return its number."""
        await self._request(RequestMailbox())
        return (await self._receive_reply(MailboxIssued)).number

    async def open(self, table: str, after: int | None = None) -> int:
        """Open a table, and return how many frames it has after a cursor, or in all.

        They arrive in pages, followed by each new frame.
        """
        await self._request(Open(table, after))
        opened = await self._receive_reply(Opened)
        self._last = -1 if after is None else after
        self._largest = opened.largest
        return opened.frames

    async def send_token(self, token: bytes) -> None:
        """Send the write token, which is required for `append`. The reply comes from `read`."""
        await self._request(Token(token))

    async def send_writer(self, token: bytes) -> None:
        """Register a token for the next key epoch. The reply comes from `read`."""
        await self._request(Rekey(writer_of(token)))

    async def send_end(self) -> None:
        """Tell the relay that the game is over and the table can be deleted soon. The reply comes from `read`."""
        await self._request(End())

    async def append(self, frame: bytes) -> None:
        """Send a frame to be put into the order. It is stored once it comes back in a page."""
        if len(frame) > self._largest:
            raise self.error(f"accepts frames of at most {self._largest} bytes; this one has {len(frame)}")
        await self._send(frame)

    async def read(self) -> list[StoredFrame] | Accepted:
        """Return the next page of frames or the next reply. Raise `RelayRefused` for a refusal."""
        reply = await self._read()
        if isinstance(reply, Refused):
            raise RelayRefused(self.url, reply.code, reply.reason)
        if isinstance(reply, Accepted):
            return reply
        if not isinstance(reply, list):
            raise self.error(f"sent an unexpected {type(reply).__name__.lower()!r}")
        if reply[0][0] <= self._last:
            raise self.error("sent old frames again")
        self._last = reply[-1][0]
        return reply

    # --- Helpers ---

    def error(self, what: str) -> RelayError:
        """Return an error that names the relay. `what` is what the relay did."""
        return RelayError(f"the relay {self.url} {what}")

    async def _request(self, request: RelayRequest) -> None:
        """Send a text message."""
        await self._send(encode(request).decode())

    async def _send(self, message: bytes | str) -> None:
        """Send one message. Raises `RelayError` if the connection is lost."""
        try:
            await self._connection.send(message)
        except ConnectionLost as gone:
            raise self._connection_lost(gone) from None

    async def _receive_reply(self, kind: type[T]) -> T:
        """Return the reply to a request. Raise `RelayRefused` for a refusal, `RelayError` for anything unexpected."""
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._read()
        except TimeoutError:
            # It may be working for others, and there may be another relay.
            raise self.error(f"has not answered for {self._timeout:g} seconds") from None
        if isinstance(reply, Refused):
            raise RelayRefused(self.url, reply.code, reply.reason)
        if not isinstance(reply, kind):
            raise self.error("sent the wrong answer to a request")
        return reply

    async def _read(self) -> list[StoredFrame] | RelayReply:
        """Return the next message, parsed. Raise `RelayError` if it is invalid or the connection is lost."""
        try:
            message = await self._connection.recv()
            return parse_reply(message) if isinstance(message, str) else parse_page(message)
        except ConnectionLost as gone:
            raise self._connection_lost(gone) from None
        except DecodeError as error:
            raise self.error(f"sent something invalid: {error}") from None

    def _connection_lost(self, gone: ConnectionLost) -> RelayError:
        """Return the error for a connection that the relay closed, with the relay's reason if it gave one."""
        reason = str(gone)
        return self.error("closed the connection" + (f": {reason}" if reason else ""))
