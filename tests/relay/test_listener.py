"""A relay on a socket: what players get from it, and what strangers cannot do.

Whatever a stranger does, the table goes on for the others: `table_goes_on` checks that each time.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus
from websockets.typing import Origin

from nodealer.errors import RelayError
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import (
    PAGE_BYTES,
    TEXT_BYTES_MAX,
    Accepted,
    Create,
    Created,
    End,
    MailboxIssued,
    Open,
    Refused,
    Rekey,
    RelayReply,
    RelayRequest,
    RequestMailbox,
    StoredFrame,
    Token,
)
from nodealer.relay.permissions import GivenRecord, ReachedRecord, RekeyedRecord, encode_record
from nodealer.relay.server import listener, sockets
from nodealer.relay.server.listener import Relay, serve_relay
from nodealer.relay.server.metrics import table_alias
from nodealer.relay.stores.memory import MemoryStore
from relay.test_stores import Clock
from relay.wires import TABLE, TOKEN, Wire, counting, on_relay, seat, wire, writer

OTHER = b"o" * 32


def code(told: RelayReply) -> str:
    assert isinstance(told, Refused), told
    return told.code


async def closed(one: Wire) -> int | None:
    """Return the code with which the relay closes a connection, skipping earlier messages."""
    with suppress(ConnectionClosed):
        async with asyncio.timeout(60):
            while True:
                await one.connection.recv()
    return one.connection.close_code


@asynccontextmanager
async def table_goes_on(relay: Relay) -> AsyncIterator[None]:
    """Check that two players at the table stay connected and still receive each other's frames afterwards."""
    async with seat(relay.port) as one, seat(relay.port) as two:
        yield
        await one.send(b"from one")
        await two.send(b"from two")
        assert sorted(await one.next(2)) == [b"from one", b"from two"] == sorted(await two.next(2))


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
            async with wire(relay.port) as late, wire(relay.port) as later, wire(relay.port) as last:
                assert [(await one.open(after)).frames for one, after in ((late, None), (later, 2), (last, 3))] == [
                    3,
                    1,
                    0,
                ]
                await early.send(b"4")
                assert await late.next(4) == [b"1", b"2", b"3", b"4"]
                assert await later.next(2) == [b"3", b"4"]
                assert await last.next(1) == [b"4"]

    on_relay(work)


def test_a_table_is_made_once() -> None:
    async def work(relay: Relay) -> None:
        async with wire(relay.port) as one:
            assert code(await one.ask(Open(TABLE, None))) == "missing"
            assert await one.ask(Create(TABLE, writer())) == Created()
            assert await one.ask(Create(TABLE, writer())) == Created()
            assert code(await one.ask(Create(TABLE, writer(OTHER)))) == "taken"
            assert (await one.open(token=TOKEN)).frames == 0
            assert relay.metrics.made == 1

    on_relay(work)


def test_a_table_outlives_those_who_sit_there() -> None:
    async def work(relay: Relay) -> None:
        for number in range(3):
            async with seat(relay.port) as one:
                await one.send(b"%d" % number)
                assert await one.next(number + 1) == [b"%d" % each for each in range(number + 1)]

    on_relay(work)


def test_of_two_keys_the_one_that_was_used_first_counts() -> None:
    """It was used at another relay on the same store, unknown to this one."""
    store = MemoryStore(monotonic)

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as late:
            assert await late.ask(Rekey(writer(OTHER))) == Accepted() == await late.ask(Token(OTHER))
            for note in (RekeyedRecord(writer(b"x" * 32), 0), ReachedRecord(2)):
                await store.add_note(TABLE, encode_record(note))
            await late.send(b"too late")
            assert code(await late.told()) == "key"
            assert (await store.subscribe(TABLE, lambda frames: None)).frames == 0

    on_relay(work, store=store)


def test_a_new_key() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as stays, seat(relay.port) as leaves:
            assert await stays.ask(Rekey(writer(OTHER))) == Accepted() == await stays.ask(Rekey(writer(OTHER)))
            await leaves.send(b"still at the table")
            assert await stays.next() == [b"still at the table"]
            assert await stays.ask(Token(OTHER)) == Accepted()
            await stays.send(b"under the new key")
            assert await leaves.next(2) == [b"still at the table", b"under the new key"]
            await leaves.send(b"too late")
            assert code(await leaves.told()) == "key"
            assert code(await leaves.ask(Token(TOKEN))) == "token" == code(await leaves.ask(Rekey(writer())))
            await stays.send(b"and on")
            assert await leaves.next() == [b"and on"]

    on_relay(work)


