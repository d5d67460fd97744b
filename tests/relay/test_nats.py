"""Tables in NATS JetStream: the contract of all stores, several relays on one server, and servers that are killed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from nats.aio.msg import Msg
from nats.js.api import StreamConfig
from websockets.exceptions import ConnectionClosed

from nodealer.errors import BadParameter, RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, StoredFrame, parse_page
from nodealer.relay.stores import jetstream, nats
from nodealer.relay.stores.base import Store, TableExtent
from nodealer.relay.stores.jetstream import JetStreamSession, NatsConnection, TemporaryFailure
from nodealer.relay.stores.nats import Follower, NatsStore, TableTally, open_nats, subjects_of
from ports import free_port
from relay.nats_servers import NatsServer, cluster, with_jetstream
from relay.store_contract import CONTRACT, Ears, Promise, made, new_table, the_largest_frame_fits, whole
from relay.test_listener import process
from relay.wires import TABLE, TOKEN, Wire, seat, wire
from sampling import times


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with with_jetstream(tmp_path_factory.mktemp("nats") / "one") as running:
        yield running


@pytest.fixture
def own(tmp_path: Path) -> Iterator[NatsServer]:
    """Return a server for one test, which may damage it."""
    with with_jetstream(tmp_path / "own") as running:
        yield running


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test and check that no task is left afterwards."""

    async def all_of_it() -> None:
        async with asyncio.timeout(100):
            await work()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(all_of_it())


def on(server: NatsServer, work: Callable[[NatsStore], Awaitable[None]]) -> None:
    async def opened() -> None:
        async with open_nats([server.url]) as store:
            await work(store)

    run(opened)


def on_two(server: NatsServer, work: Callable[[NatsStore, NatsStore], Awaitable[None]]) -> None:
    async def opened() -> None:
        async with open_nats([server.url]) as one, open_nats([server.url]) as two:
            await work(one, two)

    run(opened)


@pytest.mark.parametrize("promise", CONTRACT, ids=lambda promise: promise.__name__)
def test_what_every_store_promises(server: NatsServer, promise: Promise) -> None:
    on(server, lambda store: promise(store, asyncio.sleep))


def test_a_store_is_one() -> None:
    store: type[Store] = NatsStore
    assert store is NatsStore


# --- Several relays ---


def test_two_relays_have_one_order(server: NatsServer) -> None:
    async def work(one: NatsStore, two: NatsStore) -> None:
        table, heard = await made(one), (Ears(), Ears())
        for store, ears in zip((one, two), heard, strict=True):
            assert await store.subscribe(table, ears) == TableExtent(0, 0, 0)

        async def write(store: NatsStore, name: bytes) -> None:
            for number in range(30):
                await store.append(table, b"%s %d" % (name, number))

        await asyncio.gather(write(one, b"one"), write(two, b"two"))
        stored = await whole(one, table)
        assert await heard[0].until(60) == await heard[1].until(60) == stored == await whole(two, table)
        # The extent is computed from the last frame's tally, or from the first frame on.
        late = await two.subscribe(table, Ears())
        assert late == TableExtent(stored[-1][0], 60, sum(len(frame) for _, frame in stored))

    on_two(server, work)


def test_who_was_first_is_the_same_for_all(server: NatsServer) -> None:
    async def work(one: NatsStore, two: NatsStore) -> None:
        table = new_table()
        seen = await asyncio.gather(*(store.add_note(table, note) for note, store in ((b"mine", one), (b"yours", two))))
        assert seen[0][0] == seen[1][0] and sorted(await one.notes(table)) == [b"mine", b"yours"]

    on_two(server, work)


def test_a_frame_sent_again_is_kept_once(server: NatsServer) -> None:
    async def work(one: NatsStore, two: NatsStore) -> None:
        tables = (await made(one), await made(one))
        for table in tables:
            for store in (one, two, one):
                await store.append(table, b"the same frame")
            assert [frame for _, frame in await whole(two, table)] == [b"the same frame"]

    on_two(server, work)


