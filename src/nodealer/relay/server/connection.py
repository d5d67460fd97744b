"""One client's connection to the relay.

`permissions` decides, the store keeps the frames, and a `TableFanout` delivers them.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from nodealer.errors import DecodeError, RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import (
    TEXT_BYTES_MAX,
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
    Token,
    parse_page,
    parse_request,
)
from nodealer.relay.permissions import EndedRecord, ReachedRecord, Refusal, RekeyedRecord, check_frame
from nodealer.relay.server.fanout import Client, TableFanout
from nodealer.relay.server.metrics import table_alias
from nodealer.relay.server.rate_limit import RateLimit
from nodealer.relay.server.sockets import CountedConnection
from nodealer.relay.server.tables import RelayTables
from nodealer.wire import encode

#: The WebSocket close code for a policy violation.
_POLICY: Final = 1008


def unauthenticated_bytes_max(limits: RelayLimits) -> int:
    """Return the largest message of a client that has not sent a token. Larger ones are not read at all."""
    return max(TEXT_BYTES_MAX, limits.mailbox_bytes)


class ClientConnection:
    """Serves one client."""

    __slots__ = ("_client", "_connection", "_limits", "_loop", "_tables")

    def __init__(self, tables: RelayTables, connection: CountedConnection, address: str) -> None:
        """Serve this connection. `address` is what the client's limits are counted under."""
        self._tables = tables
        self._limits = tables.limits
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._client = Client(connection, address, RateLimit(self._limits, self._loop.time()))

    async def run(self) -> None:
        """Serve the client until it leaves or is disconnected. Raises `ConnectionClosed`."""
        client = self._client
        try:
            while True:
                message = await self._next_message()
                wait = client.rate_limit.spend(self._loop.time(), len(message))
                try:
                    await self._receive(message)
                except Refusal as refusal:
                    await self._refuse(refusal)
                if wait:
                    self._tables.metrics.slowed += 1
                    await self._pause(wait)
        except Refusal as refusal:
            await self._connection.close(_POLICY, refusal.code)
        finally:
            if client.table is not None:
                table = client.table
                table.leave(client)
                await self._tables.release(table)

    async def _pause(self, seconds: float) -> None:
        """Read nothing for some seconds, unless the client leaves."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._connection.wait_closed()

    async def _next_message(self) -> str | bytes:
        """Return the next message; refuse a client that takes too long to open a table."""
        if self._client.table is not None:
            return await self._connection.recv()
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                return await self._connection.recv()
        except TimeoutError:
            refusal = Refusal("talk", "you took too long to open a table", last=True)
            await self._refuse(refusal)
            raise refusal from None

    async def _receive(self, message: str | bytes) -> None:
        """Process a message, turning errors into `Refusal`."""
        try:
            if isinstance(message, bytes):
                await self._append_frame(message)
            else:
                await self._handle_request(parse_request(message))
        except DecodeError as error:
            raise Refusal("talk", str(error), last=True) from None
        except Refusal:
            raise
        except RelayError as error:
            self._tables.metrics.failures += 1
            # The operator has to take care of this.
            self._tables.log("store", {"reason": str(error)})
            raise Refusal("store", str(error)) from None

    async def _refuse(self, refusal: Refusal) -> None:
        """Send a refusal. Raise it again if the client is to be disconnected."""
        self._tables.metrics.refused += 1
        self._client.refusals += 1
        table = self._client.table
        self._tables.log("refused", {"code": refusal.code, "table": None if table is None else table_alias(table.name)})
        await self._reply(Refused(refusal.code, str(refusal)))
        if refusal.last or self._client.refusals >= self._limits.refusals:
            raise refusal

    async def _reply(self, reply: RelayReply) -> None:
        """Send a reply to the client, as JSON text."""
        await self._connection.send(encode(reply).decode())

    # --- Frames ---

    async def _append_frame(self, frame: bytes) -> None:
        """Check a frame's permissions and limits, and append it to the table."""
        table, epoch = self._table, self._client.epoch
        check_frame(self._limits, table.permissions, epoch, len(frame), frames=table.frames, total=table.bytes)
        self._tables.refuse_when_full(len(frame))
        if epoch is not None and epoch > table.permissions.reached:
            table.set_permissions(await self._tables.add_record(table.name, ReachedRecord(epoch)))
            if not table.permissions.can_write(epoch):
                raise Refusal("key", "another key of this table was used first")
        try:
            await table.append(frame)
        except RelayError:
            if not await self._tables.store.notes(table.name):
                raise Refusal("missing", "the table has been deleted", last=True) from None
            raise
        metrics = self._tables.metrics
        metrics.taken += 1
        metrics.taken_bytes += len(frame)
        metrics.stored_bytes += len(frame)

    @property
    def _table(self) -> TableFanout:
        """Return the open table. Raise `Refusal` if there is none."""
        if self._client.table is None:
            raise Refusal("talk", "open a table first", last=True)
        return self._client.table

    # --- Requests ---

    async def _handle_request(self, request: RelayRequest) -> None:
        """Carry out a request, and send the reply."""
        match request:
            case Create():
                await self._tables.create(request, self._client.address, self._loop.time())
                await self._reply(Created())
            case RequestMailbox():
                number = await self._tables.issue_mailbox(self._client.address, self._loop.time())
                await self._reply(MailboxIssued(number))
            case Open():
                await self._open(request.table, request.after or 0)
            case Token():
                await self._token(request.token)
            case Rekey():
                await self._rekey(request.writer)
            case End():
                await self._end()

    async def _open(self, name: str, after: int) -> None:
        """Open a table for this client, and start delivering its frames."""
        if self._client.table is not None:
            raise Refusal("talk", "a connection can open only one table", last=True)
        tables = self._tables
        table = await tables.acquire(name)
        try:
            if after > table.last:
                await self._require_cursor(name, after)
            frames = await tables.store.count(name, after)
            await self._reply(Opened(frames, self._frame_bytes_max(table)))
        except BaseException:
            await tables.release(table)
            raise
        table.join(self._client, after)

    async def _require_cursor(self, name: str, cursor: int) -> None:
        """Raise `Refusal` if the store has no frame with this cursor.

        The cursor may be newer than what this relay knows, because another relay may have announced the frame first.
        """
        found = await self._tables.store.read(name, cursor - 1)
        if found is None or parse_page(found.data)[0][0] != cursor:
            raise Refusal("cursor", "the table has no frame with this cursor: it is not the table you know", last=True)

    def _frame_bytes_max(self, table: TableFanout) -> int:
        """Return the largest frame that a table accepts."""
        return self._limits.mailbox_bytes if table.permissions.is_mailbox else self._tables.largest

    async def _token(self, token: bytes) -> None:
        """Check a write token, and let the client write with it."""
        table = self._table
        if table.permissions.epoch_of(token) is None:
            # Another relay may have recorded a new key.
            table.set_permissions(await self._tables.permissions(table.name))
        epoch = table.permissions.epoch_of(token)
        if epoch is None:
            raise Refusal("token", "this token does not allow writing to this table")
        self._client.epoch = epoch
        self._connection.protocol.max_message_size = max(unauthenticated_bytes_max(self._limits), self._tables.largest)
        await self._reply(Accepted())

    async def _rekey(self, writer: bytes) -> None:
        """Register another writer for the next key epoch."""
        table, epoch = self._require_writer()
        if not table.permissions.is_redundant(writer):
            if len(table.permissions.writers) > self._limits.rekeys_per_table:
                raise Refusal("full", f"a table can have at most {self._limits.rekeys_per_table} new keys")
            table.set_permissions(await self._tables.add_record(table.name, RekeyedRecord(writer, epoch)))
        await self._reply(Accepted())

    async def _end(self) -> None:
        """Record the end of the game, and let the table expire."""
        table, _ = self._require_writer()
        if not table.permissions.ended:
            table.set_permissions(await self._tables.add_record(table.name, EndedRecord()))
            await self._tables.store.expire(table.name, self._limits.ended_seconds)
        await self._reply(Accepted())

    def _require_writer(self) -> tuple[TableFanout, int]:
        """Return the table and the key epoch of the client's token. Raise `Refusal` without a valid token."""
        table, epoch = self._table, self._client.epoch
        if epoch is None or not table.permissions.can_write(epoch):
            raise Refusal("token", "send a valid token of this table first")
        return table, epoch