def test_keys_do_not_change_for_ever() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one:
            told = [await one.ask(Rekey(writer(bytes([number]) * 32))) for number in range(4)]
            assert told[:3] == [Accepted()] * 3 and code(told[3]) == "full"
            assert await one.ask(Rekey(writer(bytes(32)))) == Accepted()

    on_relay(work, RelayLimits(rekeys_per_table=3))


def test_a_table_that_another_relay_has_forgotten() -> None:
    store = MemoryStore(monotonic)

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one:
            del store._tables[TABLE]
            await one.send(b"too late")
            assert code(await one.told()) == "missing" and await closed(one) == 1008

    on_relay(work, store=store)


def test_only_who_writes_may_say_that_it_is_over() -> None:
    clock = Clock()
    store = MemoryStore(clock)

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as player, seat(relay.port, token=None) as watcher:
            assert code(await watcher.ask(End())) == "token" == code(await watcher.ask(Rekey(writer())))
            assert await player.ask(End()) == Accepted()
            clock.now += 5
            assert await player.ask(End()) == Accepted()
            clock.now += 6
            # Ten seconds after the first message.
            await relay._tables.tidy()
            assert await closed(player) == 1006
            async with wire(relay.port) as again:
                assert code(await again.ask(Open(TABLE, None))) == "missing"

    on_relay(work, RelayLimits(ended_seconds=10), store)


def test_a_mailbox() -> None:
    clock = Clock()
    store = MemoryStore(clock)

    async def work(relay: Relay) -> None:
        async with wire(relay.port) as host, wire(relay.port) as guest, wire(relay.port) as other:
            given = await host.ask(RequestMailbox())
            assert isinstance(given, MailboxIssued) and 1 <= given.number <= 9
            box = f"box-{given.number}"
            assert (await host.open(table=box)).largest == 4096 == (await guest.open(table=box)).largest
            await host.send(b"a")
            await guest.send(b"b")
            assert await guest.next(2) == [b"a", b"b"] == await host.next(2)
            assert code(await guest.ask(Token(TOKEN))) == code(await guest.ask(Rekey(writer()))) == "token"
            assert code(await other.ask(Create(box, writer()))) == "talk"
            for _ in range(15):
                await guest.send(b"c")
            assert code(await guest.told()) == "full" and len(guest.frames) == 14
            clock.now += 599
            await relay._tables.tidy()
            assert await store.notes(box)
            clock.now += 2
            await relay._tables.tidy()
            assert await closed(host) == 1006 and not await store.notes(box)

    on_relay(work, store=store)


def test_mailboxes_are_different_until_there_are_none() -> None:
    async def work(relay: Relay) -> None:
        async with wire(relay.port) as one:
            given = [await one.ask(RequestMailbox()) for _ in range(30)]
            numbers = [each.number for each in given if isinstance(each, MailboxIssued)]
            assert sorted(numbers[:9]) == list(range(1, 10)) and len(set(numbers)) == 30

    on_relay(work)


def test_a_mailbox_that_another_relay_gave_at_the_same_time() -> None:
    """Both saw that it was free. The first note decides."""

    class Race(MemoryStore):
        lost = False

        async def add_note(self, table: str, note: bytes) -> list[bytes]:
            if not self.lost:
                self.lost = True
                await super().add_note(table, note[:-18] + b'AAAAAAAAAAAAAAA=="}'[-18:])
            return await super().add_note(table, note)

    store = Race(monotonic)

    async def work(relay: Relay) -> None:
        async with wire(relay.port) as one:
            given = await one.ask(RequestMailbox())
            assert isinstance(given, MailboxIssued)
            assert len(await store.notes(f"box-{given.number}")) == 1 and store.lost

    on_relay(work, store=store)


