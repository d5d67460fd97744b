"""The tables of a store: made, given as mailboxes, opened by clients and let go of."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.errors import RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import Create
from nodealer.relay.permissions import (
    MAILBOX,
    MadeRecord,
    PermissionRecord,
    Refusal,
    TablePermissions,
    claim,
    mailbox_name,
    mailbox_numbers,
    permissions_of,
    record_bytes,
)
from nodealer.relay.server.fanout import TableFanout
from nodealer.relay.server.metrics import Log, Metrics, alias
from nodealer.relay.server.rate_limit import Quota
from nodealer.relay.server.sockets import is_loopback
from nodealer.relay.stores.base import Store


class RelayTables:
    """What all clients of a relay share."""

    def __init__(
        self,
        store: Store,
        limits: RelayLimits,
        entropy: Callable[[int], bytes],
        metrics: Metrics,
        log: Log,
        only: str | None = None,
    ) -> None:
        self.store = store
        #: The one table of a relay that is there for it alone.
        self._only = only
        self.log = log
        self.limits = limits
        self.metrics = metrics
        self.largest = min(limits.frame_bytes, store.largest)
        self._entropy = entropy
        self._made = Quota(limits.tables_per_address)
        self._live: dict[str, TableFanout] = {}

    @property
    def live(self) -> list[TableFanout]:
        """Those that somebody has open."""
        return list(self._live.values())

    # --- Notes ---

    async def rules(self, name: str) -> TablePermissions:
        """What the store's notes say of a table."""
        rules = permissions_of(await self.store.notes(name))
        if rules is None:
            raise Refusal("missing", "this relay has no such table")
        return rules

    async def note(self, name: str, note: PermissionRecord) -> TablePermissions:
        """Put a note down, and see what all say now."""
        rules = permissions_of(await self.store.note(name, record_bytes(note)))
        if rules is None:
            raise RelayError("the store has lost a note")
        return rules

    # --- New tables ---

    async def create(self, asked: Create, address: str, now: float) -> None:
        """Make a table, unless it is there. Whoever was first has it."""
        if asked.table.startswith(MAILBOX):
            raise Refusal("talk", "a mailbox is asked for without a name")
        rules = permissions_of(await self.store.notes(asked.table))
        if rules is None:
            self._refuse_others(asked.table == self._only)
            self._afford(address, now)
            rules = await self.note(asked.table, MadeRecord(asked.writer))
            self._was_made(asked.table)
        if rules.writers[:1] != (asked.writer,):
            raise Refusal("taken", "there is another table of this name")

    async def give_mailbox(self, address: str, now: float) -> int:
        """The number of a mailbox that was free."""
        # Whoever hosts the one table runs the relay, and gives the codes.
        self._refuse_others(is_loopback(address))
        self._afford(address, now)
        for number in mailbox_numbers(self._entropy):
            name = mailbox_name(number)
            if await self.store.notes(name):
                continue
            mine = claim(self._entropy)
            rules = await self.note(name, mine)
            if rules.claim == mine.claim:
                await self.store.expire(name, self.limits.mailbox_seconds)
                self._was_made(name)
                return number
        raise Refusal("busy", "all mailboxes are taken; try again in a few minutes")

    def _refuse_others(self, own: bool) -> None:
        if self._only is not None and not own:
            raise Refusal("tables", "this relay is there for one table, and makes no others")

    def _was_made(self, name: str) -> None:
        self.metrics.made += 1
        self.log("made", {"table": alias(name)})

    def _afford(self, address: str, now: float) -> None:
        self.refuse_when_full(1)
        if not self._made.take(now, address):
            raise Refusal("tables", f"an address makes at most {self.limits.tables_per_address} tables in an hour")

    def refuse_when_full(self, size: int) -> None:
        """Raises `Refusal` when so many bytes more are too many for this relay."""
        if self.metrics.stored_bytes + size > self.limits.storage_bytes:
            raise Refusal("store", "this relay's storage is full")

    # --- Open tables ---

    async def enter(self, name: str) -> TableFanout:
        """One more has a table open. It lets go of it with `release`."""
        table = self._live.get(name)
        if table is None:
            table = self._live[name] = TableFanout(name, self.store, self.limits, self.metrics)
        table.users += 1
        try:
            if table.users > self.limits.clients_per_table:
                raise Refusal("busy", f"at most {self.limits.clients_per_table} have one table open", last=True)
            async with table.lock:
                rules = await self.rules(name)
                if table.followed and rules.claim != table.rules.claim:
                    # The number of a mailbox was given again, and somebody is still at the old one.
                    table.dissolve()
                    raise Refusal("busy", "the mailbox of before is being forgotten; try again")
                table.rules = rules
                if not table.followed:
                    table.start(await self.store.follow(name, table.hear))
                    self.log("opened", {"table": alias(name), "frames": table.frames})
        except BaseException:
            await self.release(table)
            raise
        return table

    async def release(self, table: TableFanout) -> None:
        """One less. Nobody follows a table that nobody has open."""
        table.users -= 1
        async with table.lock:
            if table.users == 0 and table.followed:
                self.log("left", {"table": alias(table.name), "frames": table.frames})
                table.stop()
                try:
                    await self.store.unfollow(table.name)
                except RelayError:
                    self.metrics.failures += 1
            if table.users == 0 and self._live.get(table.name) is table:
                del self._live[table.name]

    # --- From time to time ---

    async def tidy(self) -> None:
        """Forget what is old, see how much there is, and what other relays have noted."""
        gone = await self.store.sweep(self.limits.idle_seconds)
        if gone:
            self.metrics.forgotten += gone
            self.log("forgotten", {"tables": gone})
        self.metrics.stored_bytes = await self.store.size()
        for table in self.live:
            if gone or table.others_wrote:
                rules = permissions_of(await self.store.notes(table.name))
                if rules is None:
                    table.dissolve()
                else:
                    table.learn(rules)
