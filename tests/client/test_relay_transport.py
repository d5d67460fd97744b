"""The transport over relays: sealed, in the same order for everyone, and reconnecting by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any

import pytest

from conformance.harness import Source
from nodealer.client.key_history import encode_history
from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import (
    JUNK,
    LONGEST_WAIT,
    Behind,
    ConnectionEvent,
    RelayFound,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.client.transport import Connected, Disconnected, Event
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter
from nodealer.keys import Identity
from nodealer.relay.messages import End, Open, Opened, Refused, RelayReply, Token
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.wire import LOG_ENTRIES_MAX, encode
from relay.liar import Liar

TABLE = "0" * 32
SECRET = TableSecret(bytes(range(16)), TABLE, 0)


def somebody(keys: Keyring, name: str = "Ada") -> Participant:
    source = Source(name)
    return Participant(MemoryPlayerStore(name, Identity(source(32)), source(32)), entropy=source, keys=keys)


class Slept(list[float]):
    """Records how long the transport would have slept."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        await asyncio.sleep(0)


def transport(
    *relays: str,
    name: str = "Ada",
    key: TableSecret | ReadKey = SECRET,
    more: Sequence[TableSecret | ReadKey] = (),
    told: list[ConnectionEvent] | None = None,
    **options: Any,
) -> RelayTransport:
    given: dict[str, Any] = {
        "create": isinstance(key, TableSecret),
        "sleep": Slept(),
        "entropy": Source("jitter"),
    } | options
    tell = (lambda line: None) if told is None else told.append
    keys = Keyring((key, *more), Source("keys"))
    return RelayTransport(somebody(keys, name), keys, [f"{relay}{name}" for relay in relays], emit=tell, **given)


async def some(events: AsyncGenerator[Event, None], count: int) -> list[Event]:
    return [await anext(events) for _ in range(count)]


def on_liar(work: Callable[[Liar, str], Awaitable[None]], liar: Liar | None = None) -> None:
    async def run() -> None:
        one = Liar() if liar is None else liar
        async with asyncio.timeout(60), one.on() as relay:
            await work(one, relay)

    asyncio.run(run())


# --- Frames ---


def test_what_one_says_all_hear_and_the_relay_cannot_read() -> None:
    async def work(liar: Liar, relay: str) -> None:
        ada, ben = transport(relay), transport(relay, name="Ben")
        watcher = transport(relay, name="watcher", key=SECRET.read_key)
        async with aclosing(ada.events()) as to_ada, aclosing(ben.events()) as to_ben:
            assert await anext(to_ada) == Connected(0) == await anext(to_ben)
            await ada.send(b"one")
            assert await anext(to_ada) == b"one"
            await ben.send(b"two")
            assert await some(to_ben, 2) == [b"one", b"two"] and await anext(to_ada) == b"two"
            async with aclosing(watcher.events()) as to_watcher:
                assert await some(to_watcher, 3) == [Connected(2), b"one", b"two"]
                await watcher.send(b"not said")
                await ada.send(b"three")
                assert await anext(to_watcher) == b"three"
        assert len(liar.frames) == 3 and not any(b"one" in frame or b"two" in frame for frame in liar.frames)
        assert not any(name == "watcher" and isinstance(asked, Token) for name, asked in liar.asked)

    on_liar(work)


@pytest.mark.parametrize("ended", [False, True])
def test_the_relay_is_told_when_all_have_signed_the_end(ended: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Participant, "has_ended", property(lambda self: ended))

    async def work(liar: Liar, relay: str) -> None:
        way = transport(relay)
        async with aclosing(way.events()) as events:
            await anext(events)
            await way.send(b"the last word")
            assert await anext(events) == b"the last word"
        assert (End() in [asked for _, asked in liar.asked]) == ended

    on_liar(work)


def test_who_comes_back_says_the_same_bytes() -> None:
    async def work(liar: Liar, relay: str) -> None:
        for _ in range(2):
            ada = transport(relay)
            async with aclosing(ada.events()) as events:
                await anext(events)
                await ada.send(b"the same")
                assert (await some(events, len(liar.frames) + 1))[-1] == b"the same"
        assert liar.frames[0] == liar.frames[1]

    on_liar(work)


