"""The relay on a socket: WebSocket for clients, and two pages for operators."""

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
from nodealer.relay.server.connection import ClientConnection, small
from nodealer.relay.server.metrics import Log, Metrics, alias, say_nothing
from nodealer.relay.server.rate_limit import ConnectionCounts
from nodealer.relay.server.sockets import ConnectionGate, CountedConnection, Tls, is_loopback, network, peer
from nodealer.relay.server.tables import RelayTables
from nodealer.relay.stores.base import Store

#: A client is asked so often whether it is there, and may take so long to answer: it may be computing a proof.
_PING_SECONDS: Final = 30.0
_PONG_SECONDS: Final = 150.0
#: How many seconds a client may take to say that it goes.
_FAREWELL: Final = 1.0
#: How many seconds are between two rounds of tidying up, and between two looks at slow readers.
_TIDY_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 2.0
#: How many seconds the store may take to answer that it is well.
_HEALTH_SECONDS: Final = 5.0
#: For how many seconds that is believed.
_HEALTHY_SECONDS: Final = 1.0
#: Frames that wait unread for one client before its socket is not read any more.
_UNREAD: Final = 1


class Relay:
    """A relay that runs."""

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
        self.metrics = Metrics()
        self.port = 0
        self._store = store
        self._limits = limits
        self._log = log
        self._trust_proxy = trust_proxy
        self._public_metrics = public_metrics
        self._tables = RelayTables(store, limits, entropy, self.metrics, log, only)
        self._places = ConnectionCounts(limits.connections_per_address)
        self.door = ConnectionGate(limits, self.metrics, proxy=trust_proxy)
        self._healthy_until = 0.0

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one client until it goes."""
        address = self._address(connection)
        leave = self._places.take(address)
        try:
            await ClientConnection(self._tables, cast(CountedConnection, connection), address).run()
        except ConnectionClosed:
            pass
        except Exception as error:
            # One client's trouble is no other's. What it was stands in the log, and nothing of what was said.
            self._log("error", {"kind": type(error).__name__, "where": _where(error)})
        finally:
            leave()

    # --- Before a connection is one ---

    async def let_in(self, connection: ServerConnection, request: Request) -> Response | None:
        """What is asked of the relay by HTTP: to come in, or one of the pages."""
        if request.path == "/healthz":
            return await self._health(connection)
        if request.path == "/metrics":
            return self._metrics_page(connection, request)
        if not self._places.free(self._address(connection, request)):
            self.metrics.turned_away += 1
            self._log("turned away", {})
            return connection.respond(HTTPStatus.TOO_MANY_REQUESTS, "too many connections\n")
        return None

    async def _health(self, connection: ServerConnection) -> Response:
        now = asyncio.get_running_loop().time()
        if now >= self._healthy_until:
            try:
                async with asyncio.timeout(_HEALTH_SECONDS):
                    await self._store.notes(mailbox_name(1))
            except (RelayError, TimeoutError):
                return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "the store does not answer\n")
            # Whoever asks all the time does not ask the store.
            self._healthy_until = now + _HEALTHY_SECONDS
        return connection.respond(HTTPStatus.OK, "ok\n")

    def _metrics_page(self, connection: ServerConnection, request: Request) -> Response:
        forwarded = "X-Forwarded-For" in request.headers or "Forwarded" in request.headers
        if not self._public_metrics and (forwarded or not is_loopback(peer(connection))):
            return connection.respond(HTTPStatus.FORBIDDEN, "metrics are for this machine only\n")
        self.metrics.tables = len(self._tables.live)
        self.metrics.behind = sum(len(table.behind) for table in self._tables.live)
        return connection.respond(HTTPStatus.OK, self.metrics.text())

    def _address(self, connection: ServerConnection, request: Request | None = None) -> str:
        """Whose the connection is."""
        request = request or connection.request
        address = peer(connection)
        if self._trust_proxy and request is not None:
            # The proxy adds the last one. What stands before it, anybody can write.
            said = request.headers.get_all("X-Forwarded-For")
            address = said[-1].rpartition(",")[2].strip() if said else address
        return network(address)

    # --- Beside the clients ---

    async def tidy(self) -> None:
        """From time to time, for ever."""
        while True:
            try:
                await self._tables.tidy()
            except RelayError as error:
                self.metrics.failures += 1
                self._log("store", {"reason": str(error)})
            await asyncio.sleep(_TIDY_SECONDS)

    async def cut_off(self) -> None:
        """Who takes nothing of what waits for it is cut off, for ever."""
        loop, seconds = asyncio.get_running_loop(), self._limits.slow_seconds
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, seconds / 4))
            for table in self._tables.live:
                for client in table.clients:
                    client.connection.looked_at()
                    if client.stuck(loop.time(), seconds):
                        self.metrics.cut_off += 1
                        self._log("cut off", {"table": alias(table.name), "waiting": client.waiting})
                        client.connection.transport.abort()


@asynccontextmanager
async def serving(
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
    log: Log = say_nothing,
) -> AsyncIterator[Relay]:
    """A relay on a socket, until the context ends; `port` 0 is a free one, and the relay says which. The store stays
    open. Without `browsers` no page in any browser may connect; with `only`, no other table is made than this one.
    Raises `RelayError` where it cannot listen."""
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
            process_request=relay.let_in,
            server_header=None,
            max_size=small(limits),
            max_queue=_UNREAD,
            open_timeout=limits.hello_seconds,
            ping_interval=_PING_SECONDS,
            ping_timeout=_PONG_SECONDS,
            close_timeout=_FAREWELL,
            logger=_silent(),
            create_connection=partial(CountedConnection, door=relay.door, tls=secured),  # type: ignore[arg-type]
        )
    except OSError as error:
        raise RelayError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    relay.port = next(iter(server.sockets)).getsockname()[1]
    beside = [asyncio.create_task(relay.tidy()), asyncio.create_task(relay.cut_off())]
    try:
        yield relay
    finally:
        for task in beside:
            task.cancel()
        await _close(server, relay.door)
        for task in beside:
            with suppress(asyncio.CancelledError):
                await task


async def _close(server: Server, door: ConnectionGate) -> None:
    """Say good-bye to those that have come to words, and cut off the others. For them too the library waits, if it is
    let, for as long as they may take: to speak TLS, to ask to come in, or to read what stands before the good-bye."""
    server.close(close_connections=False)
    with suppress(TimeoutError):
        async with asyncio.timeout(_FAREWELL):
            await asyncio.gather(*(connection.close(CloseCode.GOING_AWAY) for connection in server.connections))
    door.close()
    await server.wait_closed()


def _silent() -> logging.Logger:
    """What the library would say of connections is not for our log."""
    logger = logging.getLogger("nodealer.relay.websockets")
    logger.propagate = False
    logger.disabled = True
    return logger


def _where(error: BaseException) -> str:
    """The last place of ours in a traceback."""
    place, at = "", error.__traceback__
    while at is not None:
        place = f"{at.tb_frame.f_code.co_qualname}:{at.tb_lineno}"
        at = at.tb_next
    return place