def test_a_frame_may_be_lost_on_its_way() -> None:
    """A leader that died and came back may answer for two minutes that a lost frame is on its way.

    An answer without a sequence number is not an acknowledgement.
    """
    sent: list[str] = []

    async def publish(subject: str, data: bytes, headers: dict[str, str]) -> object:
        sent.append(headers["Nats-Msg-Id"])
        return SimpleNamespace(seq=len(set(sent)) - 1)

    class Impatient:
        async def retry(self, what: str, work: Callable[[Any], Awaitable[None]]) -> None:
            while True:
                try:
                    return await work(SimpleNamespace(streams=SimpleNamespace(publish=publish)))
                except TemporaryFailure:
                    pass

    store = NatsStore(cast(NatsConnection, Impatient()))
    store.largest = 10
    asyncio.run(store.append(new_table(), b"frame"))
    assert len(set(sent[:-1])) == 1 and len(sent) == nats.ON_ITS_WAY + 1 and sent[-1] != sent[0]


# --- What goes wrong on the way to a reader ---


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats, "HEARTBEAT", 0.1)
    monkeypatch.setattr(nats, "SILENCE", 0.4)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("lost", [3, 10], ids=["in the middle", "at the end"])
def test_a_frame_that_does_not_come_is_noticed(server: NatsServer, monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    take, taken = Follower._handle, 0

    async def lose(
        follower: Follower, session: JetStreamSession, message: Msg, heard: int, frames: list[StoredFrame]
    ) -> int:
        nonlocal taken
        taken += message.data == b"frame %d" % lost
        return (
            0
            if message.data == b"frame %d" % lost and taken == 1
            else await take(follower, session, message, heard, frames)
        )

    monkeypatch.setattr(Follower, "_handle", lose)

    async def work(store: NatsStore) -> None:
        table, ears = await made(store), Ears()
        await store.subscribe(table, ears)
        for number in range(1, 11):
            await store.append(table, b"frame %d" % number)
        assert await ears.until(10) == await whole(store, table)
        assert taken == 2

    on(server, work)


@pytest.mark.usefixtures("hasty")
def test_a_server_that_falls_silent_is_asked_anew(server: NatsServer) -> None:
    async def work(store: NatsStore) -> None:
        table, ears = await made(store), Ears()
        await store.subscribe(table, ears)
        await store.append(table, b"one")
        await ears.until(1)
        streams, stream = (await store._connection.session()).streams, subjects_of(table).stream
        for info in await streams.consumers_info(stream):
            await streams.delete_consumer(stream, info.name)
        await store.append(table, b"two")
        assert await ears.until(2) == await whole(store, table)

    on(server, work)


def test_a_server_that_lags_tells_nothing_twice() -> None:
    """It starts at its own position, however far the reader was."""
    ears = Ears()

    async def work() -> None:
        follower = Follower(
            cast(NatsConnection, SimpleNamespace(session=asyncio.Event().wait)),
            subjects_of("t"),
            TableTally(3, 7, 2, 9),
            ears,
        )
        follower._deliver([(3, b"old"), (7, b"old"), (8, b"new")])
        follower._deliver([(8, b"new")])
        assert (ears.heard, follower.tally) == ([(8, b"new")], TableTally(3, 8, 3, 12))
        await follower.stop()

    run(work)


def test_consumers_do_not_stay(server: NatsServer) -> None:
    async def work(one: NatsStore, two: NatsStore) -> None:
        table, other = await made(one), await made(one)
        await one.subscribe(table, Ears())
        await one.subscribe(other, Ears())
        await one.subscribe(other, Ears())
        await one.append(table, b"frame")
        await whole(one, table)
        await one.unsubscribe(table)
        await one.close()
        streams = (await two._connection.session()).streams
        for _ in range(100):
            if not [info for shard in range(nats.SHARDS) for info in await streams.consumers_info(f"nodealer-{shard}")]:
                return
            await asyncio.sleep(0.05)
        pytest.fail("consumers are left")

    on_two(server, work)


def test_what_looks_old_to_one_server_may_be_in_use(server: NatsServer) -> None:
    """A server that was down for a month reports tables as they were. The leader's answer counts."""

    async def work(store: NatsStore) -> None:
        table, now = await made(store), time.time()
        assert not await store._delete_if_old(subjects_of(table), now, 1000) and await store.notes(table) == [b"made"]
        assert await store._delete_if_old(subjects_of(table), now + 2000, 1000) and await store.notes(table) == []
        assert not await store._delete_if_old(subjects_of(table), now + 2000, 1000)

    on(server, work)


def test_a_table_that_was_made_again_is_counted_anew(server: NatsServer) -> None:
    """This holds even if a relay has not noticed and sends the tally of the old table."""

    async def work(one: NatsStore, two: NatsStore) -> None:
        table, unaware = await made(one), Ears()
        await one.subscribe(table, unaware)
        for number in range(5):
            await one.append(table, b"old %d" % number)
        await unaware.until(5)
        assert await two._delete_if_old(subjects_of(table), time.time() + 2000, 1000)
        for store, frame in ((one, b"a"), (two, b"bc"), (one, b"def")):
            await store.append(table, frame)
            await unaware.until(5 + len(frame))
        stored = await whole(two, table)
        assert [await two.count(table, cursor) for cursor in (0, *(cursor for cursor, _ in stored))] == [3, 2, 1, 0]
        assert await two.subscribe(table, Ears()) == TableExtent(stored[-1][0], 3, 6)

    on_two(server, work)


# --- What is refused ---


def test_a_frame_has_a_size(server: NatsServer) -> None:
    async def work(store: NatsStore) -> None:
        assert store.largest == (1 << 20) - nats.HEADER_BYTES_MAX
        for size in (0, store.largest + 1):
            with pytest.raises(RelayError, match=rf"a frame of {size} bytes.* {store.largest} bytes.*max_payload"):
                await store.append(new_table(), bytes(size))

    on(server, work)


def test_the_configuration_in_the_docs_lets_every_frame_in(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "spec" / "relay-nats.md").read_text()
    (tmp_path / "nats.conf").write_text(docs.split("```\n")[1].replace("/var/lib/nats", str(tmp_path)))

    async def work(store: NatsStore) -> None:
        assert store.largest == FRAME_BYTES_MAX
        await the_largest_frame_fits(store, asyncio.sleep)

    with NatsServer(tmp_path / "docs", "-c", str(tmp_path / "nats.conf")) as configured:
        on(configured, work)


def test_no_addresses_and_odd_replicas() -> None:
    for urls, replicas in (([], 1), (["nats://127.0.0.1:1"], 0), (["nats://127.0.0.1:1"], 6)):

        async def work(urls: Sequence[str] = urls, replicas: int = replicas) -> None:
            with pytest.raises(BadParameter, match="1 to 5 replicas"):
                async with open_nats(urls, replicas=replicas):
                    pass

        run(work)


@pytest.mark.parametrize("url", ["nats://127.0.0.1:{port}", "nats://user:secret@127.0.0.1:{port}", "what: is this"])
def test_no_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(nats, "FIRST_CONNECT_SECONDS", 0.3)

    async def work() -> None:
        with pytest.raises(RelayError, match="no NATS server: ") as refused:
            async with open_nats([url.format(port=free_port())]):
                pass
        assert "secret" not in str(refused.value)

    run(work)


def test_a_server_without_jetstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jetstream, "RETRY_SECONDS", 2)

    async def work() -> None:
        with pytest.raises(RelayError, match="is it enabled"):
            async with open_nats([bare.url]):
                pass

    with NatsServer(tmp_path / "bare") as bare:
        run(work)


