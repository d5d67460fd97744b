"""An open table: new frames go to all clients at its head, and pages from the store to the others.

Most clients are at the head. They need no task of their own: one page of bytes is written to all of them. A client that
reads too slowly falls behind, and a task sends it pages from the store until it is at the head again. So at most one
page is queued for any client, besides what a reader is allowed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from websockets.protocol import State

from nodealer.errors import RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import StoredFrame, page_message, split_into_pages
from nodealer.relay.permissions import TablePermissions
from nodealer.relay.server.metrics import Metrics
from nodealer.relay.server.rate_limit import RateLimit
from nodealer.relay.server.sockets import CountedConnection
from nodealer.relay.stores.base import FramePage, Store, TableExtent

#: How many seconds to wait for a store that has announced frames but does not return them yet, or the reverse.
_RETRY_SECONDS: Final = 0.05
#: The WebSocket close code for "try again later".
TRY_AGAIN: Final = 1013


class Client:
    """The state of one connection."""

    __slots__ = (
        "address",
        "at",
        "catching_up",
        "connection",
        "cursor",
        "epoch",
        "rate_limit",
        "refusals",
        "since",
        "table",
    )

    def __init__(self, connection: CountedConnection, address: str, rate_limit: RateLimit) -> None:
        """Start without an open table."""
        self.connection = connection
        self.address = address
        self.rate_limit = rate_limit
        self.refusals = 0
        #: The open table, if any.
        self.table: TableFanout | None = None
        #: The key epoch of its token, if it has sent a valid one.
        self.epoch: int | None = None
        #: While it is behind: the cursor of the last frame written to it, and the task that sends the next ones.
        self.cursor = 0
        self.catching_up: asyncio.Task[None] | None = None
        #: At the last check: the cursor and the number of queued bytes; and when it last accepted data.
        self.at = (0, 0)
        self.since = asyncio.get_running_loop().time()

    @property
    def waiting(self) -> int:
        """Return the number of bytes queued for it."""
        return self.connection.transport.get_write_buffer_size()

    def is_stuck(self, now: float, seconds: float) -> bool:
        """Return whether it has accepted no data for `seconds` although some is queued."""
        (cursor, waited), waiting = self.at, self.waiting
        idle = self.catching_up is None and not waiting
        if idle or self.cursor != cursor or waiting < waited:
            self.since = now
        self.at = (self.cursor, waiting)
        return now - self.since >= seconds


class TableFanout:
    """A table and the clients that have it open."""

    def __init__(self, name: str, store: Store, limits: RelayLimits, metrics: Metrics) -> None:
        """Create the fanout of one table, without clients."""
        self.name = name
        self._store = store
        self._reader_bytes = limits.reader_bytes
        self._metrics = metrics
        #: Held while subscribing to the store or unsubscribing.
        self.lock = asyncio.Lock()
        self.subscribed = False
        #: How many connections have it open or are opening it.
        self.users = 0
        self.permissions = TablePermissions()
        self.last = 0
        self.frames = 0
        self.bytes = 0
        #: How many frames were appended here, minus those delivered by the store.
        self._own = 0
        self._head: dict[CountedConnection, Client] = {}
        self._behind: set[Client] = set()

    @property
    def behind(self) -> frozenset[Client]:
        """Return the clients that are not at the head."""
        return frozenset(self._behind)

    @property
    def clients(self) -> list[Client]:
        """Return all clients that have joined."""
        return [*self._head.values(), *self._behind]

    @property
    def others_wrote(self) -> bool:
        """Return whether another relay on this store may have written, and so may have added records unknown here."""
        return self._own != 0

    def set_permissions(self, permissions: TablePermissions) -> None:
        """Set the current permissions from the store's records."""
        self.permissions, self._own = permissions, 0

    def start(self, standing: TableExtent) -> None:
        """Begin with the table's extent at the time of subscribing. Frames delivered meanwhile came after it."""
        self.subscribed = True
        self.last = max(self.last, standing.last)
        self.frames += standing.frames
        self.bytes += standing.bytes

    def stop(self) -> None:
        """Reset the state after unsubscribing from the store."""
        self.subscribed = False
        self.last = self.frames = self.bytes = self._own = 0

    def disconnect_all(self) -> None:
        """Disconnect all clients, because the store has deleted the table."""
        for client in self.clients:
            client.connection.transport.close()

    async def append(self, frame: bytes) -> None:
        """Append a frame to the store."""
        self._own += 1
        try:
            await self._store.append(self.name, frame)
        except RelayError:
            self._own -= 1
            raise

    def on_frames(self, frames: Sequence[StoredFrame]) -> None:
        """Deliver new frames that the store has stored. Delivery is also the acknowledgement for their sender."""
        self.frames += len(frames)
        self._own -= len(frames)
        for some in split_into_pages(frames):
            before, self.last = self.last, some[-1][0]
            self.bytes += sum(len(frame) for _, frame in some)
            for connection in [each for each in self._head if self._overflows(each)]:
                self._fall_behind(self._head.pop(connection), before)
            message = page_message(some)
            for connection in self._head:
                if connection.protocol.state is State.OPEN:
                    connection.transport.write(message)
            self._metrics.delivered += len(some) * len(self._head)

    def _overflows(self, connection: CountedConnection) -> bool:
        """Return whether too much is queued for a connection."""
        return connection.transport.get_write_buffer_size() > self._reader_bytes

    def join(self, client: Client, after: int) -> None:
        """Deliver all frames after a cursor to a client, from now on."""
        client.table = self
        if after == self.last:
            self._head[client.connection] = client
        else:
            self._fall_behind(client, after)

    def leave(self, client: Client) -> None:
        """Remove a client that has left."""
        client.table = None
        self._head.pop(client.connection, None)
        self._behind.discard(client)
        if client.catching_up is not None:
            client.catching_up.cancel()

    def _fall_behind(self, client: Client, cursor: int) -> None:
        """Serve a client from the store, starting after a cursor."""
        client.cursor, client.since = cursor, asyncio.get_running_loop().time()
        self._behind.add(client)
        client.catching_up = asyncio.create_task(self._catch_up(client))

    async def _catch_up(self, client: Client) -> None:
        """Send pages from the store until the client has the latest frame.

        The store may return frames before it announces them; the announcement then follows soon.
        """
        connection = client.connection
        reading: asyncio.Task[FramePage | None] | None = None
        try:
            while client.cursor != self.last:
                some = self._store.cached_page(self.name, client.cursor) if reading is None else await reading
                reading = None
                if some is None:
                    some = await self._store.read(self.name, client.cursor)
                if some is None:
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                if some.last != self.last and self._store.cached_page(self.name, some.last) is None:
                    # Read the next page while this one is being sent.
                    reading = asyncio.create_task(self._store.read(self.name, some.last))
                # Let other tasks run: this client may accept pages as fast as they come.
                await asyncio.sleep(0)
                if connection.protocol.state is not State.OPEN:
                    return
                connection.send_page(some.message)
                client.cursor = some.last
                self._metrics.delivered += some.frames
                await connection.drain()
            self._head[connection] = client
        except RelayError:
            self._metrics.failures += 1
            await connection.close(TRY_AGAIN, "store")
        except OSError:
            # It has left, or its page can no longer be read, of which part may have been sent.
            connection.transport.abort()
        finally:
            self._behind.discard(client)
            client.catching_up = None
            if reading is not None:
                reading.cancel()
                reading.add_done_callback(_ignore_result)


def _ignore_result(reading: asyncio.Task[FramePage | None]) -> None:
    """Retrieve a task's exception so that asyncio does not log it. Its result is no longer needed."""
    if not reading.cancelled():
        reading.exception()
