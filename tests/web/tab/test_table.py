"""Tabs at a table across the network, without a browser: hosts and guests, codes, names, and who is known again."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.circle import Circle
from nodealer.client import network_game
from nodealer.client.changes import events_between
from nodealer.client.connection import ConnectionMonitor, LockedOut
from nodealer.client.contacts import Contacts
from nodealer.client.events import KeyStatus
from nodealer.client.keyring import Keyring
from nodealer.client.link_rotation import LinkRotation
from nodealer.client.pairing import PairingEnvironment, use_code
from nodealer.client.relay_transport import Behind, RelayFound, RelayLost, connect_here
from nodealer.client.status import TableStatus
from nodealer.client.table_client import NameTaken, TableClient
from nodealer.client.timekeeper_process import TimekeeperConfig, keep_time
from nodealer.client.ui import SilentUI
from nodealer.engine.commands import AgreeToRoster, ProposeRoster, SitOut
from nodealer.engine.frame_result import Received
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, Declined, NodealerError
from nodealer.keys import Identity, host_mark
from nodealer.log.roster import Roster
from nodealer.relay.invitations import Invitation
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.memory import MemoryStore
from nodealer.web.tab.contacts import BrowserContacts, UpdateContacts
from nodealer.web.tab.practice import BotTransport
from nodealer.web.tab.setup import HostRequest, host_offers, hosted_table_of, read_host_request
from nodealer.web.tab.table import OPTIONS, TabEnvironment, TabTable

ENVIRONMENT = PairingEnvironment(os.urandom, connect_here, time.monotonic)
WISH: dict[str, Any] = {
    "name": "Wirtin",
    "relay": "ws://a",
    "page": "https://b",
    "game": "wardens",
    "seats": 2,
    "hands": 1,
}


class Tab:
    """A tab of somebody who answers as a test says, and what its page was told."""

    def __init__(self, name: str, folder: Path, contacts: BrowserContacts | None = None) -> None:
        self.name, self.told = name, list[dict[str, Any]]()
        self.identity = Identity(name.encode().ljust(32, b"."))
        self.answers: Callable[[dict[str, Any]], str | None] = lambda question: question["answers"][0]
        self._last = 0
        world = TabEnvironment(
            os.urandom,
            connect_here,
            lambda: 5000,
            self.hear,
            folder / name,
            **({} if contacts is None else {"contacts": contacts}),
        )
        self.table = TabTable(world)

    def hear(self, text: str) -> None:
        document = json.loads(text)
        self.told.append(document)
        question = document.get("question") if document["type"] == "lobby" else None
        if question is not None and question["ask"] != self._last and (said := self.answers(question)) is not None:
            self._last = question["ask"]
            self.say({"type": "answer", "ask": question["ask"], "text": said})

    def say(self, document: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_soon(self.table.receive, json.dumps(document))

    def play(self, invitation: Invitation, hosted: Any = None, name: str | None = None) -> asyncio.Task[None]:
        home = MemoryPlayerStore(name or self.name, self.identity, os.urandom(32))
        return asyncio.ensure_future(self.table.play(home, invitation, hosted))

    def all(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.told if one["type"] == kind]

    async def until(self, found: Callable[[], Any]) -> Any:
        while not (said := found()):
            await asyncio.sleep(0.01)
        return said

    async def notice(self, code: str) -> dict[str, Any]:
        await self.until(lambda: any(one["code"] == code for one in self.all("notice")))
        of: dict[str, Any] = next(one["of"] for one in self.all("notice") if one["code"] == code)
        return of


@asynccontextmanager
async def table_of(host: Tab) -> AsyncIterator[Invitation]:
    async with asyncio.timeout(60), serve_relay(MemoryStore(time.monotonic), entropy=os.urandom) as relay:
        secret = TableSecret(bytes(16), "5a" * 16, 0)
        yield Invitation((f"ws://127.0.0.1:{relay.port}",), secret, host_mark(host.identity.public))


def _asks(lobby: dict[str, Any], code: str) -> bool:
    return bool(lobby["question"]) and lobby["question"]["code"] == code


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_a_guest_comes_by_a_spoken_code_and_both_know_each_other_again(tmp_path: Path) -> None:
    contacts = BrowserContacts()
    known = Contacts(contacts)

    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path, contacts), Tab("Gast", tmp_path)
        host.answers = lambda question: "code" if question["code"] == "guests" else pytest.fail(question["code"])
        async with table_of(host) as invitation:
            hosting = host.play(invitation, hosted_table_of(HostRequest(**WISH)))
            said = await host.notice("code")
            code = parse_code(said["code"])
            host.answers = lambda question: None
            assert await use_code(code, said["relay"], guest.identity, "Gast", ENVIRONMENT) == invitation
            assert await host.notice("code used") == {"name": "Gast"}
            joining = guest.play(invitation)
            # Who came by a code is not asked about; the guest sees all that is proposed.
            for one in (host, guest):
                await one.until(partial(one.all, "table"))
            proposal = next(one["proposal"] for one in guest.all("lobby") if one["proposal"])
            assert proposal["game"].startswith("wardens") and proposal["players"] == ["Wirtin", "Gast"]
            await ended(hosting, joining)

    asyncio.run(meet())
    assert known.check("Gast", Tab("Gast", tmp_path).identity.public).status is KeyStatus.KNOWN
    assert known.check("Gast", Tab("Eve", tmp_path).identity.public).status is KeyStatus.OTHER_KEY
    assert [met.last for met in known.all] == [5]


def test_a_name_that_has_come_with_another_key_is_pointed_out_with_the_words_to_ask_for(tmp_path: Path) -> None:
    contacts = BrowserContacts()
    Contacts(contacts).remember([("Gast", Identity(bytes(32)).public)], 1)

    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path, contacts), Tab("Gast", tmp_path)
        host.answers = lambda question: None
        async with table_of(host) as invitation:
            hosting, joining = host.play(invitation, hosted_table_of(HostRequest(**WISH))), guest.play(invitation)
            await host.until(
                lambda: any(told["question"]["code"] == "sit" for told in host.all("lobby") if told["question"])
            )
            here = [one for one in host.all("lobby")[-1]["people"] if one["name"] == "Gast"]
            assert (here[0]["known"], here[0]["warn"]) == ("other key", True) and len(here[0]["key"].split()) == 6
            mine = next(one for one in guest.all("lobby")[-1]["people"] if one["you"])
            assert mine["key"] == here[0]["key"], "the guest can say what the host asks for"
            await ended(hosting, joining)

    asyncio.run(meet())


def test_a_name_that_is_taken_is_told_and_another_one_sits(tmp_path: Path) -> None:
    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path), Tab("Gast", tmp_path)
        host.answers = lambda question: "y" if question["code"] == "sit" else None
        async with table_of(host) as invitation:
            hosting = host.play(invitation, hosted_table_of(HostRequest(**WISH)))
            await host.until(lambda: host.all("lobby") and host.all("lobby")[-1]["people"])
            with pytest.raises(NameTaken, match="wirtin"):
                await guest.play(invitation, name="wirtin")
            joining = guest.play(invitation)
            for one in (host, guest):
                await one.until(partial(one.all, "table"))
            await ended(hosting, joining)

    asyncio.run(meet())


def test_a_host_waits_for_a_timekeeper_says_so_and_lets_one_in(tmp_path: Path) -> None:
    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path), Tab("Gast", tmp_path)
        host.answers = lambda question: None if question["code"] == "guests" else "y"
        async with table_of(host) as invitation:
            wish = HostRequest(**WISH, move=30, awaits_keeper=True)
            hosting, joining = host.play(invitation, hosted_table_of(wish)), guest.play(invitation)
            await host.notice("keeper awaited")
            assert not guest.all("table")
            order = TimekeeperConfig(
                invitation.link, invitation.table, invitation.relays, "Clock", None, str(tmp_path / "c")
            )
            keeping = asyncio.ensure_future(keep_time(order, SilentUI()))
            for one in (host, guest):
                await one.until(partial(one.all, "table"))
            proposal = next(one["proposal"] for one in guest.all("lobby") if one["proposal"])
            assert proposal["clock"] == {"keeper": "Clock", "move": 30_000, "bank": 60_000}
            keeping.cancel()
            await ended(hosting, joining)

    asyncio.run(meet())


def test_a_relay_that_breaks_the_connection_does_not_take_back_that_it_may_withhold_something(tmp_path: Path) -> None:
    tab = Tab("Ada", tmp_path)
    tab.table.start("player", "Ada")
    monitor = ConnectionMonitor(tab.table.ui.show)
    for line in (RelayFound("ws://a"), Behind("ws://a"), RelayLost("ws://a", "gone", 0.5), RelayFound("ws://a")):
        monitor(line)
    # Of all that is about the same, a page shows the last.
    shown = {one["about"]: one["code"] for one in tab.all("notice")}
    assert sorted(shown.values()) == ["behind", "found"]


def test_a_relay_that_refuses_what_a_guest_writes_is_not_a_lost_connection(tmp_path: Path) -> None:
    """The table has another key than the link of this guest, so that the relay accepts nothing from them."""

    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path), Tab("Gast", tmp_path)
        host.answers = lambda question: None
        async with table_of(host) as invitation:
            hosting = host.play(invitation, hosted_table_of(HostRequest(**WISH)))
            await host.until(lambda: host.all("lobby") and host.all("lobby")[-1]["people"])
            other = TableSecret(bytes(range(16)), invitation.table, 0)
            joining = guest.play(replace(invitation, key=other))
            await guest.notice("unheard")
            assert [(one["code"], one["kind"]) for one in guest.all("notice")] == [("unheard", "bad")]
            await ended(hosting, joining)

    asyncio.run(meet())


def test_a_guest_is_told_of_withheld_frames_and_of_a_clock_that_runs_ahead(tmp_path: Path) -> None:
    """The notices come from the statuses of the client, which a tab shares with every other front end."""
    tab = Tab("Gast", tmp_path)
    ui = tab.table.start("player", "Gast", network=True)
    before = TableStatus(0.0, "Gast")
    withheld = replace(before, now=9.0, missing_frames=3, missing_for=8.0)
    for event in events_between(before, withheld, 5.0):
        ui.show(event)
    for event in events_between(before, replace(before, drifts=1, drift=12.4), 5.0):
        ui.show(event)
    assert [(one["code"], one["of"], one["kind"]) for one in tab.all("notice")] == [
        ("missing", {"frames": 3}, "bad"),
        ("drift", {"seconds": 12}, "note"),
    ]


def test_the_links_of_a_new_key_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who would watch, or ask for a seat, need them, and nobody else can give them."""

    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path), Tab("Gast", tmp_path)
        async with table_of(host) as invitation:
            new = invitation.with_key(TableSecret(bytes(32), invitation.table, 1))
            keys = SimpleNamespace(write_secret=lambda participant: new.key)
            monkeypatch.setattr(network_game, "LinkRotation", lambda known, _: LinkRotation(known, cast(Keyring, keys)))
            playing = [host.play(invitation, hosted_table_of(HostRequest(**WISH))), guest.play(invitation)]
            for one in (host, guest):
                assert await one.notice("key") == {"link": new.link, "watch": new.for_spectators().link}
                assert sum(told["code"] == "key" for told in one.all("notice")) == 1
            await ended(*playing)

    asyncio.run(meet())


