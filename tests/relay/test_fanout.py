"""Catching up from cached pages: over a plain socket the kernel sends them, otherwise the library does."""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import time

import pytest
from websockets.exceptions import ConnectionClosed

from nodealer.relay.limits import LOCAL_LIMITS
from nodealer.relay.messages import Accepted, Open, Token
from nodealer.relay.permissions import MadeRecord, encode_record
from nodealer.relay.server.listener import Relay, serve_relay
from nodealer.relay.stores.sqlite import open_sqlite
from nodealer.wire import encode
from relay.certificates import certified
from relay.wires import TABLE, TOKEN, counting, seat, wire, writer

#: More bytes than socket buffers hold.
FRAMES = [b"%04d" % number * 2000 for number in range(1000)]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Record each sendfile call: how many bytes were offered, and how many were accepted."""
    found: list[tuple[int, int]] = []
    sendfile = os.sendfile

    def noted(out: int, file: int, start: int, size: int) -> int:
        found.append((size, 0))
        found[-1] = (size, sendfile(out, file, start, size))
        return found[-1][1]

    monkeypatch.setattr(os, "sendfile", noted)
    return found


@asynccontextmanager
async def relay_with_frames(folder: Path, tls: ssl.SSLContext | None = None) -> AsyncIterator[Relay]:
    async with (
        asyncio.timeout(60),
        open_sqlite(folder / "relay.db", time) as store,
        serve_relay(store, entropy=counting(), limits=LOCAL_LIMITS, tls=tls) as relay,
    ):
        await store.add_note(TABLE, encode_record(MadeRecord(writer())))
        await asyncio.gather(*(store.append(TABLE, frame) for frame in FRAMES))
        yield relay


def test_the_system_sends_what_others_have_read(tmp_path: Path, sent: list[tuple[int, int]]) -> None:
    async def work() -> None:
        async with relay_with_frames(tmp_path) as relay:
            for _ in range(3):
                async with wire(relay.port) as reader:
                    await reader.open()
                    assert await reader.next(1000) == FRAMES
            assert len(sent) > 8 and any(size == took for size, took in sent)
            # New frames arrive as usual.
            async with seat(relay.port) as one:
                assert await one.next(1000) == FRAMES
                await one.send(b"new")
                assert await one.next() == [b"new"]

    asyncio.run(work())


def test_what_is_sent_in_parts_is_not_torn(tmp_path: Path, sent: list[tuple[int, int]]) -> None:
    """A reader stops, then sends a request and a ping while part of a page is queued for it."""

    async def work() -> None:
        async with relay_with_frames(tmp_path) as relay:
            async with wire(relay.port) as first:
                await first.open()
                await first.next(1000)
            async with wire(relay.port, max_queue=1) as slow:
                await slow.connection.send(encode(Open(TABLE, None)).decode())
                slow.connection.transport.pause_reading()
                async with asyncio.timeout(60):
                    while not any(took < size for size, took in sent):
                        await asyncio.sleep(0.01)
                pong = await slow.connection.ping()
                slow.connection.transport.resume_reading()
                await slow.told()
                assert await slow.ask(Token(TOKEN)) == Accepted()
                assert await slow.next(1000) == FRAMES
                await pong

    asyncio.run(work())


def test_a_file_that_cannot_be_read_ends_the_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of a page may have been sent; the client would otherwise wait for the rest for ever."""

    def broken(*_: object) -> int:
        raise OSError(errno.EIO, "the disk is broken")

    async def work() -> None:
        async with relay_with_frames(tmp_path) as relay:
            monkeypatch.setattr(os, "sendfile", broken)
            monkeypatch.setattr(os, "pread", broken)
            async with wire(relay.port) as reader:
                await reader.open()
                async with asyncio.timeout(60):
                    with pytest.raises(ConnectionClosed):
                        await reader.next(1000)

    asyncio.run(work())


def test_with_tls_the_library_sends_them(tmp_path: Path, sent: list[tuple[int, int]]) -> None:
    async def work() -> None:
        pem, private = certified(tmp_path)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(pem, private)
        async with relay_with_frames(tmp_path, tls) as relay:
            for _ in range(2):
                trust = ssl.create_default_context(cafile=pem)
                async with wire(relay.port, scheme="wss", ssl=trust, server_hostname="localhost") as reader:
                    await reader.open()
                    assert await reader.next(1000) == FRAMES
            assert not sent

    asyncio.run(work())
