"""Tables on the network through a real relay: hosts, guests and spectators, with front ends that only record."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Any

import pytest

from client.scene import ENVIRONMENT, MemoryFile, Recorder, Scene, played, playing, voted_out
from games.outside import GAME
from nodealer.client import events
from nodealer.client.commands import IssueCode, StartGame, TurnAway
from nodealer.client.contacts import Contacts
from nodealer.client.front_end import FrontEndGone
from nodealer.client.network_game import HostedTable, NetworkTable, play_on_network
from nodealer.client.pairing import use_code
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.setup import table_setup
from nodealer.client.table_client import ClientOptions, NameTaken, NotSeated
from nodealer.engine.commands import AdmitPlayer, AgreeToRoster
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, RelayError
from nodealer.keys import Identity
from nodealer.relay.invitations import parse_link
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret
from ports import free_port


def test_a_host_a_guest_and_a_spectator_play_a_hand() -> None:
    async def work(table: Scene) -> None:
        host = table.host()
        await host.ui.until(events.TableLinks)
        watcher, guest = table.watcher(), table.guest("Ben")
        ended = [await person.ends() for person in (host, guest, watcher)]
        assert {one.replica.state.phase for one in ended} == {Phase.ENDED}
        assert len({tuple(one.replica.entries) for one in ended}) == 1
        # Everyone saw the same words, names and result, once.
        for kind in (events.Agreed, events.SessionOpened, events.Result):
            shown = [person.ui.all(kind) for person in (host, guest, watcher)]
            assert shown[0] == shown[1] == shown[2] and len(shown[0]) == 1, kind
        (links,) = host.ui.all(events.TableLinks)
        assert (links.link, links.watch) == (table.invitation.link, table.invitation.for_spectators().link)
        assert (links.seats, links.place, links.has_page, links.asks_host) == (2, GAME.name, False, True)
        assert [question.asked for question in host.ui.asked] == [Asked.SIT]
        assert [question.asked for question in guest.ui.asked] == [Asked.PROPOSAL]
        assert [event.names for event in watcher.ui.all(events.PlayersHere)][-1] == ("Ada", "Ben")
        assert not watcher.ui.asked
        # Those who played together are remembered, by the players and by those who watched.
        assert [met.name for met in host.contacts.all] == ["Ben"] and len(watcher.contacts.all) == 2

    played(work)


def test_bots_need_no_one_to_ask() -> None:
    async def work(table: Scene) -> None:
        setup = table_setup(GAME, GAME.settled({}), seats=3, hands=1)
        wants = HostedTable(setup)
        auto: dict[str, Any] = {"by_person": False, "by_bot": True}
        host = table.come("Ada", table.invitation, table.host_key, ClientOptions(), hosted=wants, **auto)
        await host.ui.until_status(lambda status: True)
        guests = [table.guest(name, **auto) for name in ("Ben", "Cleo")]
        for person in (host, *guests):
            assert (await person.ends()).replica.state.phase is Phase.ENDED
            assert not person.ui.asked
        assert not host.ui.all(events.TableLinks), "they were shown when the table was new"

    played(work)


def test_a_name_that_another_has_taken() -> None:
    async def work(table: Scene) -> None:
        host = table.host(3)
        await host.ui.until(events.TableLinks)
        table.guest("Ben")
        await host.ui.until(events.Came)
        await table.guest("BEN").fails(NameTaken, "you cannot sit there as BEN")

    played(work)


def test_a_guest_whom_the_host_turns_away() -> None:
    async def work(table: Scene) -> None:
        host = table.host(3)
        host.ui.turns_away.add("Eve")
        await host.ui.until(events.TableLinks)
        await table.guest("Eve").fails(NotSeated, "turned you away")
        # One whom the host has let sit down may still be turned away, by name.
        guest = table.guest("Ben")
        await host.ui.until(events.MaySit)
        host.ui.order(TurnAway("ben"))
        await guest.fails(NotSeated, "turned you away")
        assert [(one.name, one.found) for one in host.ui.all(events.NotSitting)] == [("ben", True)]

    played(work)


def test_a_guest_who_does_not_want_to_play() -> None:
    async def work(table: Scene) -> None:
        host = table.host()
        await host.ui.until(events.TableLinks)
        guest = table.guest("Ben")
        guest.ui.agrees = False
        for person in (host, guest):
            assert (await person.ui.until(events.Declined)).name == "Ben"
        assert [question.asked for question in guest.ui.asked] == [Asked.PROPOSAL]
        # The host does not ask them again, and another guest can have the seat.
        other = table.guest("Cleo")
        assert [member.name for member in (await other.ends()).members] == ["Ada", "Cleo"]
        await guest.fails(NotSeated, "there is no seat for you")

    played(work)


def test_the_host_begins_with_those_who_are_there() -> None:
    async def work(table: Scene) -> None:
        host = table.host(3)
        await host.ui.until(events.TableLinks)
        host.ui.order(StartGame())
        await host.ui.until(events.NoOneSeated)
        guest = table.guest("Ben")
        await host.ui.until(events.MaySit)
        host.ui.order(StartGame())
        for person in (host, guest):
            assert len((await person.ends()).members) == 2

    played(work)


def test_a_latecomer_who_does_not_ask_has_no_seat() -> None:
    async def work(table: Scene) -> None:
        await playing(table, "Ben")
        late = table.guest("Dan")
        await late.fails(NotSeated, "there is no seat for you at this table: Ada, Ben play there")
        assert not late.ui.all(events.SeatAsked)

    played(work)


def test_a_latecomer_who_asks_gets_a_seat_once_the_others_agree() -> None:
    async def work(table: Scene) -> None:
        host, guest = await playing(table, "Ben")
        late = table.guest("Dan", ask=True)
        assert (await late.ui.until(events.SeatAsked)).names == ("Ada", "Ben")
        for person in (host, guest):
            await person.ui.until(events.AsksToSit, lambda event: event.name == "Dan")
            assert await person.ui.until(events.CheckedContact, lambda event: event.name == "Dan")
        assert not late.ui.all(events.GotSeat)
        host.ui.order(AdmitPlayer("Dan"))
        await guest.ui.until(events.RosterProposed)
        (offer,) = (await guest.ui.until_status(lambda status: status.rosters)).rosters
        guest.ui.order(AgreeToRoster(offer.id))
        host.ui.plays.set()
        for person in (host, guest, late):
            await person.ends()
        assert [event.seat for event in late.ui.all(events.GotSeat)] == [2]
        assert len(late.ui.all(events.SeatAsked)) == 1
        assert any(moved.name == "Dan" for moved in guest.ui.all(events.Moved))

    played(work)


def test_there_is_no_seat_where_none_is_to_be_had() -> None:
    """Not under the name of a player, and not at a table that has ended."""

    async def work(table: Scene) -> None:
        host, guest = await playing(table, "Ben")
        late = table.guest("BEN", ask=True)
        await late.fails(NotSeated, "you cannot sit at this table: ")
        assert not late.ui.all(events.SeatAsked)
        host.ui.plays.set()
        for person in (host, guest):
            await person.ends()
        await table.guest("Dan", ask=True).fails(NotSeated, "there is no seat for you")

    played(work)


@pytest.mark.parametrize("ask", [False, True])
def test_a_player_who_is_voted_out_is_told_and_does_not_ask_again(ask: bool) -> None:
    """Also one who asked for a seat when they came: to come back is up to the person."""

    async def work(table: Scene) -> None:
        host, guest, out = await playing(table, "Ben", "Cleo")
        watcher = table.watcher()
        await watcher.ui.until(events.SessionOpened)
        if ask:
            out = await table.back(out, ask=True)
            await out.ui.until_status(lambda status: status.in_roster and not status.is_catching_up)
        await voted_out(host, guest)
        assert not (await out.ends()).is_in_roster
        assert len(out.ui.all(events.SeatLost)) == 1 and not out.ui.all(events.SeatAsked)
        # A spectator has no key of the new epoch: it is told, and ends.
        await watcher.ends()
        assert [event.what for event in watcher.ui.all(events.ConnectionChanged)] == ["locked"]
        for person in (host, guest):
            assert (await person.ends()).replica.state.phase is Phase.ENDED
            assert [links.epoch for links in person.ui.all(events.NewLinks)] == [1]

    played(work)


def test_a_player_who_comes_back_to_a_table_without_their_seat_is_told() -> None:
    """With `asks_for_seat` they ask for it: they came to do that."""

    async def work(table: Scene) -> None:
        host, guest, out = await playing(table, "Ben", "Cleo", hands=6)
        await voted_out(host, guest)
        await out.ends()
        links = await host.ui.until(events.NewLinks)
        host.ui.plays.clear()
        later = parse_link(links.link).table_secret()
        back = await table.back(out, later_keys=(later,))
        await back.ends()
        assert len(back.ui.all(events.SeatLost)) == 1
        back = await table.back(out, ask=True, later_keys=(later,))
        await back.ui.until(events.SeatAsked)
        await host.ui.until(events.AsksToSit, lambda event: event.name == "Cleo")

    played(work)


def test_a_pairing_code_is_for_one_guest() -> None:
    async def work(table: Scene) -> None:
        host = table.host(3, issues_code=True)
        given = await host.ui.until(events.CodeGiven)
        identity = Identity(os.urandom(32))
        invitation = await use_code(parse_code(given.code), given.relay, identity, "Ben", ENVIRONMENT)
        assert invitation == table.invitation
        assert (await host.ui.until(events.CodeUsed)).name == "Ben"
        table.guest("Ben", identity=identity, invitation=invitation)
        await host.ui.until(events.Came)
        # The host is not asked about a guest with a code, and can issue another one.
        host.ui.order(IssueCode())
        await host.ui.until(events.CodeGiven, lambda event: event.code != given.code)
        assert not host.ui.asked
        table.guest("Cleo")
        for person in (*table.people,):
            assert (await person.ends()).replica.state.phase is Phase.ENDED
        assert [question.name for question in host.ui.asked] == ["Cleo"]

    played(work)


def test_a_guest_issues_no_codes() -> None:
    async def work(table: Scene) -> None:
        host = table.host()
        host.ui.turns_away.add("Ben")
        await host.ui.until(events.TableLinks)
        watcher = table.watcher()
        await watcher.ui.until(events.PlayersHere)
        watcher.ui.order(IssueCode())
        assert "only the host" in (await watcher.ui.until(events.CommandRefused)).reason

    played(work)


def test_a_relay_that_refuses_what_a_player_writes_is_told_of_once() -> None:
    """The table has another key than the link of this guest, so that the relay accepts nothing from them."""

    async def work(table: Scene) -> None:
        host = table.host()
        await host.ui.until(events.TableLinks)
        other = TableSecret(os.urandom(16), table.invitation.table, 0)
        guest = table.guest("Ben", invitation=replace(table.invitation, key=other))
        heard = await guest.ui.until(events.ConnectionChanged)
        assert (heard.what, heard.relay, heard.retrying) == ("unheard", table.url, False) and heard.reason
        await asyncio.sleep(0.5)
        assert len(guest.ui.all(events.ConnectionChanged)) == 1 and not guest.task.done()

    played(work)


def test_a_guest_who_was_never_there_does_not_wait_for_a_relay() -> None:
    async def work(table: Scene) -> None:
        nowhere = replace(table.invitation, relays=(f"ws://127.0.0.1:{free_port()}",))
        await table.guest("Ben", invitation=nowhere).fails(RelayError, "cannot connect")

    played(work)


def test_a_person_who_goes_away_ends_the_client() -> None:
    async def work(table: Scene) -> None:
        host = table.host()
        await host.ui.until(events.TableLinks)

        class Gone(Recorder):
            async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
                raise FrontEndGone

        ui, identity = Gone(), Identity(os.urandom(32))
        network = NetworkTable(table.invitation, table.invitation.relays, game=GAME)
        store = MemoryPlayerStore("Ben", identity, os.urandom(32))
        with pytest.raises(FrontEndGone):
            await play_on_network(network, store, ui, Contacts(MemoryFile()), ENVIRONMENT, ClientOptions())

    played(work)


def test_a_seat_that_can_sign_nothing_more_names_its_store() -> None:
    """Its journal has lost what it has signed: to go on would be to sign the same number twice."""

    async def work(table: Scene) -> None:
        _, guest = await playing(table, "Ben")
        empty = MemoryPlayerStore("Ben", guest.store.identity, guest.store.root)
        guest = await table.back(guest, store=empty, store_name="this folder")
        await guest.fails(BadParameter, r"this folder: .*not in its journal")

    played(work)