def test_what_does_not_open_takes_its_number() -> None:
    async def work(liar: Liar, relay: str) -> None:
        other = TableSecret(bytes(16), TABLE, 0).read_key
        later = TableSecret(SECRET.secret, TABLE, 1).read_key
        good = SECRET.read_key.seal(bytes(16), b"good")
        liar.frames += [b"x", other.seal(bytes(16), b"?"), good[:-1] + b"\0", later.seal(bytes(16), b"?"), good]
        async with aclosing(transport(relay).events()) as events:
            assert await some(events, 6) == [Connected(5), JUNK, JUNK, JUNK, JUNK, b"good"]

    on_liar(work)


def test_a_false_link_of_a_later_key_keeps_nobody_from_its_seat() -> None:
    """A relay knows its tables, and may send a player a link with a key that never existed."""

    async def work(liar: Liar, relay: str) -> None:
        ada = transport(relay, more=[TableSecret(bytes(32), TABLE, 5)])
        async with aclosing(ada.events()) as events:
            await anext(events)
            await ada.send(b"one")
            assert await anext(events) == b"one" and SECRET.read_key.open(liar.frames[0])[1] == b"one"

    on_liar(work)


def test_a_false_link_keeps_nobody_out_who_came_by_a_later_one() -> None:
    """The client reconnects once it has learned the earlier keys; a true link counts besides the false one."""

    async def work(liar: Liar, relay: str) -> None:
        later, false = TableSecret(bytes(32), TABLE, 1), TableSecret(b"x" * 32, TABLE, 5)
        liar.writers = [b""]
        told = later.read_key.seal(bytes(16), encode_history([SECRET.read_key]))
        liar.frames += [SECRET.read_key.seal(bytes(16), b"one"), told]
        for keys in ((later, false), (false, later)):
            way = transport(relay, key=keys[0], more=keys[1:], create=False)
            for _ in range(2):
                async with aclosing(way.events()) as events:
                    while await anext(events) != b"one":
                        pass

    on_liar(work)


# --- Connections ---


def test_a_connection_that_breaks_goes_on_after_the_last_frame() -> None:
    async def work(liar: Liar, relay: str) -> None:
        told: list[ConnectionEvent] = []
        ada = transport(relay, told=told)
        async with aclosing(ada.events()) as events:
            await anext(events)
            for word in (b"one", b"two"):
                await ada.send(word)
            assert await some(events, 2) == [b"one", b"two"]
            await liar.here["Ada"].close(1001, "on my way")
            assert await anext(events) == Disconnected()
            await ada.send(b"lost")
            liar.take("", SECRET.read_key.seal(bytes(16), b"three"))
            assert await some(events, 2) == [Connected(3), b"three"]
            await ada.send(b"four")
            assert await anext(events) == b"four"
        assert [asked.after for _, asked in liar.asked if isinstance(asked, Open)] == [None, 2]
        assert [type(line) for line in told] == [RelayFound, RelayLost, RelayFound]
        assert isinstance(told[1], RelayLost) and told[1].reason.endswith("closed the connection: on my way")

    on_liar(work)


def test_of_a_later_key_is_told_once_over_each_connection() -> None:
    """A relay that breaks the connection has not used up the report."""

    async def work(liar: Liar, relay: str) -> None:
        told, later = list[ConnectionEvent](), TableSecret(SECRET.secret, TABLE, 1).read_key
        liar.frames += [later.seal(bytes(16), word) for word in (b"1", b"2")]
        async with aclosing(transport(relay, told=told).events()) as events:
            assert await some(events, 3) == [Connected(2), JUNK, JUNK]
            await liar.here["Ada"].close(1001, "on my way")
            assert await anext(events) == Disconnected()
            liar.frames += [later.seal(bytes(16), word) for word in (b"3", b"4")]
            assert await some(events, 3) == [Connected(4), JUNK, JUNK]
        assert [type(line) for line in told] == [RelayFound, Behind, RelayLost, RelayFound, Behind]

    on_liar(work)


