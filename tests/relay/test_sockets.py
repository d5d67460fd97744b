"""TLS: clients that do not finish the handshake are counted too, and disconnected."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import Create, Created
from nodealer.relay.server.listener import Relay
from relay.certificates import certified
from relay.wires import TABLE, on_relay, wire, writer

Friend = Callable[[Relay], Awaitable[None]]


def on_tls(folder: Path, work: Callable[[Relay, Friend], Awaitable[None]], limits: RelayLimits) -> None:
    """Run a relay with TLS, and check that a client can connect and leave."""
    pem, private = certified(folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem, private)
    trust = ssl.create_default_context(cafile=pem)

    async def friend(relay: Relay) -> None:
        async with wire(relay.port, scheme="wss", ssl=trust, server_hostname="localhost") as one:
            assert await one.ask(Create(TABLE, writer())) == Created()

    on_relay(lambda relay: work(relay, friend), limits, tls=tls)


async def until(relay: Relay, connections: int, turned_away: int = 0) -> None:
    async with asyncio.timeout(60):
        while (relay.metrics.connections, relay.metrics.turned_away) != (connections, turned_away):
            await asyncio.sleep(0.01)


def test_half_tls_handshakes_are_counted_and_do_not_stay(tmp_path: Path) -> None:
    async def work(relay: Relay, friend: Friend) -> None:
        await friend(relay)
        await until(relay, 0)
        half = [await asyncio.open_connection("127.0.0.1", relay.port) for _ in range(12)]
        await until(relay, 8, 4)
        # No one from this address gets in …
        with pytest.raises(OSError):
            await friend(relay)
        # … until they are disconnected.
        await until(relay, 0, 5)
        assert [await reader.read() for reader, _ in half[:8]] == [b""] * 8
        await friend(relay)
        for _, writing in half:
            writing.close()

    on_tls(tmp_path, work, RelayLimits(connections_per_address=4, hello_seconds=3))


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"])
def test_who_goes_in_the_middle_of_a_tls_handshake(tmp_path: Path, said: bytes) -> None:
    async def work(relay: Relay, friend: Friend) -> None:
        _, writing = await asyncio.open_connection("127.0.0.1", relay.port)
        writing.write(said)
        await until(relay, 1)
        writing.close()
        await until(relay, 0)
        await friend(relay)

    on_tls(tmp_path, work, RelayLimits())


def test_a_relay_that_stops_does_not_wait_for_half_a_handshake(tmp_path: Path) -> None:
    stopped: list[Relay] = []

    async def work(relay: Relay, friend: Friend) -> None:
        half.connect(("127.0.0.1", relay.port))
        await until(relay, 1)
        stopped.append(relay)

    with socket.socket() as half:
        on_tls(tmp_path, work, RelayLimits(hello_seconds=1000))
    assert stopped[0].metrics.connections == 0


def test_a_relay_that_stops_waits_for_nobody_who_has_said_nothing() -> None:
    async def work(relay: Relay) -> None:
        silent.connect(("127.0.0.1", relay.port))
        await until(relay, 1)

    with socket.socket() as silent:
        on_relay(work, RelayLimits(hello_seconds=1000))