def test_streams_that_are_not_as_they_should_be(own: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jetstream, "RETRY_SECONDS", 4)

    async def opened(replicas: int) -> None:
        async with open_nats([own.url], replicas=replicas) as store:
            streams = (await store._connection.session()).streams
            await streams.delete_stream("nodealer-2")
            await streams.add_stream(StreamConfig("nodealer-2", subjects=["else.>"]))

    async def work() -> None:
        with pytest.raises(RelayError, match="the stream nodealer-0: replicas > 1 not supported"):
            await opened(3)
        await opened(1)
        with pytest.raises(RelayError, match=r"nodealer-0 has 1 replicas, not 3: .*`nats stream edit --replicas 3 "):
            await opened(3)
        with pytest.raises(RelayError, match=r"nodealer-2 does not belong to a relay: its subjects are \['else.>'\]"):
            await opened(1)

    run(work)


def test_a_closed_store_says_so(server: NatsServer) -> None:
    async def work(store: NatsStore) -> None:
        table = await made(store)
        await store.close()
        with pytest.raises(RelayError, match="closed"):
            await store.append(table, b"frame")

    on(server, work)


# --- Relays that are killed ---


async def heard_until(one: Wire, frame: bytes) -> list[StoredFrame]:
    """Return everything that a client receives, up to the page with this frame."""
    while all(heard != frame for _, heard in one.frames):
        message = await one.connection.recv()
        assert isinstance(message, bytes), message
        one.frames += parse_page(message)
    return one.frames


