"""Tables on the network through a real relay: hosts, guests and spectators, with front ends that record."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import pytest

from client.around import real
from games.outside import GAME, TurnUp
from nodealer.client import events
from nodealer.client.commands import Command
from nodealer.client.contacts import Contacts
from nodealer.client.network_game import HostedTable, NetworkTable, play_on_network
from nodealer.client.pairing import PairingEnvironment
from nodealer.client.questions import LobbyQuestion
from nodealer.client.relay_transport import connect_here
from nodealer.client.setup import table_setup
from nodealer.client.status import TableStatus
from nodealer.client.table_client import ClientOptions
from nodealer.client.ui import UI
from nodealer.engine.commands import AgreeToRoster, ProposeRoster
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.store import MemoryPlayerStore
from nodealer.keys import Identity, host_mark
from nodealer.log.roster import Roster
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret

ENVIRONMENT = PairingEnvironment(os.urandom, connect_here, time.monotonic)
#: The longest that anything here may take, on a machine that does much else.
LONG = 60.0

E = TypeVar("E")


class MemoryFile:
    """The contacts of one person, in memory."""

    location = "memory"

    def __init__(self) -> None:
        self.data: bytes | None = None

    def read(self) -> bytes | None:
        return self.data

    def change(self, make: Callable[[bytes | None], bytes]) -> None:
        self.data = make(self.data)


class Recorder:
    """A front end that records everything, answers every question, and passes on commands.

    Everything is also shown on another front end, if there is one.
    """

    def __init__(self, front: UI | None = None) -> None:
        self._front = front
        self.events: list[events.TableEvent] = []
        self.asked: list[LobbyQuestion] = []
        self.last: TableStatus | None = None
        #: Cleared while this player takes no turn.
        self.plays = asyncio.Event()
        self.plays.set()
        #: The guests whom a host does not let sit down, and whether a guest agrees.
        self.turns_away: set[str] = set()
        self.agrees = True
        self._commands: asyncio.Queue[Command] = asyncio.Queue()

    def show(self, event: events.TableEvent) -> None:
        self.events.append(event)
        if self._front is not None:
            self._front.show(event)

    def status(self, status: TableStatus) -> None:
        self.last = status
        if self._front is not None:
            self._front.status(status)

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        if isinstance(question, LobbyQuestion):
            self.asked.append(question)
            return self.agrees and question.name not in self.turns_away
        await self.plays.wait()
        return TurnUp()

    async def commands(self) -> AsyncGenerator[Command, None]:
        while True:
            yield await self._commands.get()

    def order(self, command: Command) -> None:
        self._commands.put_nowait(command)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, kind: type[E], wanted: Callable[[E], bool] = lambda event: True) -> E:
        """Wait for an event."""
        async with asyncio.timeout(LONG):
            while not (found := [event for event in self.all(kind) if wanted(event)]):
                await asyncio.sleep(0.005)
        return found[0]

    async def until_status(self, wanted: Callable[[TableStatus], Any]) -> TableStatus:
        """Wait until the table stands like this."""
        async with asyncio.timeout(LONG):
            while self.last is None or not wanted(self.last):
                await asyncio.sleep(0.005)
        return self.last


@dataclass
class Person:
    """A person with their own key, store and front end, and the task that takes part for them."""

    name: str | None
    ui: Recorder
    task: asyncio.Task[Participant]
    store: MemoryPlayerStore
    contacts: Contacts

    async def ends(self) -> Participant:
        async with asyncio.timeout(LONG):
            return await self.task

    async def fails(self, error: type[Exception], match: str = "") -> None:
        async with asyncio.timeout(LONG):
            with pytest.raises(error, match=match):
                await self.task


@dataclass
class Scene:
    """A relay, and a table of one host on it."""

    url: str
    host_key: Identity = field(default_factory=lambda: Identity(os.urandom(32)))
    people: list[Person] = field(default_factory=list)

    def __post_init__(self) -> None:
        secret = TableSecret(os.urandom(16), os.urandom(16).hex(), 0)
        self.invitation = Invitation((self.url,), secret, host_mark(self.host_key.public))

    def host(self, seats: int = 2, hands: int = 1, **hosted: Any) -> Person:
        setup = table_setup(GAME, GAME.settled({}), seats=seats, hands=hands)
        wants = HostedTable(setup, shows_links=True, **hosted)
        return self.come("Ada", self.invitation, self.host_key, ClientOptions(shows_words=True), hosted=wants)

    def guest(
        self,
        name: str,
        *,
        ask: bool = False,
        identity: Identity | None = None,
        invitation: Invitation | None = None,
        front: UI | None = None,
        **how: Any,
    ) -> Person:
        identity = identity or Identity(os.urandom(32))
        options = ClientOptions(asks_for_seat=ask, shows_words=True)
        return self.come(name, invitation or self.invitation, identity, options, front, **how)

    def watcher(self) -> Person:
        identity = Identity(os.urandom(32))
        options = ClientOptions(shows_words=True)
        return self.come(None, self.invitation.for_spectators(), identity, options, by_person=False)

    def come(
        self,
        name: str | None,
        invitation: Invitation,
        identity: Identity,
        options: ClientOptions,
        front: UI | None = None,
        **how: Any,
    ) -> Person:
        store = MemoryPlayerStore(name, identity, os.urandom(32))
        return self._play(NetworkTable(invitation, invitation.relays, game=GAME, **how), store, options, front)

    def _play(
        self, table: NetworkTable, store: MemoryPlayerStore, options: ClientOptions, front: UI | None = None
    ) -> Person:
        ui, contacts = Recorder(front), Contacts(MemoryFile())
        task = asyncio.ensure_future(play_on_network(table, store, ui, contacts, ENVIRONMENT, options))
        self.people.append(Person(store.name, ui, task, store, contacts))
        return self.people[-1]

    async def back(
        self, person: Person, *, ask: bool = False, store: Any = None, front: UI | None = None, **how: Any
    ) -> Person:
        """Stop someone's program, and start it again with what it has stored."""
        person.task.cancel()
        await asyncio.gather(person.task, return_exceptions=True)
        table = NetworkTable(self.invitation, self.invitation.relays, game=GAME, **how)
        return self._play(table, store or person.store, ClientOptions(asks_for_seat=ask), front)


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    async with real() as url:
        table = Scene(url.rstrip("/"))
        try:
            yield table
        finally:
            for person in table.people:
                person.task.cancel()
            await asyncio.gather(*(person.task for person in table.people), return_exceptions=True)


def played(work: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    """Run a test at a table of its own."""

    async def run() -> None:
        async with scene() as table:
            await work(table)

    asyncio.run(run())


def _is_named(name: str, event: events.MaySit) -> bool:
    return event.name == name


async def playing(table: Scene, *names: str, hands: int = 4) -> list[Person]:
    """A game in its second hand, which waits for the host."""
    host = table.host(len(names) + 1, hands)
    await host.ui.until(events.TableLinks)
    guests = []
    for name in names:
        guests.append(table.guest(name))
        await host.ui.until(events.MaySit, partial(_is_named, name))
    await host.ui.until(events.SessionOpened)
    await host.ui.until(events.Result)
    host.ui.plays.clear()
    return [host, *guests]


async def voted_out(host: Person, guest: Person) -> None:
    """The two agree on a roster without the last seat."""
    status = await host.ui.until_status(lambda status: status.state is not None and not status.unconfirmed)
    assert status.state is not None
    host.ui.order(ProposeRoster(Roster(status.state.roster.members[:-1])))
    (offer,) = (await guest.ui.until_status(lambda status: status.rosters)).rosters
    guest.ui.order(AgreeToRoster(offer.id))
    host.ui.plays.set()
