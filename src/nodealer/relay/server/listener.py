"""The relay on a socket: WebSocket for clients, and two HTTP pages for operators."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from typing import Final, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from nodealer.errors import RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.permissions import mailbox_name
from nodealer.relay.server.connection import ClientConnection, unauthenticated_bytes_max
from nodealer.relay.server.metrics import Log, Metrics, discard_event, table_alias
from nodealer.relay.server.rate_limit import ConnectionCounts
from nodealer.relay.server.sockets import (
    ConnectionGate,
    CountedConnection,
    Tls,
    address_group,
    is_loopback,
    peer_address,
)
from nodealer.relay.server.tables import RelayTables
from nodealer.relay.stores.base import Store

#: How often a client is pinged, and how many seconds it may take to answer: it may be computing a proof.
_PING_SECONDS: Final = 30.0
_PONG_SECONDS: Final = 150.0
#: How many seconds a client may take to close the connection.
_FAREWELL: Final = 1.0
#: Seconds between two rounds of cleaning up, and between two checks for slow readers.
_TIDY_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 2.0
#: How many seconds the store may take to answer a health check.
_HEALTH_SECONDS: Final = 5.0
#: How many seconds a successful health check is cached.
_HEALTHY_SECONDS: Final = 1.0
#: How many messages of one client may be queued before its socket is no longer read.
_UNREAD: Final = 1


class Relay:
    """A running relay."""

    def __init__(
        self,
        store: Store,
        limits: RelayLimits,
        entropy: Callable[[int], bytes],
        log: Log,
        *,
        trust_proxy: bool,
        public_metrics: bool,
        only: str | None,
    ) -> None:
        """Create a relay that is not listening yet; use `serve_relay`, which explains the options."""
        self.metrics = Metrics()
        self.port = 0
        self._store = store
        self._limits = limits
        self._log = log
        self._trust_proxy = trust_proxy
        self._public_metrics = public_metrics
        self._tables = RelayTables(store, limits, entropy, self.metrics, log, only)
        self._counts = ConnectionCounts(limits.connections_per_address)
        self.gate = ConnectionGate(limits, self.metrics, proxy=trust_proxy)
        self._healthy_until = 0.0

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one client until it leaves."""
        address = self._address(connection)
        leave = self._counts.acquire(address)
        try:
            await ClientConnection(self._tables, cast(CountedConnection, connection), address).run()
        except ConnectionClosed:
            pass
        except Exception as error:
            # One client's error must not affect others. The log says where it happened, but nothing of what was sent.
            self._log("error", {"kind": type(error).__name__, "where": _error_location(error)})
        finally:
            leave()

    # --- HTTP requests ---

    async def process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return the HTTP response for an operator's page or a refused connection; None to accept a WebSocket."""
        if request.path == "/healthz":
            return await self._health(connection)
        if request.path == "/metrics":
            return self._metrics_page(connection, request)
        if not self._counts.has_room(self._address(connection, request)):
            self.metrics.turned_away += 1
            self._log("turned away", {})
            return connection.respond(HTTPStatus.TOO_MANY_REQUESTS, "too many connections\n")
        return None

    async def _health(self, connection: ServerConnection) -> Response:
        """Return the health page: whether the store answers."""
        now = asyncio.get_running_loop().time()
        if now >= self._healthy_until:
            try:
                async with asyncio.timeout(_HEALTH_SECONDS):
                    await self._store.notes(mailbox_name(1))
            except (RelayError, TimeoutError):
                return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "the store does not answer\n")
            # Frequent health checks do not reach the store.
            self._healthy_until = now + _HEALTHY_SECONDS
        return connection.respond(HTTPStatus.OK, "ok\n")

    def _metrics_page(self, connection: ServerConnection, request: Request) -> Response:
        """Return the metrics page; for this machine only, unless they are public."""
        forwarded = "X-Forwarded-For" in request.headers or "Forwarded" in request.headers
        if not self._public_metrics and (forwarded or not is_loopback(peer_address(connection))):
            return connection.respond(HTTPStatus.FORBIDDEN, "metrics are for this machine only\n")
        self.metrics.tables = len(self._tables.live)
        self.metrics.behind = sum(len(table.behind) for table in self._tables.live)
        return connection.respond(HTTPStatus.OK, self.metrics.text())

    def _address(self, connection: ServerConnection, request: Request | None = None) -> str:
        """Return the address group that a connection counts for."""
        request = request or connection.request
        address = peer_address(connection)
        if self._trust_proxy and request is not None:
            # The proxy adds the last entry. Anyone can write the ones before it.
            forwarded = request.headers.get_all("X-Forwarded-For")
            address = forwarded[-1].rpartition(",")[2].strip() if forwarded else address
        return address_group(address)

    # --- Background tasks ---

    async def tidy(self) -> None:
        """Delete expired tables and update the metrics periodically; never returns."""
        while True:
            try:
                await self._tables.tidy()
            except RelayError as error:
                self.metrics.failures += 1
                self._log("store", {"reason": str(error)})
            await asyncio.sleep(_TIDY_SECONDS)

    async def disconnect_stuck(self) -> None:
        """Disconnect clients that do not read what is queued for them; never returns."""
        loop, seconds = asyncio.get_running_loop(), self._limits.slow_seconds
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, seconds / 4))
            for table in self._tables.live:
                for client in table.clients:
                    client.connection.reset_control_count()
                    if client.is_stuck(loop.time(), seconds):
                        self.metrics.cut_off += 1
                        self._log("cut off", {"table": table_alias(table.name), "waiting": client.waiting})
                        client.connection.transport.abort()


