"""What a relay answers to one client. `core` decides, the store keeps, and a `TableFanout` brings the frames."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from nodealer.errors import DecodeError, RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import (
    TEXT_BYTES_MAX,
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
    Token,
    Told,
    read_asked,
    read_page,
)
from nodealer.relay.permissions import EndedRecord, ReachedRecord, Refusal, RekeyedRecord, check_frame
from nodealer.relay.server.fanout import Client, TableFanout
from nodealer.relay.server.metrics import alias
from nodealer.relay.server.rate_limit import RateLimit
from nodealer.relay.server.sockets import CountedConnection
from nodealer.relay.server.tables import RelayTables
from nodealer.wire import encode

#: The close code for who has broken a rule.
_POLICY: Final = 1008


def small(limits: RelayLimits) -> int:
    """The largest message of who has shown no token. Larger ones are not read at all."""
    return max(TEXT_BYTES_MAX, limits.mailbox_bytes)


class ClientConnection:
    """One client, from its first word on."""

    __slots__ = ("_client", "_connection", "_limits", "_loop", "_tables")

    def __init__(self, tables: RelayTables, connection: CountedConnection, address: str) -> None:
        self._tables = tables
        self._limits = tables.limits
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._client = Client(connection, address, RateLimit(self._limits, self._loop.time()))

    async def run(self) -> None:
        """Until it goes, or is sent away. Raises `ConnectionClosed`."""
        client = self._client
        try:
            while True:
                message = await self._next()
                wait = client.pace.spend(self._loop.time(), len(message))
                try:
                    await self._hear(message)
                except Refusal as refusal:
                    await self._refuse(refusal)
                if wait:
                    self._tables.metrics.slowed += 1
                    await self._rest(wait)
        except Refusal as refusal:
            await self._connection.close(_POLICY, refusal.code)
        finally:
            if client.table is not None:
                table = client.table
                table.leave(client)
                await self._tables.release(table)

    async def _rest(self, seconds: float) -> None:
        """Read nothing for a while, unless it goes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._connection.wait_closed()

    async def _next(self) -> str | bytes:
        if self._client.table is not None:
            return await self._connection.recv()
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                return await self._connection.recv()
        except TimeoutError:
            refusal = Refusal("talk", "a client says soon what it wants", last=True)
            await self._refuse(refusal)
            raise refusal from None

    async def _hear(self, message: str | bytes) -> None:
        try:
            if isinstance(message, bytes):
                await self._frame(message)
            else:
                await self._answer(read_asked(message))
        except DecodeError as error:
            raise Refusal("talk", str(error), last=True) from None
        except Refusal:
            raise
        except RelayError as error:
            self._tables.metrics.failures += 1
            # What the operator has to do something about.
            self._tables.log("store", {"reason": str(error)})
            raise Refusal("store", str(error)) from None

    async def _refuse(self, refusal: Refusal) -> None:
        """Say no. Raises it again when that was the last word."""
        self._tables.metrics.refused += 1
        self._client.refusals += 1
        table = self._client.table
        self._tables.log("refused", {"code": refusal.code, "table": None if table is None else alias(table.name)})
        await self._say(Refused(refusal.code, str(refusal)))
        if refusal.last or self._client.refusals >= self._limits.refusals:
            raise refusal

    async def _say(self, told: Told) -> None:
        await self._connection.send(encode(told).decode())

    # --- Frames ---

    async def _frame(self, frame: bytes) -> None:
        table, epoch = self._table, self._client.epoch
        check_frame(self._limits, table.rules, epoch, len(frame), frames=table.frames, total=table.bytes)
        self._tables.refuse_when_full(len(frame))
        if epoch is not None and epoch > table.rules.reached:
            table.learn(await self._tables.note(table.name, ReachedRecord(epoch)))
            if not table.rules.lets_write(epoch):
                raise Refusal("key", "another key of this table was used first")
        try:
            await table.append(frame)
        except RelayError:
            if not await self._tables.store.notes(table.name):
                raise Refusal("missing", "the table was not kept any longer", last=True) from None
            raise
        metrics = self._tables.metrics
        metrics.taken += 1
        metrics.taken_bytes += len(frame)
        metrics.stored_bytes += len(frame)

    @property
    def _table(self) -> TableFanout:
        if self._client.table is None:
            raise Refusal("talk", "no table is open", last=True)
        return self._client.table

    # --- Requests ---

    async def _answer(self, asked: Asked) -> None:
        match asked:
            case Create():
                await self._tables.create(asked, self._client.address, self._loop.time())
                await self._say(Created())
            case MailboxWanted():
                number = await self._tables.give_mailbox(self._client.address, self._loop.time())
                await self._say(MailboxGiven(number))
            case Open():
                await self._open(asked.table, asked.after or 0)
            case Token():
                await self._token(asked.token)
            case Rekey():
                await self._rekey(asked.writer)
            case End():
                await self._end()

    async def _open(self, name: str, after: int) -> None:
        if self._client.table is not None:
            raise Refusal("talk", "one connection opens one table", last=True)
        tables = self._tables
        table = await tables.enter(name)
        try:
            if after > table.last:
                await self._find(name, after)
            frames = await tables.store.count(name, after)
            await self._say(Opened(frames, self._largest(table)))
        except BaseException:
            await tables.release(table)
            raise
        table.join(self._client, after)

    async def _find(self, name: str, cursor: int) -> None:
        """Another relay may have told of a frame before the store told this one. But there must be one."""
        found = await self._tables.store.read(name, cursor - 1)
        if found is None or read_page(found.data)[0][0] != cursor:
            raise Refusal("cursor", "the table has no frame with this cursor: it is not the one you know", last=True)

    def _largest(self, table: TableFanout) -> int:
        return self._limits.mailbox_bytes if table.rules.mailbox else self._tables.largest

    async def _token(self, token: bytes) -> None:
        table = self._table
        if table.rules.epoch_of(token) is None:
            # Another relay may have noted a new key.
            table.learn(await self._tables.rules(table.name))
        epoch = table.rules.epoch_of(token)
        if epoch is None:
            raise Refusal("token", "this token does not let anybody write to this table")
        self._client.epoch = epoch
        self._connection.protocol.max_message_size = max(small(self._limits), self._tables.largest)
        await self._say(Accepted())

    async def _rekey(self, writer: bytes) -> None:
        table, epoch = self._writable()
        if not table.rules.knows(writer):
            if len(table.rules.writers) > self._limits.rekeys_per_table:
                raise Refusal("full", f"a table has at most {self._limits.rekeys_per_table} new keys")
            table.learn(await self._tables.note(table.name, RekeyedRecord(writer, epoch)))
        await self._say(Accepted())

    async def _end(self) -> None:
        table, _ = self._writable()
        if not table.rules.ended:
            table.learn(await self._tables.note(table.name, EndedRecord()))
            await self._tables.store.expire(table.name, self._limits.ended_seconds)
        await self._say(Accepted())

    def _writable(self) -> tuple[TableFanout, int]:
        """The table, for one who has shown a token that counts, and the key epoch of that."""
        table, epoch = self._table, self._client.epoch
        if epoch is None or not table.rules.lets_write(epoch):
            raise Refusal("token", "only who has shown a token that counts may ask for this")
        return table, epoch
