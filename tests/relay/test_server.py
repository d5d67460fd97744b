"""A relay on a socket: what friends get from it, and what strangers do not get to do."""

from __future__ import annotations

import asyncio

from nodealer.relay.messages import Create, Created, Open, Refused
from nodealer.relay.server import Relay
from relay.wires import TABLE, TOKEN, on_relay, seat, wire, writer

# --- Friends ---


def test_everybody_gets_one_order() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one, seat(relay.port) as two, seat(relay.port, token=None) as watcher:
            for number in range(20):
                await one.send(b"one %d" % number)
                await two.send(b"two %d" % number)
            seen = await asyncio.gather(one.next(40), two.next(40), watcher.next(40))
            assert seen[0] == seen[1] == seen[2] and len(set(seen[0])) == 40
            assert [frame for frame in seen[0] if frame[:3] == b"one"] == [b"one %d" % number for number in range(20)]

    on_relay(work)


def test_who_comes_late_gets_what_stands_after_its_cursor() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as early:
            await early.send(b"1", b"2", b"3")
            await early.next(3)
            async with wire(relay.port) as late, wire(relay.port) as later:
                assert (await late.open()).frames == 3 and (await later.open(2)).frames == 1
                await early.send(b"4")
                assert await late.next(4) == [b"1", b"2", b"3", b"4"]
                assert await later.next(2) == [b"3", b"4"]

    on_relay(work)


def test_a_table_is_made_once() -> None:
    async def work(relay: Relay) -> None:
        async with wire(relay.port) as one:
            missing = await one.ask(Open(TABLE, None))
            assert isinstance(missing, Refused) and missing.code == "missing"
            assert await one.ask(Create(TABLE, writer())) == Created()
            assert await one.ask(Create(TABLE, writer())) == Created()
            taken = await one.ask(Create(TABLE, writer(b"x" * 32)))
            assert isinstance(taken, Refused) and taken.code == "taken"
            assert (await one.open(token=TOKEN)).frames == 0

    on_relay(work)
