"""The relay: one order for everybody, whatever comes; limits; and who comes late gets everything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from nodealer.errors import RelayError
from nodealer.relay import core as relay_core
from nodealer.relay.client import RelayClient, connect_to
from nodealer.relay.core import RelayCore
from nodealer.relay.server import relay_on_loopback
from nodealer.wire import MESSAGE_BYTES_MAX


def on_relay(work: Callable[[str], Awaitable[None]], core: RelayCore | None = None) -> None:
    async def run() -> None:
        async with relay_on_loopback(RelayCore() if core is None else core) as url:
            await asyncio.wait_for(work(url), 20)

    asyncio.run(run())


async def first(client: RelayClient, count: int) -> list[bytes]:
    frames: list[bytes] = []
    async for frame in client.frames():
        frames.append(frame)
        if len(frames) == count:
            break
    return frames


# --- The core ---


def test_frames_are_numbered_in_order() -> None:
    core = RelayCore()
    assert [core.append(frame) for frame in (b"a", b"b", b"a")] == [0, 1, 2]
    assert len(core) == 3 and [core.frame(number) for number in range(3)] == [b"a", b"b", b"a"]


@pytest.mark.parametrize("frame", [b"", bytes(MESSAGE_BYTES_MAX + 1)])
def test_a_frame_has_a_size(frame: bytes) -> None:
    core = RelayCore()
    with pytest.raises(RelayError):
        core.append(frame)
    assert len(core) == 0


def test_a_table_has_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_core, "LOG_BYTES_MAX", 10)
    monkeypatch.setattr(relay_core, "LOG_ENTRIES_MAX", 3)
    core = RelayCore()
    core.append(bytes(6))
    with pytest.raises(RelayError):
        core.append(bytes(5))
    core.append(b"x")
    core.append(b"y")
    with pytest.raises(RelayError):
        core.append(b"z")
    assert len(core) == 3


# --- On a socket ---


def test_everybody_gets_one_order() -> None:
    async def work(url: str) -> None:
        async with connect_to(url) as one, connect_to(url) as two:
            for number in range(20):
                await one.send(b"one %d" % number)
                await two.send(b"two %d" % number)
            seen = await asyncio.gather(first(one, 40), first(two, 40))
            assert seen[0] == seen[1] and len(set(seen[0])) == 40
            mine = [frame for frame in seen[0] if frame.startswith(b"one")]
            assert mine == [b"one %d" % number for number in range(20)]

    on_relay(work)


def test_who_comes_late_gets_everything_and_then_what_is_new() -> None:
    async def work(url: str) -> None:
        async with connect_to(url) as early:
            await early.send(b"first")
            assert await first(early, 1) == [b"first"]
            async with connect_to(url) as late:
                assert (early.known, late.known) == (0, 1)
                assert await first(late, 1) == [b"first"]
                await early.send(b"second")
                assert await first(late, 1) == [b"second"]

    on_relay(work)


def test_text_is_refused_and_others_go_on() -> None:
    core = RelayCore()

    async def work(url: str) -> None:
        async with connect_to(url) as good:
            async with connect(url) as bad:
                assert await bad.recv() == '{"frames":0}'
                await bad.send("text")
                with pytest.raises(ConnectionClosed) as closed:
                    await bad.recv()
                assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
            await good.send(b"frame")
            assert await first(good, 1) == [b"frame"]
        assert len(core) == 1

    on_relay(work, core)


def test_a_frame_that_is_too_large_closes_the_connection() -> None:
    core = RelayCore()

    async def work(url: str) -> None:
        bad = await connect(url, max_size=None)
        await bad.send(bytes(MESSAGE_BYTES_MAX + 1))
        await bad.wait_closed()
        assert bad.close_code == 1009 and len(core) == 0

    on_relay(work, core)


def test_an_empty_frame_closes_the_connection() -> None:
    async def work(url: str) -> None:
        with pytest.raises(RelayError):
            async with connect_to(url) as client:
                await client.send(b"")
                await first(client, 1)

    on_relay(work)


def test_a_relay_that_is_not_there() -> None:
    async def work() -> None:
        async with relay_on_loopback(RelayCore()) as url:
            pass
        with pytest.raises(RelayError, match="no relay"):
            async with connect_to(url):
                pass

    asyncio.run(work())


def test_who_has_heard_enough_goes_at_once() -> None:
    """The relay's good-bye comes after all frames: somebody who does not read them would wait for it in vain."""
    core = RelayCore()
    for number in range(500):
        core.append(b"%d" % number)

    async def work(url: str) -> None:
        async with asyncio.timeout(8), connect_to(url) as client:
            assert await first(client, 1) == [b"0"]

    on_relay(work, core)


def test_a_relay_that_goes_away() -> None:
    async def work() -> None:
        async with asyncio.timeout(20):
            async with relay_on_loopback(RelayCore()) as url:
                client = await connect(url).__aenter__()
                table = RelayClient(client)
            with pytest.raises(RelayError):
                await table.send(b"x")
                await first(table, 1)
            assert [frame async for frame in _rest(table)] == []

    async def _rest(table: RelayClient) -> AsyncIterator[bytes]:
        try:
            async for frame in table.frames():
                yield frame
        except RelayError:
            return

    asyncio.run(work())


# --- Who may come in ---


def test_only_who_knows_the_door() -> None:
    """Any user of the machine can find the port, and a seat belongs to whoever takes its name first."""

    async def work() -> None:
        async with relay_on_loopback(RelayCore(), "secret") as url:
            async with connect_to(url) as client:
                assert client.known == 0
            for wrong in ("", "Secret", "secret/", "secret?x", "s\N{LATIN SMALL LETTER E WITH ACUTE}cret"):
                with pytest.raises(RelayError, match="no relay"):
                    async with connect_to(url.removesuffix("secret") + wrong):
                        pass

    asyncio.run(work())


def test_no_page_in_a_browser() -> None:
    """A page of anybody's can reach the ports of the machine that it is looked at on."""

    async def work(url: str) -> None:
        with pytest.raises(InvalidStatus, match="403"):
            async with connect(url, origin=Origin("https://example.org")):
                pass

    on_relay(work)


def test_a_relay_of_this_machine_is_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("ws", "http", "https", "all"):
        monkeypatch.setenv(f"{scheme}_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)

    async def work(url: str) -> None:
        async with connect_to(url) as client:
            assert client.known == 0

    on_relay(work)