def test_too_few_for_a_game_are_told_so_and_others_may_come_yet(tmp_path: Path) -> None:
    async def meet() -> None:
        host, guest = Tab("Wirtin", tmp_path), Tab("Gast", tmp_path)
        host.answers = lambda question: "y" if question["code"] == "sit" else "start"
        async with table_of(host) as invitation:
            hosting = host.play(invitation, hosted_table_of(HostRequest(**WISH | {"game": "hearts", "seats": 4})))
            await host.notice("nobody sits")
            joining = guest.play(invitation)
            assert "for four" in (await host.notice("cannot begin"))["reason"]
            assert not hosting.done()
            await ended(hosting, joining)

    asyncio.run(meet())


@pytest.mark.parametrize("sat_out", [True, False])
def test_a_tab_asks_for_a_seat_but_not_for_one_that_was_taken_away(tmp_path: Path, sat_out: bool) -> None:
    """Who asks is dealt in again, and somebody who lost its seat has not said that it is back. That holds also for a
    tab that is opened later."""
    circle = Circle(3, hands=3, newcomers=1)
    circle.play(until=lambda circle: circle.people[0].options().must_move)
    gone, newcomer = circle.people[2], circle.people[3]
    if sat_out:
        circle.waiting.extend(gone.command(SitOut()))
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(gone.members[:2]))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposed)))
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    assert gone.sits_out == sat_out and not gone.is_in_roster
    tab = Tab("Cid", tmp_path)
    client = TableClient(gone, BotTransport(lambda frame: None), tab.table.start("player", "Cid"), options=OPTIONS)
    client._show_received(Received())
    with pytest.raises(LockedOut):
        client._ask_for_seat()
    assert [one["code"] for one in tab.all("notice")] == ["removed"]
    # Somebody who never had a seat asks, once.
    tab = Tab("Dan", tmp_path)
    client = TableClient(newcomer, BotTransport(lambda frame: None), tab.table.start("player", "Dan"), options=OPTIONS)
    client._show_received(Received())
    assert [bool(client._ask_for_seat()) for _ in range(2)] == [True, False]
    assert [one["code"] for one in tab.all("notice")] == ["asks"]


