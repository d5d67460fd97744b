"""The relay of a host who uses no other: it runs in the host's own process, for the local network."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.address import parse_address
from nodealer.cli.entropy import system_entropy
from nodealer.errors import BadParameter
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.server.sockets import is_loopback
from nodealer.relay.stores.sqlite import open_sqlite

#: How many seconds the relay stays up after the host's game, so that the others receive the last entries.
FAREWELL: Final = 10.0
#: The usual port, unless it is taken.
PORT: Final = 7777


@asynccontextmanager
async def own_relay(store: Path, listen: str, table: str, *, again: bool = False) -> AsyncIterator[None]:
    """Run a relay for one table, which it stores in a file, until the other players have received every frame.

    The whole network can reach the relay, but it accepts no other table. `again`: the host has restarted. The other
    players may then still miss the end of the game, so the relay waits some seconds for them to reconnect.
    """
    host, port = parse_address(listen, refusal=phrases.bad_own_address(listen))
    # The host connects to this machine's own address, and others to one that may be the router's.
    inside = host == "localhost" or is_loopback(host)
    async with (
        open_sqlite(store, time.time) as kept,
        serve_relay(
            kept,
            entropy=system_entropy,
            host="127.0.0.1" if inside else "0.0.0.0",
            port=port,
            only=table,
        ) as relay,
    ):
        now = asyncio.get_running_loop().time
        come_until = now() + FAREWELL if again else 0.0
        yield
        deadline = now() + FAREWELL
        while now() < deadline and (relay.metrics.connections or now() < come_until):
            await asyncio.sleep(0.1)


def own_address() -> str:
    """Return this machine's address in its network. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def free_port() -> int:
    """Return a free port, preferably the usual one."""
    for port in (PORT, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return int(probe.getsockname()[1])
            except OSError:
                continue
    raise BadParameter(phrases.NO_FREE_PORT)