def test_a_number_that_is_given_again() -> None:
    """A client is still at the old mailbox, which another relay has deleted."""
    store = MemoryStore(monotonic)

    async def work(relay: Relay) -> None:
        async with wire(relay.port) as old, wire(relay.port) as new:
            given = await old.ask(RequestMailbox())
            assert isinstance(given, MailboxIssued)
            box = f"box-{given.number}"
            await old.open(table=box)
            del store._tables[box]
            await store.add_note(box, encode_record(GivenRecord(b"another mailbox.")))
            assert code(await new.ask(Open(box, None))) == "busy" and await closed(old) == 1006
            assert (await new.open(table=box)).frames == 0
            await new.send(b"x")
            assert await new.next() == [b"x"]

    on_relay(work, store=store)


# --- Strangers ---

#: For clients that never send anything. All others have time.
HASTY = RelayLimits(hello_seconds=1)


def against(
    stranger: Callable[[Relay, Wire], Awaitable[None]], limits: RelayLimits | None = None, **options: Any
) -> None:
    async def work(relay: Relay) -> None:
        async with table_goes_on(relay), wire(relay.port) as bad:
            await stranger(relay, bad)

    on_relay(work, limits, **options)


def test_a_wrong_token() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        assert code(await bad.ask(Token(OTHER))) == "token"
        await bad.send(b"all the same")
        assert code(await bad.told()) == "token" and await closed(bad) == 1008

    against(stranger)


def test_tokens_are_not_tried_for_ever() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        for number in range(8):
            assert code(await bad.ask(Token(bytes([number]) * 32))) == "token"
        assert await closed(bad) == 1008

    against(stranger)


def test_a_watcher_that_writes() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        await bad.send(b"I am a player")
        assert code(await bad.told()) == "token" and await closed(bad) == 1008

    against(stranger)


def test_frames_before_a_table_is_open() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.send(b"frame")
        assert code(await bad.told()) == "talk" and await closed(bad) == 1008

    against(stranger)


@pytest.mark.parametrize("asked", [Token(TOKEN), Rekey(writer()), End()], ids=["token", "rekey", "end"])
def test_requests_that_need_a_table(asked: RelayRequest) -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        assert code(await bad.ask(asked)) == "talk" and await closed(bad) == 1008

    against(stranger)


def test_one_connection_opens_one_table() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        assert code(await bad.ask(Open(TABLE, None))) == "talk" and await closed(bad) == 1008

    against(stranger)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "frame",
        '{"type":"open","table":"' + "g" * 32 + '","after":null}',
        '{"type":"open","table":"box-0","after":null}',
        '{"type":"open","table":"' + TABLE + '","after":-1}',
        '{"type":"mailbox"} ',
        "\ud7ff" * 300,
        "[" * TEXT_BYTES_MAX,
    ],
)
def test_text_that_means_nothing(text: str) -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.connection.send(text)
        assert code(await bad.told()) == "talk" and await closed(bad) == 1008

    against(stranger)


@pytest.mark.parametrize("size", [5000, 1 << 20])
def test_nothing_large_from_who_has_no_token(size: int) -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        with suppress(ConnectionClosed):
            await bad.send(bytes(size))
        assert await closed(bad) == 1009

    against(stranger)


def test_a_frame_that_is_too_large_for_this_relay() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        opened = await bad.open(token=TOKEN)
        assert opened.largest == 10_000
        await bad.send(bytes(10_000))
        assert [len(frame) for frame in await bad.next()] == [10_000]
        with suppress(ConnectionClosed):
            await bad.send(bytes(10_001))
        assert await closed(bad) == 1009

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as good:
            async with wire(relay.port) as bad:
                await stranger(relay, bad)
            await good.send(b"on")
            assert await good.next(2) == [bytes(10_000), b"on"]

    on_relay(work, RelayLimits(frame_bytes=10_000))


def test_a_cursor_that_the_table_never_had() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        assert code(await bad.ask(Open(TABLE, 7))) == "cursor" and await closed(bad) == 1008

    against(stranger)


def test_too_many_at_one_table() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        async with wire(relay.port) as fourth:
            assert code(await fourth.ask(Open(TABLE, None))) == "busy" and await closed(fourth) == 1008

    against(stranger, RelayLimits(clients_per_table=3))