def test_a_relay_is_killed_and_its_client_goes_to_another(server: NatsServer) -> None:
    """A client that had half of a table from one relay process gets the rest from another.

    What it sends again is stored once.
    """

    async def work() -> None:
        async with (
            process(server.url) as (first, at_first),
            process(server.url) as (_, at_second),
            seat(at_first) as mine,
            seat(at_second) as theirs,
        ):
            await asyncio.gather(
                mine.send(*[b"mine %d" % number for number in range(20)]),
                theirs.send(*[b"theirs %d" % number for number in range(20)]),
            )
            await heard_until(theirs, b"theirs 19")
            more = [b"more %d" % number for number in range(200)]
            sending = asyncio.create_task(mine.send(*more))
            await heard_until(theirs, b"more 10")
            first.kill()
            with suppress(ConnectionClosed):
                await heard_until(mine, b"never")
            with suppress(ConnectionClosed):
                await sending
            cursor, known = mine.frames[-1][0], {frame for _, frame in mine.frames}
            async with wire(at_second) as again:
                assert (await again.open(cursor, token=TOKEN)).frames >= 0
                await again.send(*[frame for frame in more if frame not in known], b"last")
                rest = await heard_until(again, b"last")
            everything = await heard_until(theirs, b"last")
            assert mine.frames + rest == everything
            assert len(everything) == 241 == len({frame for _, frame in everything})
            assert [frame for _, frame in everything if frame.startswith(b"more")] == more

    run(work)


# --- Servers that are killed ---


def test_a_server_is_killed_and_started_again(own: NatsServer) -> None:
    """The process is killed, not the machine: unsynced data is still in the kernel's memory."""

    async def work(one: NatsStore, two: NatsStore) -> None:
        table, ears, kept = await made(one), Ears(), list[bytes]()
        await two.subscribe(table, ears)

        async def write(store: NatsStore, name: bytes, until: asyncio.Event) -> None:
            while not until.is_set():
                frame = b"%s %d" % (name, len(kept))
                await store.append(table, frame)
                kept.append(frame)

        for number in range(times(1, deep=15)):
            up = asyncio.Event()
            writing = asyncio.gather(write(one, b"one", up), write(two, b"two", up))
            enough = len(kept) + 21 + number
            while len(kept) < enough:
                await asyncio.sleep(0.001)
            own.kill()
            await asyncio.sleep(0.1)
            own.start()
            up.set()
            await writing
        stored = await whole(one, table)
        assert {frame for _, frame in stored} == set(kept) and len(stored) == len(kept)
        assert await ears.until(len(stored)) == stored
        assert await one.notes(table) == [b"made"]

    on_two(own, work)


