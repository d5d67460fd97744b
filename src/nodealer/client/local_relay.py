"""A table among processes of this machine: a relay with its store in memory, and the invitation to its one table.

Every user of the machine can reach the port. Without the invitation they can read and write nothing, and pages in a
browser cannot connect.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from nodealer.proofs.checks import Entropy
from nodealer.relay.client import connect_to
from nodealer.relay.invitations import SECRET_BYTES, TABLE_BYTES, Invitation
from nodealer.relay.limits import LOCAL_LIMITS
from nodealer.relay.sealing import SENDER_BYTES, TableSecret
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.base import Store
from nodealer.relay.stores.memory import MemoryStore


@asynccontextmanager
async def serve_local_table(
    host: bytes, entropy: Entropy, earlier: Iterable[bytes] = (), store: Store | None = None
) -> AsyncIterator[Invitation]:
    """Run a relay with one table and yield the invitation.

    `host` is the mark of the host's key. Earlier frames are sealed again.
    """
    kept = MemoryStore(time.monotonic) if store is None else store
    key, sender = TableSecret(entropy(SECRET_BYTES), entropy(TABLE_BYTES).hex(), 0), entropy(SENDER_BYTES)
    async with serve_relay(kept, entropy=entropy, limits=LOCAL_LIMITS, browsers=False, only=key.table) as relay:
        invitation = Invitation((f"ws://127.0.0.1:{relay.port}",), key, host)
        async with connect_to(invitation.relays[0]) as client:
            await client.create(key.table, key.write_token)
        for frame in earlier:
            await kept.append(key.table, key.read_key.seal(sender, frame))
        yield invitation