# --- What can be hosted ---


def test_every_game_that_people_play_is_on_offer_with_all_that_serves_it() -> None:
    offers = host_offers()
    assert [one.game.name for one in offers.games] == ["hearts", "holdem", "wardens"] and offers.first == "holdem"
    for one in offers.games:
        # Whatever the form can ask for can be played.
        for dealt in one.cards:
            changed = {"game": one.game.name, "seats": one.game.seats, "protocol": dealt.protocol}
            hosted_table_of(HostRequest(**WISH | changed, parameters=dealt.parameters))
    holdem = next(one for one in offers.games if one.game.name == "holdem")
    assert holdem.cards[0].protocol == "mask" and {one.protocol for one in holdem.cards} >= {"mask", "lock", "offset"}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"game": "nodealer.games:GAME"}, "not available here"),
        ({"game": "hearts", "seats": 3}, "for four"),
        ({"game": "holdem", "protocol": "duel"}, "duel"),
        ({"game": "holdem", "protocol": "chain"}, "a browser tab does not support"),
        ({"settings": {"none": "1"}}, "no setting"),
        ({"seats": 1}, "seats"),
        ({"name": "a\nb"}, "name"),
        ({"more": 1}, "more"),
    ],
)
def test_what_cannot_be_hosted(changed: dict[str, Any], why: str) -> None:
    with pytest.raises((NodealerError, Declined, BadParameter), match=why):
        hosted_table_of(read_host_request(json.dumps(WISH | changed)))


# --- The list of players ---


def test_two_tabs_share_one_list_and_a_damaged_one_is_begun_anew() -> None:
    kept = b""

    def keep(make: UpdateContacts) -> None:
        nonlocal kept
        kept = make(kept)

    one, other = BrowserContacts(keep), BrowserContacts(keep)
    ada, ben = (Identity(bytes([seed]) * 32).public for seed in (1, 2))
    Contacts(one).remember([("Ada", ada)], 1)
    Contacts(other).remember([("Ben", ben)], 2)
    assert {met.name for met in Contacts(other).all} == {"Ada", "Ben"}, "what the other tab has met is not lost"
    fresh = BrowserContacts()
    fresh.load(kept)
    assert {met.name for met in Contacts(fresh).all} == {"Ada", "Ben"}
    fresh = BrowserContacts()
    fresh.load(kept[:-3])
    assert Contacts(fresh).all == ()