def test_a_relay_for_one_table_makes_no_others() -> None:
    """Someone who reaches a host's own relay must not fill the host's disk."""

    async def work(relay: Relay) -> None:
        async with (
            wire(relay.port) as one,
            wire(relay.port, additional_headers={"X-Forwarded-For": "192.0.2.7"}) as far,
        ):
            assert code(await one.ask(Create("cd" * 16, writer()))) == "tables"
            assert isinstance(await one.ask(Create(TABLE, writer())), Created)
            assert isinstance(await one.ask(RequestMailbox()), MailboxIssued), "the host gives codes"
            assert code(await far.ask(RequestMailbox())) == "tables"
            assert isinstance(await far.ask(Create(TABLE, writer())), Created), "it is there, and that is no harm"

    on_relay(work, only=TABLE, trust_proxy=True)


def test_too_many_tables_of_one_address() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        names = [bytes([number]).hex() * 16 for number in range(5)]
        told = [await bad.ask(Create(name, writer(OTHER))) for name in names]
        assert [type(each) for each in told] == [Created] * 2 + [Refused] * 3
        assert code(told[-1]) == "tables" == code(await bad.ask(RequestMailbox()))

    against(stranger, RelayLimits(tables_per_address=3))


def test_too_many_connections() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        with pytest.raises(InvalidStatus) as refused:
            async with wire(relay.port):
                pass
        assert refused.value.response.status_code == 429 and relay.metrics.turned_away == 1

    against(stranger, RelayLimits(connections_per_address=3))


def test_a_full_relay() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        with pytest.raises((OSError, InvalidMessage)):
            async with wire(relay.port):
                pass
        assert (relay.metrics.connections, relay.metrics.turned_away) == (3, 1)

    against(stranger, RelayLimits(connections=3))


def test_half_handshakes_of_one_address_do_not_fill_the_relay() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        half = [await asyncio.open_connection("127.0.0.1", relay.port) for _ in range(12)]
        while relay.metrics.turned_away < 7:
            await asyncio.sleep(0.01)
        assert (relay.metrics.connections, relay.metrics.turned_away) == (8, 7)
        for _, writing in half:
            writing.close()

    against(stranger, RelayLimits(connections_per_address=4))


def test_a_table_that_is_full() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one, seat(relay.port) as two:
            await one.send(*[b"x"] * 5)
            assert code(await one.told()) == code(await one.told()) == "full"
            assert await two.next(3) == [b"x"] * 3

    on_relay(work, RelayLimits(frames_per_table=3))


def test_a_storage_that_is_full() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one, wire(relay.port) as other:
            await one.send(bytes(600), bytes(600))
            assert code(await one.told()) == "store" and len(one.frames) == 1
            await one.send(bytes(400))
            assert [len(frame) for frame in await one.next(2)] == [600, 400]
            await relay._tables.tidy()
            assert relay.metrics.stored_bytes == 1000
            await one.send(b"x")
            assert code(await one.told()) == "store"
            assert (
                code(await other.ask(Create("cd" * 16, writer()))) == "store" == code(await other.ask(RequestMailbox()))
            )
            # It is readable.
            assert (await other.open()).frames == 2 and len(await other.next(2)) == 2

    on_relay(work, RelayLimits(storage_bytes=1000))


def test_a_flood_is_read_slowly() -> None:
    """Back-pressure: everything is accepted, and no one else has to wait."""

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as flood, seat(relay.port) as calm:
            start = monotonic()
            flooding = asyncio.create_task(flood.send(*[b"x"] * 60))
            while not relay.metrics.slowed:
                await asyncio.sleep(0.001)
            await calm.send(b"calm")
            frames = await calm.next(61)
            await flooding
            assert frames[-1] != b"calm"
            assert monotonic() - start > 0.4
            assert await flood.next(61) == frames

    on_relay(work, RelayLimits(frames_per_second=40, burst_seconds=1, bytes_per_second=1 << 30))


# --- Below WebSocket ---


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01garbage\r\n\r\n", b"\r\n" * 50])
def test_half_a_handshake_and_garbage(said: bytes) -> None:
    async def work(relay: Relay) -> None:
        async with table_goes_on(relay):
            reader, writing = await asyncio.open_connection("127.0.0.1", relay.port)
            writing.write(said)
            async with asyncio.timeout(60):
                await reader.read()
            writing.close()

    on_relay(work, HASTY)


