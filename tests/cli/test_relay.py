"""`nodealer relay`: what can be said to it, and how it says no."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from time import monotonic

import pytest

from cli.running import called
from nodealer.cli.relay import limits_of
from nodealer.cli.relay_process import open_store, tls_context
from nodealer.errors import BadParameter
from nodealer.relay.limits import RelayLimits
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.memory import MemoryStore
from nodealer.relay.stores.sqlite import SqliteStore
from relay.certificates import certified
from relay.wires import counting


def test_limits_are_said_by_name() -> None:
    assert limits_of(["refusals=3", "idle_seconds=60"]) == RelayLimits(refusals=3, idle_seconds=60)
    for wrong in ("refusals", "refusals=", "refusals=-1", "refusals=1.5", "refusals=²", "nothing=1", "refusals=0"):
        with pytest.raises(BadParameter):
            limits_of([wrong])


def test_what_to_keep_tables_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def kinds() -> None:
        async with open_store("memory", 1) as memory, open_store(f"sqlite:{tmp_path}/x.db", 1) as file:
            assert isinstance(memory, MemoryStore) and isinstance(file, SqliteStore)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        async with open_store(None, 1) as file:
            assert isinstance(file, SqliteStore) and (tmp_path / "state/nodealer/relay.db").exists()

    asyncio.run(kinds())
    for wrong in ("", "disk", "sqlite", "sqlite:", "nats:host", "nats://a,b"):
        with pytest.raises(BadParameter):
            open_store(wrong, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--limit", "refusals=x"), 2, "whole number"),
        (("--listen", "7777"), 2, "HOST:PORT"),
        (("--store", "disk"), 2, "--store must be"),
        (("--cert", "x"), 2, "must be used together"),
        (("--cert", "/none", "--key", "/none"), 2, "cannot use"),
        (("--store", "sqlite:/dev/null/x"), 4, "cannot open"),
        (("--store", "memory", "--listen", "192.0.2.1:1"), 4, "cannot listen"),
    ],
)
def test_how_it_says_no(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = called("relay", *arguments)
    assert done.returncode == code and said in done.stderr and done.stdout == ""


def test_tls(tmp_path: Path) -> None:
    pem, private = certified(tmp_path)
    tls = tls_context(str(pem), str(private))
    assert tls is not None and tls.minimum_version >= ssl.TLSVersion.TLSv1_2 and tls_context(None, None) is None

    async def work() -> None:
        limits = RelayLimits(hello_seconds=3)
        async with serve_relay(MemoryStore(monotonic), entropy=counting(), limits=limits, tls=tls) as relay:
            trust = ssl.create_default_context(cafile=pem)
            reader, writer = await asyncio.open_connection("localhost", relay.port, ssl=trust)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.close()
            # Who never begins to speak TLS is not kept: before that nobody counts its connections.
            reader, writer = await asyncio.open_connection("localhost", relay.port)
            async with asyncio.timeout(10):
                assert await reader.read() == b""
            writer.close()

    asyncio.run(work())