@asynccontextmanager
async def serve_relay(
    store: Store,
    *,
    entropy: Callable[[int], bytes],
    limits: RelayLimits | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    browsers: bool = True,
    trust_proxy: bool = False,
    public_metrics: bool = False,
    only: str | None = None,
    log: Log = discard_event,
) -> AsyncIterator[Relay]:
    """Run a relay on a socket until the context ends. The store stays open.

    `port` 0 means any free port; the relay's `port` says which. Without `browsers`, no web page can connect. With
    `only`, no other table than this one can be created. Raise `RelayError` if it cannot listen.
    """
    limits = limits or RelayLimits()
    secured = None if tls is None else Tls(tls, limits.hello_seconds)
    relay = Relay(store, limits, entropy, log, trust_proxy=trust_proxy, public_metrics=public_metrics, only=only)
    try:
        server = await serve(
            relay.handle,
            host,
            port,
            compression=None,
            origins=None if browsers else [None],
            process_request=relay.process_request,
            server_header=None,
            max_size=unauthenticated_bytes_max(limits),
            max_queue=_UNREAD,
            open_timeout=limits.hello_seconds,
            ping_interval=_PING_SECONDS,
            ping_timeout=_PONG_SECONDS,
            close_timeout=_FAREWELL,
            logger=_silenced_logger(),
            create_connection=partial(CountedConnection, gate=relay.gate, tls=secured),  # type: ignore[arg-type]
        )
    except OSError as error:
        raise RelayError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    relay.port = next(iter(server.sockets)).getsockname()[1]
    background = [asyncio.create_task(relay.tidy()), asyncio.create_task(relay.disconnect_stuck())]
    try:
        yield relay
    finally:
        for task in background:
            task.cancel()
        await _close(server, relay.gate)
        for task in background:
            with suppress(asyncio.CancelledError):
                await task


async def _close(server: Server, gate: ConnectionGate) -> None:
    """Close the connections that have completed the handshake, and cut off the others.

    Otherwise the library would wait for those as long as they may take: for the TLS handshake, for the HTTP request, or
    to read what is queued before the close frame.
    """
    server.close(close_connections=False)
    with suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL):
            await asyncio.gather(*(connection.close(CloseCode.GOING_AWAY) for connection in server.connections))
    gate.close()
    await server.wait_closed()


def _silenced_logger() -> logging.Logger:
    """Return a disabled logger: the library's messages about connections do not belong in our log."""
    logger = logging.getLogger("nodealer.relay.websockets")
    logger.propagate = False
    logger.disabled = True
    return logger


def _error_location(error: BaseException) -> str:
    """Return the innermost code location in a traceback."""
    place, at = "", error.__traceback__
    while at is not None:
        place = f"{at.tb_frame.f_code.co_qualname}:{at.tb_lineno}"
        at = at.tb_next
    return place