def test_who_says_nothing_goes() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        assert code(await bad.told()) == "talk" and await closed(bad) == 1008

    against(stranger, HASTY)


@pytest.mark.parametrize("token", [True, False])
def test_a_frame_that_claims_a_gigabyte(token: bool) -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open(token=TOKEN if token else None)
        bad.connection.transport.write(b"\x82\xff" + (1 << 30).to_bytes(8, "big") + bytes(4) + bytes(100_000))
        assert await closed(bad) == 1009

    against(stranger)


@pytest.mark.parametrize(
    "data", [b"\xff" * 50, b"\x82\x05hello", b"\x80\x80" + bytes(4), b"\x81\x81" + bytes(4) + b"\xff"]
)
def test_frames_that_are_none(data: bytes) -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open(token=TOKEN)
        bad.connection.transport.write(data)
        assert await closed(bad) in (1002, 1007)

    against(stranger)


def test_text_in_many_small_pieces() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        with suppress(ConnectionClosed):
            await bad.connection.send("x" * 500 for _ in range(50))
        assert await closed(bad) == 1009

    against(stranger)


async def ping(bad: Wire, count: int, size: int) -> None:
    """Return this many pings as raw bytes."""
    with suppress(ConnectionClosed, OSError):
        bad.connection.transport.write((b"\x89" + bytes([0x80 | size]) + bytes(4) + bytes(size)) * count)
        await bad.connection.drain()


def test_a_flood_of_pings() -> None:
    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open()
        await ping(bad, 150, 1)
        assert await bad.ask(Create(TABLE, writer())) == Created()
        await ping(bad, 100, 1)
        assert await closed(bad) == 1006

    against(stranger, RelayLimits(slow_seconds=1000))


def test_pings_whose_answers_nobody_reads() -> None:
    """The library answers each ping, and would let the answers pile up."""

    async def work(relay: Relay) -> None:
        async with table_goes_on(relay), deaf(relay) as bad:
            # From Python 3.12 on, the event loop sums up the queue on each write, which is slow for many small writes.
            relay.gate.waiting_max = 1 << 20
            (table,) = relay._tables.live
            sizes = [0]
            while len(table.clients) == 3:
                await ping(bad, 2000, 125)
                await asyncio.sleep(0)
                sizes += [client.waiting for client in table.clients]
            assert max(sizes) < relay.gate.waiting_max + (1 << 20)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sockets, "_CONTROLS_MAX", 10**9)
        on_relay(work, RelayLimits(reader_bytes=1000))


def test_who_is_read_slowly_may_go() -> None:
    """Neither the table nor a stopping relay waits for it."""

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as fast:
            await fast.send(bytes(100_000))
            await fast.next()
        async with asyncio.timeout(60):
            while relay._tables.live:
                await asyncio.sleep(0.01)

    on_relay(work, RelayLimits(bytes_per_second=100, burst_seconds=1))


# --- Slow readers ---


@asynccontextmanager
async def deaf(relay: Relay) -> AsyncIterator[Wire]:
    """Open the table and read nothing from it."""
    async with wire(relay.port, max_queue=1, close_timeout=0.1, ping_interval=None) as one:
        await one.open()
        one.connection.transport.pause_reading()
        yield one


async def fill(one: Wire, frames: int, size: int) -> None:
    await one.send(*[bytes([number % 256]) * size for number in range(frames)])
    await one.next(frames)


def test_a_reader_that_falls_behind_is_served_from_the_store() -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as writes, deaf(relay) as slow:
            await fill(writes, 60, 200_000)
            (table,) = relay._tables.live
            (client,) = table.behind
            assert client.waiting < PAGE_BYTES + (1 << 20)
            slow.connection.transport.resume_reading()
            assert [frame[0] for frame in await slow.next(60)] == list(range(60))
            while table.behind:
                await asyncio.sleep(0.01)
            await writes.send(b"new")
            assert await slow.next() == [b"new"]

    on_relay(work, RelayLimits(bytes_per_second=1 << 30))


