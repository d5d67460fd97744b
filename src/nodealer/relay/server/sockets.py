"""Connections as they come: counted before they have said a word, and let go of when they misuse what is below words.

The library answers pings by itself, however many come and whether or not anybody reads the answers; and it knows no
number of connections that is too many.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

from websockets.asyncio.server import ServerConnection

from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import PAGE_BYTES_MAX
from nodealer.relay.server.metrics import Metrics
from nodealer.relay.server.rate_limit import ConnectionCounts
from nodealer.relay.stores.base import Shelved

#: From here on opcodes are of frames that control the connection.
_CONTROL: Final = 8
#: So many of these may come between two looks at a connection.
_CONTROLS_MAX: Final = 200
#: Of an address so many times more connections are let in than may come to words: to be told so in words.
_SLACK: Final = 2


@dataclass(frozen=True)
class Tls:
    """How TLS is spoken, and within how many seconds who connects is to have agreed on it."""

    context: ssl.SSLContext
    seconds: float


class ConnectionGate:
    """Who may come in, and how many are there."""

    def __init__(self, limits: RelayLimits, metrics: Metrics, *, proxy: bool) -> None:
        self._most = limits.connections
        self._metrics = metrics
        #: What can wait for a reader, at the very most.
        self.waiting_max = limits.reader_bytes + PAGE_BYTES_MAX + (64 << 10)
        #: Behind a proxy all connections have one address, and the proxy counts.
        self._proxy = proxy
        self._places = ConnectionCounts(_SLACK * limits.connections_per_address)
        #: Those that are there, and what lets go of the place of each.
        self._inside: dict[asyncio.Transport, Callable[[], None]] = {}

    def enter(self, transport: asyncio.Transport) -> None:
        """One more. Is cut off where it is one too many."""
        self._metrics.connections += 1
        address = network(_far_end(transport))
        full = self._metrics.connections > self._most or not (self._proxy or self._places.free(address))
        self._inside[transport] = self._places.take(address)
        if full:
            self._metrics.turned_away += 1
            transport.abort()

    def close(self) -> None:
        """Cut off who is still there."""
        for transport in list(self._inside):
            transport.abort()

    def left(self, transport: asyncio.Transport) -> None:
        """One less."""
        if (leave := self._inside.pop(transport, None)) is not None:
            self._metrics.connections -= 1
            leave()


class CountedConnection(ServerConnection):
    """A connection that is counted, and bounded.

    With TLS it is counted from its first byte on. The library would have the loop speak TLS, and hear of nobody who has
    not finished with that; so it gets a bare socket from the loop, and TLS is begun here.
    """

    def __init__(self, *args: Any, door: ConnectionGate, tls: Tls | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._door = door
        self._tls = tls
        self._controls = 0
        #: The socket, below TLS; and what speaks TLS on it first.
        self._bare: asyncio.Transport
        self._securing: asyncio.Task[None] | None = None
        self._made = False
        #: What came over TLS before the library had it.
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        self._bare = cast(asyncio.Transport, transport)
        if self._tls is None:
            self._begin(self._bare)
            self._door.enter(self._bare)
        else:
            self._door.enter(self._bare)
            if not self._bare.is_closing():
                # What comes is not for the library yet.
                self._bare.pause_reading()
                self._securing = self.loop.create_task(self._secure(self._tls))

    async def _secure(self, tls: Tls) -> None:
        """Speak TLS, or leave."""
        try:
            with suppress(OSError):
                secure = await self.loop.start_tls(
                    self._bare, self, tls.context, server_side=True, ssl_handshake_timeout=tls.seconds
                )
                if secure is None:
                    return
                if self._bare.is_closing():
                    secure.abort()
                else:
                    self._begin(secure)
                    self.data_received(self._early)
        finally:
            if not self._made:
                self._bare.abort()
                self._door.left(self._bare)

    def _begin(self, transport: asyncio.Transport) -> None:
        self._made = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._door.left(self._bare)
        if self._made:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes, and answers to some of them perhaps, which wait to be read."""
        if not self._made:
            self._early += data
            return
        super().data_received(data)
        if self.transport.get_write_buffer_size() > self._door.waiting_max:
            self.transport.abort()

    def eof_received(self) -> None:
        """No more will come."""
        if self._made:
            super().eof_received()

    def process_event(self, event: Any) -> None:
        """A frame, or the request at the beginning."""
        if getattr(event, "opcode", 0) >= _CONTROL:
            self._controls += 1
            if self._controls > _CONTROLS_MAX:
                self.transport.abort()
        super().process_event(event)

    def bring(self, message: bytes | Shelved) -> None:
        """Send a whole message of ours, the bytes as they are. What the system does not take at once waits, and goes
        before all that is sent later: so a message is never torn."""
        if isinstance(message, bytes):
            self.transport.write(message)
        elif (sent := self._straight(message)) < message.size:
            self.transport.write(message.read(sent))

    def _straight(self, message: Shelved) -> int:
        """How many bytes the system has sent from file to socket by itself. With TLS it cannot, nor where some wait."""
        if self.transport.get_extra_info("sslcontext") is not None or self.transport.get_write_buffer_size():
            return 0
        try:
            socket = self.transport.get_extra_info("socket").fileno()
            return os.sendfile(socket, message.file.descriptor, message.start, message.size)
        except OSError:
            # It takes none now, or has gone; and then writing says so.
            return 0

    def looked_at(self) -> None:
        """It may send some more pings."""
        self._controls = 0


def peer(connection: ServerConnection) -> str:
    """The address at the other end."""
    return _far_end(connection.transport)


def _far_end(transport: asyncio.BaseTransport) -> str:
    address = transport.get_extra_info("peername")
    return str(address[0]) if address else ""


def network(address: str) -> str:
    """What an address counts as: all of one network of IPv6 are one."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return "unknown" if found is None else str(found)


def is_loopback(address: str) -> bool:
    """Whether it is this machine's own."""
    found = _parsed(address)
    return found is not None and found.is_loopback


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
