"""What a relay answers to one client. `core` decides, the store keeps, and a `LiveTable` brings the frames."""

from __future__ import annotations

import asyncio
from typing import Final

from websockets.asyncio.server import ServerConnection

from nodealer.errors import DecodeError, RelayError
from nodealer.relay.core import Ended, Reached, Refusal, Rekeyed, check_frame
from nodealer.relay.live import Client, LiveTable
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
)
from nodealer.relay.metrics import alias
from nodealer.relay.pace import Pace
from nodealer.relay.tables import Tables
from nodealer.wire import encode

#: The close code for who has broken a rule.
_POLICY: Final = 1008


class Talk:
    """One client, from its first word on."""

    __slots__ = ("_client", "_connection", "_limits", "_loop", "_tables")

    def __init__(self, tables: Tables, connection: ServerConnection, address: str) -> None:
        self._tables = tables
        self._limits = tables.limits
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._client = Client(connection, address, Pace(self._limits, self._loop.time()))
        self._take(max(TEXT_BYTES_MAX, self._limits.mailbox_bytes))

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
                    await asyncio.sleep(wait)
        except Refusal as refusal:
            await self._connection.close(_POLICY, refusal.code)
        finally:
            if client.table is not None:
                table = client.table
                table.leave(client)
                await self._tables.release(table)

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

    def _take(self, size: int) -> None:
        """Larger messages are not read at all."""
        self._connection.protocol.max_message_size = size

    # --- Frames ---

    async def _frame(self, frame: bytes) -> None:
        table, epoch = self._table, self._client.epoch
        check_frame(self._limits, table.rules, epoch, len(frame), frames=table.frames, total=table.bytes)
        self._tables.refuse_when_full(len(frame))
        if epoch is not None and epoch > table.rules.reached:
            table.learn(await self._tables.note(table.name, Reached(epoch)))
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
    def _table(self) -> LiveTable:
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
        some = await self._tables.store.read(name, cursor - 1)
        if not some or some[0][0] != cursor:
            raise Refusal("cursor", "the table has no frame with this cursor: it is not the one you know", last=True)

    def _largest(self, table: LiveTable) -> int:
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
        self._take(max(TEXT_BYTES_MAX, self._tables.largest))
        await self._say(Accepted())

    async def _rekey(self, writer: bytes) -> None:
        table = self._writable()
        if writer not in table.rules.writers:
            if len(table.rules.writers) > self._limits.rekeys_per_table:
                raise Refusal("full", f"a table has at most {self._limits.rekeys_per_table} new keys")
            table.learn(await self._tables.note(table.name, Rekeyed(writer)))
        await self._say(Accepted())

    async def _end(self) -> None:
        table = self._writable()
        if not table.rules.ended:
            table.learn(await self._tables.note(table.name, Ended()))
            await self._tables.store.expire(table.name, self._limits.ended_seconds)
        await self._say(Accepted())

    def _writable(self) -> LiveTable:
        """The table, for one who has shown a token that counts."""
        table = self._table
        if self._client.epoch is None or not table.rules.lets_write(self._client.epoch):
            raise Refusal("token", "only who has shown a token that counts may ask for this")
        return table