def test_a_reader_that_never_reads_is_cut_off() -> None:
    """An idle client with nothing to read is not."""

    async def cut(relay: Relay) -> None:
        async with seat(relay.port) as writes, deaf(relay) as slow:
            await fill(writes, 60, 200_000)
            async with asyncio.timeout(60):
                while not relay.metrics.cut_off:
                    await asyncio.sleep(0.05)
            slow.connection.transport.resume_reading()
            assert await closed(slow) == 1006
            await asyncio.sleep(0.5)
            await writes.send(b"on")
            assert await writes.next() == [b"on"] and relay.metrics.cut_off == 1

    on_relay(cut, RelayLimits(slow_seconds=3, bytes_per_second=1 << 30))


def test_a_relay_that_stops_does_not_wait_for_a_reader_that_never_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unread data precedes the close frame; the library would notice only with its next ping."""
    monkeypatch.setattr(listener, "_PING_SECONDS", 1000.0)

    async def run() -> None:
        async with AsyncExitStack() as beside, asyncio.timeout(60):
            async with serve_relay(
                MemoryStore(monotonic), entropy=counting(), limits=RelayLimits(bytes_per_second=1 << 30)
            ) as relay:
                writes = await beside.enter_async_context(seat(relay.port))
                await beside.enter_async_context(deaf(relay))
                await fill(writes, 60, 200_000)
            assert relay.metrics.connections == 0

    asyncio.run(run())


# --- Several relays on one store ---


class Shared(MemoryStore):
    """A store for several relays, each with its own listener."""

    def __init__(self) -> None:
        super().__init__(monotonic)
        self.views: list[View] = []


class View:
    """One relay's view of the shared store. Its notifications may be late."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._hear: dict[str, Callable[[Sequence[StoredFrame]], None]] = {}
        self.late: list[tuple[str, Sequence[StoredFrame]]] | None = None
        self.largest = shared.largest
        shared.views.append(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared, name)

    async def append(self, table: str, frame: bytes) -> None:
        await self._shared.append(table, frame)
        stored = [(await self._shared.count(table, 0), frame)]
        for view in self._shared.views:
            if table in view._hear and view.late is None:
                view._hear[table](stored)
            elif view.late is not None:
                view.late.append((table, stored))

    async def subscribe(self, table: str, listener: Callable[[Sequence[StoredFrame]], None]) -> Any:
        self._hear[table] = listener
        return await self._shared.subscribe(table, lambda frames: None)

    async def unsubscribe(self, table: str) -> None:
        self._hear.pop(table)

    def deliver(self) -> None:
        assert self.late is not None
        for table, frames in self.late:
            self._hear[table](frames)
        self.late = None


def on_two_relays(work: Callable[[Relay, Relay, View], Awaitable[None]]) -> None:
    async def run() -> None:
        shared = Shared()
        one, two, entropy = View(shared), View(shared), counting()
        async with (
            asyncio.timeout(60),
            serve_relay(one, entropy=entropy) as first,
            serve_relay(two, entropy=entropy) as second,
        ):
            await work(first, second, two)

    asyncio.run(run())


def test_a_new_key_is_known_to_the_other_relay() -> None:
    async def work(first: Relay, second: Relay, view: View) -> None:
        async with seat(first.port) as stays, seat(second.port) as leaves:
            assert await stays.ask(Rekey(writer(OTHER))) == Accepted() == await stays.ask(Token(OTHER))
            async with wire(second.port) as comes:
                await comes.open(token=OTHER)
            await leaves.send(b"not yet ended")
            await stays.send(b"ends it")
            assert await leaves.next(2) == [b"not yet ended", b"ends it"]
            await second._tables.tidy()
            await leaves.send(b"too late")
            assert code(await leaves.told()) == "key"

    on_two_relays(work)


def test_who_comes_from_a_relay_that_heard_more() -> None:
    """The client has seen a frame that this relay has not received yet; it gets the frame exactly once."""

    async def work(first: Relay, second: Relay, view: View) -> None:
        async with seat(first.port) as one, seat(second.port) as two:
            view.late = []
            await one.send(b"1", b"2")
            await one.next(2)
            async with wire(second.port) as moved, wire(second.port) as behind:
                assert (await moved.open(2)).frames == 0 and (await behind.open(1)).frames == 1
                await asyncio.sleep(0.05)
                view.deliver()
                await one.send(b"3")
                assert await moved.next() == [b"3"] and await behind.next(2) == [b"2", b"3"]
                assert await two.next(3) == [b"1", b"2", b"3"]

    on_two_relays(work)