def test_a_server_that_does_not_come_back(own: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: NatsStore) -> None:
        table = await made(store)
        await store.subscribe(table, Ears())
        own.kill()
        monkeypatch.setattr(jetstream, "RETRY_SECONDS", 0.5)
        with pytest.raises(RelayError, match="nothing could be kept: "):
            await store.append(table, b"frame")
        with pytest.raises(RelayError, match="a table cannot be read: "):
            await store.read(table, 0)

    on(own, work)


async def leader(store: NatsStore, table: str) -> int:
    """Return the server that leads the table's stream, once all three are up again."""
    streams = (await store._connection.session()).streams
    for _ in range(600):
        info = (await streams.stream_info(subjects_of(table).stream)).cluster
        if info is not None and info.leader and all(peer.current for peer in info.replicas or []):
            return int(info.leader.removeprefix("server"))
        await asyncio.sleep(0.1)
    pytest.fail("the cluster does not come together again")


def test_a_leader_is_killed(tmp_path: Path) -> None:
    """A game on three servers and two relays continues within 15 seconds, with nothing lost, repeated or reordered.

    `make deep` repeats this many times, with killed servers coming back.
    """

    async def work() -> None:
        async with AsyncExitStack() as stack:
            urls = [server.url for server in servers]
            stores = [await stack.enter_async_context(open_nats(urls, replicas=3)) for _ in range(2)]
            table, heard = await made(stores[0]), (Ears(), Ears())
            for store, ears in zip(stores, heard, strict=True):
                await store.subscribe(table, ears)
            written: list[bytes] = []
            slowest = 0.0

            async def write(number: int, until: Callable[[], bool]) -> None:
                nonlocal slowest
                while not until():
                    frame, start = b"%d: %d" % (number, len(written)), time.monotonic()
                    await stores[number].append(table, frame)
                    slowest = max(slowest, time.monotonic() - start)
                    written.append(frame)
                    await asyncio.sleep(0.01)

            for _ in range(times(1, deep=6)):
                killed = await leader(stores[0], table)
                enough = len(written) + 20

                async def kill(which: int = killed, when: int = enough) -> None:
                    while len(written) < when:
                        await asyncio.sleep(0.01)
                    servers[which].kill()

                # Both continue for some frames after the kill.
                await asyncio.gather(
                    kill(), *(write(number, lambda: len(written) > enough + 40) for number in range(2))
                )
                servers[killed].start()
            stored = await whole(stores[1], table)
            assert {frame for _, frame in stored} == set(written) and slowest < 15, slowest
            for ears in heard:
                assert await ears.until(len(stored)) == stored
            assert await stores[0].count(table, stored[9][0]) == len(stored) - 10

    with cluster(tmp_path) as servers:
        run(work)


@pytest.mark.deep
def test_a_leader_is_killed_under_two_relays(tmp_path: Path) -> None:
    """The same with relay processes and minimal clients: no frame waits for 15 seconds."""

    async def work() -> None:
        store = ",".join(server.url for server in servers)
        async with (
            process(store, "--replicas", "3") as (_, at_first),
            process(store, "--replicas", "3") as (_, at_second),
            seat(at_first) as mine,
            seat(at_second) as theirs,
            open_nats(store.split(","), replicas=3) as watching,
        ):
            for number in range(4):
                killed = await leader(watching, TABLE)
                for count in range(30):
                    if count == 10:
                        servers[killed].kill()
                    async with asyncio.timeout(15):
                        await mine.send(b"mine %d %d" % (number, count))
                        await theirs.send(b"theirs %d %d" % (number, count))
                        for one in (mine, theirs):
                            await heard_until(one, b"mine %d %d" % (number, count))
                            await heard_until(one, b"theirs %d %d" % (number, count))
                servers[killed].start()
            assert mine.frames == theirs.frames == await whole(watching, TABLE)
            assert len(mine.frames) == 240

    with cluster(tmp_path) as servers:
        run(work)
