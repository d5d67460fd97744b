"""A table among processes of this machine: for those who were invited, and for nobody else who can reach the port."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from conformance.harness import Source
from nodealer.client.bot_process import BotUI
from nodealer.client.connection import ConnectionMonitor, LockedOut
from nodealer.client.game_loader import load_game
from nodealer.client.keyring import Keyring
from nodealer.client.local_relay import serve_local_table
from nodealer.client.local_seats import LocalSeat, play_local_seat
from nodealer.client.relay_transport import Behind, KeyMissing, RelayFound, RelayLost, RelayTransport, WriteRefused
from nodealer.client.setup import table_setup
from nodealer.client.transport import Connected, Disconnected, Event
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, RelayError, RelayRefused
from nodealer.keys import Identity
from nodealer.relay.client import connect_to
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret


def somebody(keys: Keyring) -> Participant:
    return Participant(MemoryPlayerStore("Ada", Identity(bytes(32)), bytes(32)), entropy=Source("x"), keys=keys)


def transport(table: Invitation) -> RelayTransport:
    keys = Keyring((table.key,), os.urandom)
    monitor = ConnectionMonitor(BotUI().show, local=True)
    return RelayTransport(somebody(keys), keys, table.relays, entropy=os.urandom, emit=monitor)


def here(work: Callable[[Invitation], Awaitable[None]], earlier: Sequence[bytes] = ()) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), serve_local_table(bytes(16), os.urandom, earlier) as table:
            await work(table)

    asyncio.run(run())


def test_what_was_said_earlier_stands_before_what_is_new() -> None:
    async def work(table: Invitation) -> None:
        way = transport(table)
        async with aclosing(way.events()) as events:
            assert [await anext(events) for _ in range(3)] == [Connected(2), b"one", b"two"]
            await way.send(b"three")
            assert await anext(events) == b"three"

    here(work, [b"one", b"two"])


def test_a_stranger_neither_writes_nor_reads() -> None:
    """Anybody who finds the port could take a bot's seat, or end a lobby with junk."""

    async def work(table: Invitation) -> None:
        async with connect_to(table.relays[0]) as stranger:
            assert await stranger.open(table.table) == 1, "and knowing the table's name is more than it does"
            page = await stranger.read()
            assert isinstance(page, list) and b"secret" not in page[0][1]
            await stranger.send_token(bytes(32))
            with pytest.raises(RelayRefused, match="does not allow writing"):
                await stranger.read()
            await stranger.append(b"junk")
            with pytest.raises(RelayError):
                await stranger.read()
        async with connect_to(table.relays[0]) as stranger:
            with pytest.raises(RelayRefused, match="a single table and creates no others"):
                await stranger.create("5" * 32, bytes(32))
        other = Keyring((TableSecret(bytes(16), table.table, 0),), os.urandom)
        way = RelayTransport(somebody(other), other, table.relays, entropy=os.urandom)
        async with aclosing(way.events()) as events:
            assert [await anext(events) for _ in range(2)] == [Connected(1), b""], "with another secret all is junk"

    here(work, [b"secret"])


def test_no_page_in_a_browser() -> None:
    """A page of anybody's can reach the ports of the machine that it is looked at on."""

    async def work(table: Invitation) -> None:
        with pytest.raises(InvalidStatus, match="403"):
            async with connect(table.relays[0], origin=Origin("https://example.org"), proxy=None):
                pass

    here(work)


def test_who_is_cut_off_comes_again_and_ends_with_the_relay() -> None:
    async def run() -> None:
        heard: list[Event] = []
        async with asyncio.timeout(60):
            async with serve_local_table(bytes(16), os.urandom) as table:
                way = transport(table)
                events = way.events()
                heard.append(await anext(events))
                assert way._outbox is not None
                await way._outbox._client._connection.close()
                heard += [await anext(events), await anext(events)]
            with pytest.raises(RelayError, match="cannot connect to a relay at"):
                while True:
                    heard.append(await anext(events))
        assert heard == [Connected(0), Disconnected(), Connected(0), Disconnected(), Disconnected()]

    asyncio.run(run())


def test_a_relay_that_was_never_there(capsys: pytest.CaptureFixture[str]) -> None:
    """What a bot says about its relay, once each, and when it gives up."""
    told = ConnectionMonitor(BotUI().show, local=True)
    with pytest.raises(RelayError, match="why"):
        told(RelayLost("x", "why", 0.0))
    told(RelayFound("x"))
    told(RelayLost("x", "why", 0.0, refused=True))
    told(RelayFound("x"))
    told(WriteRefused("x", "why"))
    for _ in range(2):
        told(Behind("ws://a"))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "nodealer: The relay is rejecting the messages of this seat: why"
    assert second.startswith("nodealer: The relay delivers messages with a newer key")
    with pytest.raises(LockedOut):
        told(KeyMissing("x", 1))
    told(RelayLost("x", "broken", 0.0))
    with pytest.raises(RelayError, match="gone"):
        told(RelayLost("x", "gone", 0.0))
    assert capsys.readouterr().err == ""


def test_a_seat_without_the_new_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keyring, "read_key", lambda keys, participant: None)
    game = load_game("holdem")
    setup = table_setup(game, game.settled({}), seats=2, hands=1).with_bots()

    async def work(table: Invitation) -> None:
        seat = LocalSeat(table, game, setup.expected, setup.hands)
        home = MemoryPlayerStore("Ada", Identity(bytes(32)), bytes(32))
        with pytest.raises(BadParameter, match="a new key"):
            await play_local_seat(seat, home, BotUI(), os.urandom)

    here(work, [b"one"])