def test_a_frame_that_is_told_before_anybody_knows_how_the_table_stood() -> None:
    class Hasty(MemoryStore):
        async def subscribe(self, table: str, listener: Callable[[Sequence[StoredFrame]], None]) -> Any:
            await self.append(table, b"before")
            standing = await super().subscribe(table, listener)
            await self.append(table, b"meanwhile")
            return standing

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one:
            (table,) = relay._tables.live
            assert (table.last, table.frames, table.bytes) == (2, 2, len(b"beforemeanwhile"))
            await one.send(b"after")
            assert await one.next(3) == [b"before", b"meanwhile", b"after"]

    on_relay(work, store=Hasty(monotonic))


# --- A store that fails ---


class Failing(MemoryStore):
    """A store that fails on demand."""

    failing = False

    async def append(self, table: str, frame: bytes) -> None:
        self._fail()
        await super().append(table, frame)

    async def notes(self, table: str) -> list[bytes]:
        if table == "box-1":
            self._fail()
        return await super().notes(table)

    def _fail(self) -> None:
        if self.failing:
            raise RelayError("the store cannot be written to: its disk is full")


def test_a_store_that_fails_is_said_and_reads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    store, events = Failing(monotonic), list[tuple[str, dict[str, Any]]]()

    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one:
            await one.send(b"kept")
            await one.next()
            store.failing = True
            await one.send(b"lost")
            told = await one.told()
            assert told == Refused("store", "the store cannot be written to: its disk is full")
            async with wire(relay.port) as other:
                assert (await other.open()).frames == 1 and await other.next() == [b"kept"]
            status, _ = await page_from(relay, "/healthz")
            assert status == 503 and relay.metrics.failures == 1
            store.failing = False
            await one.send(b"kept again")
            assert await one.next() == [b"kept again"]
            assert (await page_from(relay, "/healthz")) == (200, "ok\n")
            store.failing = True
            await asyncio.sleep(0.1)
            assert (await page_from(relay, "/healthz"))[0] == 503

    monkeypatch.setattr(listener, "_HEALTHY_SECONDS", 0.05)
    on_relay(work, store=store, log=lambda event, facts: events.append((event, facts)))
    assert ("refused", {"code": "store", "table": table_alias(TABLE)}) in events
    assert TABLE not in json.dumps(events) and "kept" not in json.dumps(events)


def test_a_bug_of_ours_ends_one_connection_and_is_told_without_content() -> None:
    class Broken(MemoryStore):
        async def append(self, table: str, frame: bytes) -> None:
            if frame == b"secret":
                raise ZeroDivisionError(frame)
            await super().append(table, frame)

    events: list[tuple[str, dict[str, Any]]] = []

    async def stranger(relay: Relay, bad: Wire) -> None:
        await bad.open(token=TOKEN)
        await bad.send(b"secret")
        assert await closed(bad) == 1000

    against(stranger, store=Broken(monotonic), log=lambda event, facts: events.append((event, facts)))
    (error,) = [facts for event, facts in events if event == "error"]
    assert error["kind"] == "ZeroDivisionError" and "append" in error["where"] and "secret" not in str(events)


# --- Pages, origins, proxies ---


async def page_from(relay: Relay, path: str, **headers: str) -> tuple[int, str]:
    def get() -> tuple[int, str]:
        try:
            with urlopen(Request(f"http://127.0.0.1:{relay.port}{path}", headers=headers), timeout=25) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await asyncio.to_thread(get)


@pytest.mark.parametrize("public", [False, True])
def test_metrics_are_for_this_machine(public: bool) -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port) as one:
            await one.send(b"x")
            await one.next()
            status, text = await page_from(relay, "/metrics")
            assert status == 200 and "nodealer_relay_tables 1\n" in text and "nodealer_relay_taken_total 1\n" in text
            status, text = await page_from(relay, "/metrics", **{"X-Forwarded-For": "192.0.2.1"})
            assert (status == 200) is public

    on_relay(work, public_metrics=public)