def test_a_relay_that_restarts_is_met_again() -> None:
    async def work() -> None:
        liar, slept, told = Liar(), Slept(), list[ConnectionEvent]()
        async with asyncio.timeout(60):
            async with liar.on() as relay:
                ada = transport(relay, sleep=slept, told=told)
                events = ada.events()
                await anext(events)
                await ada.send(b"one")
                assert await anext(events) == b"one"
            assert await some(events, 2) == [Disconnected(), Disconnected()]
            async with liar.on(int(relay.rpartition(":")[2][:-1])):
                while (event := await anext(events)) == Disconnected():
                    pass
                assert event == Connected(1)
                await ada.send(b"two")
                assert await anext(events) == b"two"
                await events.aclose()
        assert any("cannot connect to a relay at" in line.reason for line in told if isinstance(line, RelayLost))

    asyncio.run(work())


def test_a_relay_that_is_gone_and_the_next_one() -> None:
    async def work(liar: Liar, relay: str) -> None:
        told: list[ConnectionEvent] = []
        ada = transport("ws://127.0.0.1:9/", relay, told=told)
        async with aclosing(ada.events()) as events:
            assert await some(events, 2) == [Disconnected(), Connected(0)]
        assert isinstance(told[0], RelayLost) and told[0].wait == 0.0 and told[1] == RelayFound(f"{relay}Ada")

    on_liar(work)


def test_it_waits_longer_and_longer_and_not_for_ever() -> None:
    async def work() -> None:
        waits = dict[str, list[float]]()
        for seed in ("one", "two"):
            slept = Slept()
            nowhere = transport("ws://127.0.0.1:9/", "ws://127.0.0.1:9/", sleep=slept, entropy=Source(seed))
            async with aclosing(nowhere.events()) as events:
                assert await some(events, 21) == [Disconnected()] * 21
            assert slept[::2] == [0.0] * 10, "all relays are tried before anything is waited for"
            waits[seed] = slept[1::2]
        for wait, least in zip(waits["one"], [0.25, 0.5, 1, 2, 4, 8, 15, 15, 15, 15], strict=True):
            assert least <= wait < 2 * least
        assert max(waits["one"]) <= LONGEST_WAIT and waits["one"] != waits["two"], "and not all at the same moment"

    asyncio.run(work())


def test_after_a_good_connection_it_is_soon_tried_again() -> None:
    async def work(liar: Liar, relay: str) -> None:
        now, slept = [0.0], Slept()
        ada = transport(relay, sleep=slept, clock=lambda: now[0])
        async with aclosing(ada.events()) as events:
            for lasted in (1, 1, 1, 60, 1):
                assert isinstance(await anext(events), Connected)
                now[0] += lasted
                await liar.here["Ada"].close()
                assert await anext(events) == Disconnected()
            await anext(events)
        assert [wait < 0.5 for wait in slept] == [True, False, False, True, False]

    on_liar(work)


def test_who_is_told_may_give_up() -> None:
    class Enough(Exception):
        pass

    def enough(line: ConnectionEvent) -> None:
        raise Enough

    async def work() -> None:
        given_up = transport("ws://127.0.0.1:9/")
        given_up._emit = enough
        with pytest.raises(Enough):
            async for _ in given_up.events():
                pass

    asyncio.run(work())


