"""Connections at the socket level: counted before the first message, and dropped when they abuse control frames.

The library answers any number of pings by itself, even if no one reads the answers, and it has no limit on the number
of connections.
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
from nodealer.relay.stores.base import FileSlice

#: Opcodes from this one on are control frames.
_CONTROL: Final = 8
#: How many control frames may arrive between two checks of a connection.
_CONTROLS_MAX: Final = 200
#: An address may open this many times more sockets than connections, so that the excess ones get a readable refusal.
_SLACK: Final = 2


@dataclass(frozen=True)
class Tls:
    """The TLS context, and how many seconds a handshake may take."""

    context: ssl.SSLContext
    seconds: float


class ConnectionGate:
    """Counts the sockets, and rejects those beyond the limits."""

    def __init__(self, limits: RelayLimits, metrics: Metrics, *, proxy: bool) -> None:
        """Enforce these limits. Behind a proxy, sockets are not counted by address, because all have the proxy's."""
        self._most = limits.connections
        self._metrics = metrics
        #: The most bytes that can ever be queued for a reader.
        self.waiting_max = limits.reader_bytes + PAGE_BYTES_MAX + (64 << 10)
        #: Behind a proxy all connections have one address, and the proxy does the counting.
        self._proxy = proxy
        self._counts = ConnectionCounts(_SLACK * limits.connections_per_address)
        #: The open sockets, and the function that releases each.
        self._inside: dict[asyncio.Transport, Callable[[], None]] = {}

    def enter(self, transport: asyncio.Transport) -> None:
        """Count a new socket, and abort it if it is one too many."""
        self._metrics.connections += 1
        address = address_group(_peer_of(transport))
        full = self._metrics.connections > self._most or not (self._proxy or self._counts.has_room(address))
        self._inside[transport] = self._counts.acquire(address)
        if full:
            self._metrics.turned_away += 1
            transport.abort()

    def close(self) -> None:
        """Abort all remaining sockets."""
        for transport in list(self._inside):
            transport.abort()

    def leave(self, transport: asyncio.Transport) -> None:
        """Stop counting a socket."""
        if (leave := self._inside.pop(transport, None)) is not None:
            self._metrics.connections -= 1
            leave()


class CountedConnection(ServerConnection):
    """A connection that is counted and bounded.

    With TLS it is counted from its first byte. The library would leave the TLS handshake to the event loop and would
    not know of clients that have not finished it. So the loop passes in a plain socket, and TLS starts here.
    """

    def __init__(self, *args: Any, gate: ConnectionGate, tls: Tls | None = None, **options: Any) -> None:
        """Count the connection at `gate`, and start TLS first if `tls` is given. The rest is for the library."""
        super().__init__(*args, **options)
        self._gate = gate
        self._tls = tls
        self._controls = 0
        #: The plain socket below TLS, and the task that performs the TLS handshake.
        self._raw_transport: asyncio.Transport
        self._securing: asyncio.Task[None] | None = None
        self._began = False
        #: Data received over TLS before the library was ready for it.
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the socket, and start TLS or WebSocket on it."""
        self._raw_transport = cast(asyncio.Transport, transport)
        if self._tls is None:
            self._begin(self._raw_transport)
            self._gate.enter(self._raw_transport)
        else:
            self._gate.enter(self._raw_transport)
            if not self._raw_transport.is_closing():
                # The library must not see the encrypted bytes.
                self._raw_transport.pause_reading()
                self._securing = self.loop.create_task(self._secure(self._tls))

    async def _secure(self, tls: Tls) -> None:
        """Perform the TLS handshake; abort the socket if it fails."""
        try:
            with suppress(OSError):
                secure = await self.loop.start_tls(
                    self._raw_transport, self, tls.context, server_side=True, ssl_handshake_timeout=tls.seconds
                )
                if secure is None:
                    return
                if self._raw_transport.is_closing():
                    secure.abort()
                else:
                    self._begin(secure)
                    self.data_received(self._early)
        finally:
            if not self._began:
                self._raw_transport.abort()
                self._gate.leave(self._raw_transport)

    def _begin(self, transport: asyncio.Transport) -> None:
        """Hand the connection to the library."""
        self._began = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the socket."""
        self._gate.leave(self._raw_transport)
        if self._began:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process received bytes; abort if too many answers to them are queued unread."""
        if not self._began:
            self._early += data
            return
        super().data_received(data)
        if self.transport.get_write_buffer_size() > self._gate.waiting_max:
            self.transport.abort()

    def eof_received(self) -> None:
        """Tell the library that no more data follows."""
        if self._began:
            super().eof_received()

    def process_event(self, event: Any) -> None:
        """Process a WebSocket frame or the HTTP request; abort on too many control frames."""
        if getattr(event, "opcode", 0) >= _CONTROL:
            self._controls += 1
            if self._controls > _CONTROLS_MAX:
                self.transport.abort()
        super().process_event(event)

    def send_page(self, message: bytes | FileSlice) -> None:
        """Send a complete, already framed message.

        Bytes that the system does not accept at once are queued ahead of everything sent later, so a message is never
        torn.
        """
        if isinstance(message, bytes):
            self.transport.write(message)
        elif (sent := self._sendfile(message)) < message.size:
            self.transport.write(message.read(sent))

    def _sendfile(self, message: FileSlice) -> int:
        """Send from file to socket inside the kernel, and return the number of bytes sent.

        Return 0 with TLS, or if other bytes are queued.
        """
        if self.transport.get_extra_info("sslcontext") is not None or self.transport.get_write_buffer_size():
            return 0
        try:
            socket = self.transport.get_extra_info("socket").fileno()
            return os.sendfile(socket, message.file.descriptor, message.start, message.size)
        except OSError:
            # The socket accepts nothing now, or is closed; writing will report that.
            return 0

    def reset_control_count(self) -> None:
        """Allow another round of control frames."""
        self._controls = 0


def peer_address(connection: ServerConnection) -> str:
    """Return the remote address of a connection."""
    return _peer_of(connection.transport)


def _peer_of(transport: asyncio.BaseTransport) -> str:
    """Return the IP address at the other end, or an empty string if it is not known."""
    address = transport.get_extra_info("peername")
    return str(address[0]) if address else ""


def address_group(address: str) -> str:
    """Return what an address counts as in limits: all addresses of an IPv6 /64 network count as one."""
    found = _parse_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return "unknown" if found is None else str(found)


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's own."""
    found = _parse_address(address)
    return found is not None and found.is_loopback


def _parse_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address, with IPv4-mapped IPv6 addresses as IPv4; None if it is invalid."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