@pytest.mark.parametrize("browsers", [False, True])
def test_pages_in_browsers(browsers: bool) -> None:
    async def work(relay: Relay) -> None:
        async with seat(relay.port):
            pass
        try:
            async with wire(relay.port, origin=Origin("https://example.org")):
                assert browsers
        except InvalidStatus as refused:
            assert not browsers and refused.response.status_code == 403

    on_relay(work, browsers=browsers)


@pytest.mark.parametrize("trusted", [False, True])
def test_addresses_that_a_proxy_tells(trusted: bool) -> None:
    """The last address of the list counts: anyone can write the ones before it."""

    async def work(relay: Relay) -> None:
        async def come(address: str) -> Any:
            headers = {"X-Forwarded-For": f"10.0.0.1, {address}"}
            return await connect(f"ws://127.0.0.1:{relay.port}", proxy=None, additional_headers=headers)

        kept = [await come("192.0.2.1"), await come("192.0.2.1")]
        if trusted:
            kept += [await come("192.0.2.2"), await come("2001:db8::1"), await come("2001:db8::2")]
            with pytest.raises(InvalidStatus):
                await come("2001:db8::3")
        with pytest.raises(InvalidStatus):
            await come("192.0.2.1")
        for one in kept:
            await one.close()

    on_relay(work, RelayLimits(connections_per_address=2), trust_proxy=trusted)


def test_a_port_that_is_taken() -> None:
    async def work(relay: Relay) -> None:
        with pytest.raises(RelayError, match="cannot listen"):
            async with serve_relay(MemoryStore(monotonic), entropy=counting(), port=relay.port):
                pass

    on_relay(work)


def test_who_is_there_hears_that_the_relay_stops() -> None:
    async def run() -> None:
        async with asyncio.timeout(10):
            async with serve_relay(MemoryStore(monotonic), entropy=counting()) as relay:
                one = await connect(f"ws://127.0.0.1:{relay.port}", proxy=None)
            await one.wait_closed()
            assert one.close_code == 1001

    asyncio.run(run())


def test_a_client_that_computes_is_not_given_up() -> None:
    assert listener._PONG_SECONDS >= 120


# --- The process ---

COMMAND = [sys.executable, "-m", "nodealer.cli", "relay", "--listen", "127.0.0.1:0", "--store"]


@asynccontextmanager
async def process(store: str, *options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Start the command, and return the process and where it listens."""
    pipe = asyncio.subprocess.PIPE
    running = await asyncio.create_subprocess_exec(*COMMAND, store, *options, stdout=pipe, stderr=pipe)
    try:
        assert running.stdout is not None
        said = (await running.stdout.readline()).decode()
        assert said.startswith("nodealer relay listens on ws://127.0.0.1:"), said
        yield running, int(said.rpartition(":")[2])
    finally:
        with suppress(ProcessLookupError):
            running.kill()
        await running.communicate()


async def killed_in_the_middle(store: str, frames: int) -> None:
    """All players have received some frames. All of these are there when the relay comes back."""
    heard: list[bytes] = []
    async with process(store) as (running, port), seat(port) as one, seat(port) as two:
        sending = asyncio.create_task(one.send(*[b"%d" % number for number in range(10 * frames)]))
        heard += await two.next(frames)
        running.kill()
        with suppress(ConnectionClosed):
            while True:
                heard += await two.next()
        with suppress(ConnectionClosed):
            await sending
    async with process(store) as (running, port), seat(port) as one:
        assert await one.next(len(heard)) == heard == [b"%d" % number for number in range(len(heard))]
        running.terminate()
        assert await running.wait() == 0
        assert running.stderr is not None
        events = [json.loads(line)["event"] for line in (await running.stderr.read()).splitlines()]
        assert events == ["started", "opened", "stopping", "left", "stopped"]


def test_a_relay_that_is_killed_loses_nothing_that_was_heard(tmp_path: Path) -> None:
    asyncio.run(asyncio.wait_for(killed_in_the_middle(f"sqlite:{tmp_path}/relay.db", 40), 60))


@pytest.mark.deep
@pytest.mark.parametrize("frames", range(1, 400, 40))
def test_a_relay_that_is_killed_anywhere(tmp_path: Path, frames: int) -> None:
    asyncio.run(asyncio.wait_for(killed_in_the_middle(f"sqlite:{tmp_path}/relay.db", frames), 60))
