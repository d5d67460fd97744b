"""Connections as they come: counted before they have said a word, and let go of when they misuse what is below words.

The library answers pings by itself, however many come and whether or not anybody reads the answers; and it knows no
number of connections that is too many.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.server import ServerConnection

from nodealer.relay.limits import Limits
from nodealer.relay.messages import PAGE_BYTES_MAX
from nodealer.relay.metrics import Metrics
from nodealer.relay.pace import Places
from nodealer.relay.stores.base import Shelved

#: From here on opcodes are of frames that control the connection.
_CONTROL: Final = 8
#: So many of these may come between two looks at a connection.
_CONTROLS_MAX: Final = 200
#: Of an address so many times more connections are let in than may come to words: to be told so in words.
_SLACK: Final = 2


class Door:
    """Who may come in, and how many are there."""

    def __init__(self, limits: Limits, metrics: Metrics, *, proxy: bool) -> None:
        self._most = limits.connections
        self._metrics = metrics
        #: What can wait for a reader, at the very most.
        self.waiting_max = limits.reader_bytes + PAGE_BYTES_MAX + (64 << 10)
        #: Behind a proxy all connections have one address, and the proxy counts.
        self._proxy = proxy
        self._places = Places(_SLACK * limits.connections_per_address)

    def enter(self, connection: Connection) -> None:
        """One more. Is cut off where it is one too many."""
        self._metrics.connections += 1
        address = network(peer(connection))
        full = self._metrics.connections > self._most or not (self._proxy or self._places.free(address))
        connection.leave = self._places.take(address)
        if full:
            self._metrics.turned_away += 1
            connection.transport.abort()

    def left(self, connection: Connection) -> None:
        """One less."""
        self._metrics.connections -= 1
        connection.leave()


class Connection(ServerConnection):
    """A connection that is counted, and bounded."""

    def __init__(self, *args: Any, door: Door, **options: Any) -> None:
        super().__init__(*args, **options)
        self._door = door
        self._controls = 0
        #: Gives its place back.
        self.leave: Callable[[], None] = _nothing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        super().connection_made(transport)
        self._door.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._door.left(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes, and answers to some of them perhaps, which wait to be read."""
        super().data_received(data)
        if self.transport.get_write_buffer_size() > self._door.waiting_max:
            self.transport.abort()

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


def _nothing() -> None:
    """Where no place was taken."""


def peer(connection: ServerConnection) -> str:
    """The address at the other end."""
    address = connection.remote_address
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
