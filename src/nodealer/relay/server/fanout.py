"""A table that somebody has open: new frames go to all who are at its head, and pages from the store to the others.

Most clients are at the head. They have no task of their own for it: one page of bytes is written to all of them. One
that takes its frames too slowly falls behind, and a task brings it pages from the store until it is at the head again.
So at most a page waits for anybody, beside what a reader is allowed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from websockets.protocol import State

from nodealer.errors import RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import Stored, in_pages, message_of
from nodealer.relay.permissions import TablePermissions
from nodealer.relay.server.metrics import Metrics
from nodealer.relay.server.rate_limit import RateLimit
from nodealer.relay.server.sockets import CountedConnection
from nodealer.relay.stores.base import FramePage, Standing, Store

#: How many seconds to wait for a store that has said of frames which it does not show yet, or the other way round.
_SOON: Final = 0.05
#: The close code for "try again later".
TRY_AGAIN: Final = 1013


class Client:
    """One connection."""

    __slots__ = ("address", "at", "catching_up", "connection", "cursor", "epoch", "pace", "refusals", "since", "table")

    def __init__(self, connection: CountedConnection, address: str, pace: RateLimit) -> None:
        self.connection = connection
        self.address = address
        self.pace = pace
        self.refusals = 0
        #: The table it has open.
        self.table: TableFanout | None = None
        #: The key epoch of its token.
        self.epoch: int | None = None
        #: While it is behind: the last frame that was written to it, and the task that brings the next ones.
        self.cursor = 0
        self.catching_up: asyncio.Task[None] | None = None
        #: How far it was when it was last looked at, in frames and in bytes that wait; and when it last took some.
        self.at = (0, 0)
        self.since = asyncio.get_running_loop().time()

    @property
    def waiting(self) -> int:
        """Bytes that wait for it."""
        return self.connection.transport.get_write_buffer_size()

    def stuck(self, now: float, seconds: float) -> bool:
        """Whether it has taken nothing for so long, though something waits for it."""
        (cursor, waited), waiting = self.at, self.waiting
        idle = self.catching_up is None and not waiting
        if idle or self.cursor != cursor or waiting < waited:
            self.since = now
        self.at = (self.cursor, waiting)
        return now - self.since >= seconds


class TableFanout:
    """A table and those who have it open."""

    def __init__(self, name: str, store: Store, limits: RelayLimits, metrics: Metrics) -> None:
        self.name = name
        self._store = store
        self._reader_bytes = limits.reader_bytes
        self._metrics = metrics
        #: Held by whoever begins or ends to follow the store.
        self.lock = asyncio.Lock()
        self.followed = False
        #: How many connections have it open, or are about to.
        self.users = 0
        self.rules = TablePermissions()
        self.last = 0
        self.frames = 0
        self.bytes = 0
        #: How many frames were appended here, less those that were heard.
        self._own = 0
        self._head: dict[CountedConnection, Client] = {}
        self._behind: set[Client] = set()

    @property
    def behind(self) -> frozenset[Client]:
        """Those who are not at the head."""
        return frozenset(self._behind)

    @property
    def clients(self) -> list[Client]:
        """All who have joined."""
        return [*self._head.values(), *self._behind]

    @property
    def others_wrote(self) -> bool:
        """Whether another relay on the same store may have, and so may have put down notes that were not seen here."""
        return self._own != 0

    def learn(self, rules: TablePermissions) -> None:
        """What the notes say now."""
        self.rules, self._own = rules, 0

    def start(self, standing: Standing) -> None:
        """The store is followed: the table stood so, and what was heard by now came after that."""
        self.followed = True
        self.last = max(self.last, standing.last)
        self.frames += standing.frames
        self.bytes += standing.bytes

    def stop(self) -> None:
        """The store is not followed any more."""
        self.followed = False
        self.last = self.frames = self.bytes = self._own = 0

    def dissolve(self) -> None:
        """The store has forgotten the table: all are sent away."""
        for client in self.clients:
            client.connection.transport.close()

    async def append(self, frame: bytes) -> None:
        """Put a frame into the order."""
        self._own += 1
        try:
            await self._store.append(self.name, frame)
        except RelayError:
            self._own -= 1
            raise

    def hear(self, frames: Sequence[Stored]) -> None:
        """New frames, which the store keeps now. Bringing them is the acknowledgement too."""
        self.frames += len(frames)
        self._own -= len(frames)
        for some in in_pages(frames):
            before, self.last = self.last, some[-1][0]
            self.bytes += sum(len(frame) for _, frame in some)
            for connection in [each for each in self._head if self._overflows(each)]:
                self._fall_behind(self._head.pop(connection), before)
            message = message_of(some)
            for connection in self._head:
                if connection.protocol.state is State.OPEN:
                    connection.transport.write(message)
            self._metrics.delivered += len(some) * len(self._head)

    def _overflows(self, connection: CountedConnection) -> bool:
        return connection.transport.get_write_buffer_size() > self._reader_bytes

    def join(self, client: Client, after: int) -> None:
        """Bring a client all frames after a cursor, from now on."""
        client.table = self
        if after == self.last:
            self._head[client.connection] = client
        else:
            self._fall_behind(client, after)

    def leave(self, client: Client) -> None:
        """It has gone."""
        client.table = None
        self._head.pop(client.connection, None)
        self._behind.discard(client)
        if client.catching_up is not None:
            client.catching_up.cancel()

    def _fall_behind(self, client: Client, cursor: int) -> None:
        client.cursor, client.since = cursor, asyncio.get_running_loop().time()
        self._behind.add(client)
        client.catching_up = asyncio.create_task(self._catch_up(client))

    async def _catch_up(self, client: Client) -> None:
        """Until it has what was told last. The store may show frames before it tells of them: then it tells soon."""
        connection = client.connection
        reading: asyncio.Task[FramePage | None] | None = None
        try:
            while client.cursor != self.last:
                some = self._store.at_hand(self.name, client.cursor) if reading is None else await reading
                reading = None
                if some is None:
                    some = await self._store.read(self.name, client.cursor)
                if some is None:
                    await asyncio.sleep(_SOON)
                    continue
                if some.last != self.last and self._store.at_hand(self.name, some.last) is None:
                    # The next page is read while one is being sent.
                    reading = asyncio.create_task(self._store.read(self.name, some.last))
                # Others have their turn: it may be that this one takes pages as fast as they come.
                await asyncio.sleep(0)
                if connection.protocol.state is not State.OPEN:
                    return
                connection.bring(some.message)
                client.cursor = some.last
                self._metrics.delivered += some.frames
                await connection.drain()
            self._head[connection] = client
        except RelayError:
            self._metrics.failures += 1
            await connection.close(TRY_AGAIN, "store")
        except OSError:
            # It has gone, or its page cannot be read any more, of which a part may have been sent.
            connection.transport.abort()
        finally:
            self._behind.discard(client)
            client.catching_up = None
            if reading is not None:
                reading.cancel()
                reading.add_done_callback(_forget)


def _forget(reading: asyncio.Task[FramePage | None]) -> None:
    """Nobody needs it any more, whatever came of it."""
    if not reading.cancelled():
        reading.exception()
