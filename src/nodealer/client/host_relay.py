"""The relay of a host who uses no other: it runs in the host's own process, for the local network."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from nodealer.client.address import parse_address
from nodealer.errors import BadParameter
from nodealer.proofs.checks import Entropy
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.server.sockets import is_loopback
from nodealer.relay.stores.sqlite import open_sqlite

#: How many seconds the relay stays up after the host's game, so that the others receive the last entries.
FAREWELL: Final = 10.0
#: The usual port, unless it is taken.
PORT: Final = 7777


@asynccontextmanager
async def own_relay(
    store: Path, listen: str, table: str, entropy: Entropy, *, again: bool = False
) -> AsyncIterator[None]:
    """Run a relay for one table, which it stores in a file, until the other players have received every frame.

    The whole network can reach the relay, but it accepts no other table. `again`: the host has restarted. The other
    players may then still miss the end of the game, so the relay waits some seconds for them to reconnect.
    """
    host, port = parse_own_address(listen)
    # The host connects to this machine's own address, and others to one that may be the router's.
    inside = host == "localhost" or is_loopback(host)
    async with (
        open_sqlite(store, time.time) as kept,
        serve_relay(
            kept,
            entropy=entropy,
            host="127.0.0.1" if inside else "0.0.0.0",  # noqa: S104 - others have to reach it
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


def parse_own_address(listen: str) -> tuple[str, int]:
    """Return host and port at which others reach the host's own relay. Raise `BadParameter` if it is not an address.

    It is part of their links, so its port must be known.
    """
    refusal = f"--listen must be HOST:PORT as others reach it, such as 192.168.1.7:7777, not {listen!r}"
    return parse_address(listen, refusal=refusal, least=1)


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
    raise BadParameter("there is no free port for a relay; choose one with --listen HOST:PORT")
