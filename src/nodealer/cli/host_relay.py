"""The relay of a host who has none: in the host's own process, for its own network."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.entropy import system_entropy
from nodealer.errors import BadParameter
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.server.sockets import is_loopback
from nodealer.relay.stores.sqlite import open_sqlite

#: For how many seconds the relay stays when the host's game is over: the others hear the last entries too.
FAREWELL: Final = 10.0
#: Where it listens, unless that is taken.
PORT: Final = 7777


@asynccontextmanager
async def own_relay(store: Path, listen: str, table: str, *, again: bool = False) -> AsyncIterator[None]:
    """A relay that keeps its one table in a file, and is there until the others have heard all of it. Everybody in the
    network can reach it, and nobody can leave anything else on the host's disk.

    A host who comes back `again` may have heard the end before it was stopped, and the others not: they need some
    seconds to find its relay.
    """
    host, _, port = listen.rpartition(":")
    if not port.isdecimal():
        raise BadParameter(phrases.bad_own_address(listen))
    # The host itself comes by this machine's own address, and others by one that may be the router's.
    inside = host == "localhost" or is_loopback(host.strip("[]"))
    async with (
        open_sqlite(store, time.time) as kept,
        serve_relay(
            kept,
            entropy=system_entropy,
            host="127.0.0.1" if inside else "0.0.0.0",
            port=int(port),
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
    """The address of this machine in its network. Nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on."""
    for port in (PORT, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return int(probe.getsockname()[1])
            except OSError:
                continue
    raise BadParameter(phrases.NO_FREE_PORT)
