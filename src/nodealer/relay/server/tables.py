"""The tables of a relay: creating them, issuing mailboxes, and opening and closing them for clients."""

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
    encode_record,
    mailbox_name,
    mailbox_numbers,
    new_claim,
    permissions_of,
)
from nodealer.relay.server.fanout import TableFanout
from nodealer.relay.server.metrics import Log, Metrics, table_alias
from nodealer.relay.server.rate_limit import Quota
from nodealer.relay.server.sockets import is_loopback
from nodealer.relay.stores.base import Store


class RelayTables:
    """The tables and resources that all clients of a relay share."""

    def __init__(
        self,
        store: Store,
        limits: RelayLimits,
        entropy: Callable[[int], bytes],
        metrics: Metrics,
        log: Log,
        only: str | None = None,
    ) -> None:
        """Serve the tables in the store. With `only`, no other table than this one can be created."""
        self.store = store
        #: If set, the only table that this relay serves.
        self._only = only
        self.log = log
        self.limits = limits
        self.metrics = metrics
        self.largest = min(limits.frame_bytes, store.largest)
        self._entropy = entropy
        self._quota = Quota(limits.tables_per_address)
        self._live: dict[str, TableFanout] = {}

    @property
    def live(self) -> list[TableFanout]:
        """Return the tables that a client has open."""
        return list(self._live.values())

    # --- Records ---

    async def permissions(self, name: str) -> TablePermissions:
        """Return a table's permissions. Raise `Refusal` if there is no such table."""
        permissions = permissions_of(await self.store.notes(name))
        if permissions is None:
            raise Refusal("missing", "this relay does not have this table")
        return permissions

    async def add_record(self, name: str, note: PermissionRecord) -> TablePermissions:
        """Add a record to a table, and return the resulting permissions."""
        permissions = permissions_of(await self.store.add_note(name, encode_record(note)))
        if permissions is None:
            raise RelayError("the store has lost a record")
        return permissions

    # --- New tables ---

    async def create(self, request: Create, address: str, now: float) -> None:
        """Create a table unless it exists. Raise `Refusal` if another writer created it first."""
        if request.table.startswith(MAILBOX):
            raise Refusal("talk", "mailboxes are requested without a name")
        permissions = permissions_of(await self.store.notes(request.table))
        if permissions is None:
            self._refuse_other_tables(request.table == self._only)
            self._charge_quota(address, now)
            permissions = await self.add_record(request.table, MadeRecord(request.writer))
            self._report_created(request.table)
        if permissions.writers[:1] != (request.writer,):
            raise Refusal("taken", "another table has this name")

    async def issue_mailbox(self, address: str, now: float) -> int:
        """Create a free mailbox, and return its number."""
        # The host of the only table runs this relay, and issues the codes.
        self._refuse_other_tables(is_loopback(address))
        self._charge_quota(address, now)
        for number in mailbox_numbers(self._entropy):
            name = mailbox_name(number)
            if await self.store.notes(name):
                continue
            mine = new_claim(self._entropy)
            permissions = await self.add_record(name, mine)
            if permissions.claim == mine.claim:
                await self.store.expire(name, self.limits.mailbox_seconds)
                self._report_created(name)
                return number
        raise Refusal("busy", "all mailboxes are in use; try again in a few minutes")

    def _refuse_other_tables(self, own: bool) -> None:
        """Raise `Refusal` if this relay serves a single table, unless `own` says that this is it."""
        if self._only is not None and not own:
            raise Refusal("tables", "this relay serves a single table and creates no others")

    def _report_created(self, name: str) -> None:
        """Count and log a new table."""
        self.metrics.made += 1
        self.log("made", {"table": table_alias(name)})

    def _charge_quota(self, address: str, now: float) -> None:
        """Raise `Refusal` if the store is full or the address has created too many tables."""
        self.refuse_when_full(1)
        if not self._quota.try_take(now, address):
            raise Refusal("tables", f"an address can create at most {self.limits.tables_per_address} tables per hour")

    def refuse_when_full(self, size: int) -> None:
        """Raise `Refusal` if this many more bytes would exceed the relay's storage."""
        if self.metrics.stored_bytes + size > self.limits.storage_bytes:
            raise Refusal("store", "this relay's storage is full")

    # --- Open tables ---

    async def acquire(self, name: str) -> TableFanout:
        """Open a table for one more client. The caller must `release` it."""
        table = self._live.get(name)
        if table is None:
            table = self._live[name] = TableFanout(name, self.store, self.limits, self.metrics)
        table.users += 1
        try:
            if table.users > self.limits.clients_per_table:
                raise Refusal(
                    "busy", f"at most {self.limits.clients_per_table} clients can have a table open", last=True
                )
            async with table.lock:
                permissions = await self.permissions(name)
                if table.subscribed and permissions.claim != table.permissions.claim:
                    # The mailbox number was issued again while clients of the old mailbox are still connected.
                    table.disconnect_all()
                    raise Refusal("busy", "the previous mailbox with this number is being deleted; try again")
                table.permissions = permissions
                if not table.subscribed:
                    table.start(await self.store.subscribe(name, table.on_frames))
                    self.log("opened", {"table": table_alias(name), "frames": table.frames})
        except BaseException:
            await self.release(table)
            raise
        return table

    async def release(self, table: TableFanout) -> None:
        """Close a table for one client. The last one also ends the subscription to the store."""
        table.users -= 1
        async with table.lock:
            if table.users == 0 and table.subscribed:
                self.log("left", {"table": table_alias(table.name), "frames": table.frames})
                table.stop()
                try:
                    await self.store.unsubscribe(table.name)
                except RelayError:
                    self.metrics.failures += 1
            if table.users == 0 and self._live.get(table.name) is table:
                del self._live[table.name]

    # --- Periodic cleanup ---

    async def tidy(self) -> None:
        """Delete old tables, measure the store, and pick up records of other relays."""
        gone = await self.store.sweep(self.limits.idle_seconds)
        if gone:
            self.metrics.forgotten += gone
            self.log("forgotten", {"tables": gone})
        self.metrics.stored_bytes = await self.store.size()
        for table in self.live:
            if gone or table.others_wrote:
                permissions = permissions_of(await self.store.notes(table.name))
                if permissions is None:
                    table.disconnect_all()
                else:
                    table.set_permissions(permissions)