@pytest.mark.parametrize(("relays", "options"), [((), {}), (("ws://x/",), {"key": SECRET.read_key, "create": True})])
def test_what_makes_no_transport(relays: tuple[str, ...], options: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        transport(*relays, **options)


# --- What a relay says ---


class Says(Liar):
    """A relay that gives a different answer to one request."""

    def __init__(self, kind: type, told: RelayReply | None) -> None:
        super().__init__()
        self._kind, self._told = kind, told

    def answer(self, name: str, asked: Any) -> RelayReply | None:
        return self._told if isinstance(asked, self._kind) else super().answer(name, asked)


def test_a_token_that_is_not_taken() -> None:
    """The frames of others still arrive, and the person is told."""

    async def work(liar: Liar, relay: str) -> None:
        told: list[ConnectionEvent] = []
        ada = transport(relay, told=told)
        async with aclosing(ada.events()) as events:
            await anext(events)
            await ada.send(b"waits, and is not sent")
            for word in (b"one", b"two"):
                liar.take("", SECRET.read_key.seal(bytes(16), word))
                liar.change()
                assert await anext(events) == word
            await ada.send(b"is not sent")
        assert len(liar.frames) == 2 and isinstance(told[1], WriteRefused) and "not a token" in told[1].reason

    on_liar(work, Says(Token, Refused("token", "not a token")))


def test_a_relay_that_has_lost_a_cursor_was_rolled_back() -> None:
    async def work(liar: Liar, relay: str) -> None:
        ada = transport(relay)
        async with aclosing(ada.events()) as events:
            await anext(events)
            await ada.send(b"one")
            await anext(events)
            liar.answer = Says(Open, Refused("cursor", "there is no such cursor")).answer  # type: ignore[method-assign]
            await liar.here["Ada"].close()
            assert await some(events, 2) == [Disconnected(), Connected(0)]

    on_liar(work)


def test_of_several_relays_one_that_denies_a_cursor_does_not_count() -> None:
    """Only if all relays deny it was the table rolled back."""

    async def run() -> None:
        good, bad, told = Liar(), Liar(), list[ConnectionEvent]()
        bad.answer = Says(Open, Refused("cursor", "there is no such cursor")).answer  # type: ignore[method-assign]
        async with asyncio.timeout(60), good.on() as first, bad.on() as second:
            ada = transport(first, second, told=told)
            async with aclosing(ada.events()) as events:
                await anext(events)
                for word in (b"one", b"two"):
                    await ada.send(word)
                    assert await anext(events) == word
                    await good.here["Ada"].close()
                    # To the bad relay and back.
                    assert await some(events, 3) == [Disconnected(), Disconnected(), Connected(len(good.frames))]
                good.answer = bad.answer  # type: ignore[method-assign]
                await good.here["Ada"].close()
                assert await some(events, 3) == [Disconnected(), Disconnected(), Connected(0)]
        assert [type(line) for line in told] == [RelayFound, RelayLost, RelayLost] * 3 + [RelayFound]
        assert "no such cursor" in told[2].reason  # type: ignore[union-attr]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (Opened(LOG_ENTRIES_MAX + 1, 100), "a log has at most"),
        (Refused("table", "no such table"), "no such table"),
    ],
)
def test_a_table_that_cannot_be_opened(told: RelayReply, reason: str) -> None:
    async def work(liar: Liar, relay: str) -> None:
        lines: list[ConnectionEvent] = []
        async with aclosing(transport(relay, told=lines).events()) as events:
            assert await some(events, 3) == [Disconnected()] * 3
        assert all(isinstance(line, RelayLost) and reason in line.reason and relay in line.reason for line in lines)
        assert not any(isinstance(line, RelayLost) and line.refused for line in lines), "it was never there"

    on_liar(work, Says(Open, told))


def test_a_no_that_ends_a_connection_is_told_apart_from_one_that_broke() -> None:
    async def work(liar: Liar, relay: str) -> None:
        lines: list[ConnectionEvent] = []
        async with aclosing(transport(relay, told=lines).events()) as events:
            await anext(events)
            await liar.here["Ada"].send(encode(Refused("full", "all is full")).decode())
            assert await some(events, 2) == [Disconnected(), Connected(0)]
            await liar.here["Ada"].close()
            assert await some(events, 2) == [Disconnected(), Connected(0)]
        lost = [line for line in lines if isinstance(line, RelayLost)]
        assert [line.refused for line in lost] == [True, False] and "refused: all is full" in lost[0].reason

    on_liar(work)


def test_a_frame_that_the_relay_does_not_take() -> None:
    async def work(liar: Liar, relay: str) -> None:
        told: list[ConnectionEvent] = []
        ada = transport(relay, told=told)
        async with aclosing(ada.events()) as events:
            await anext(events)
            await ada.send(bytes(200))
            liar.take("", SECRET.read_key.seal(bytes(16), b"one"))
            liar.change()
            assert await anext(events) == b"one"
            with suppress(TimeoutError):
                async with asyncio.timeout(0.02):
                    await anext(events)
        assert [line.reason for line in told if isinstance(line, WriteRefused)] == [
            f"the relay {relay}Ada accepts frames of at most 100 bytes; this one has 272"
        ]

    on_liar(work, Says(Open, Opened(0, 100)))


def test_an_answer_that_nobody_asked_for() -> None:
    async def work(liar: Liar, relay: str) -> None:
        async with aclosing(transport(relay, key=SECRET.read_key).events()) as events:
            liar.writers = [b""]
            await anext(events)
            await liar.here["Ada"].send('{"type":"accepted"}')
            assert await anext(events) == Disconnected()

    on_liar(work)
