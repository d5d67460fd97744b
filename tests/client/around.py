"""A circle of participants over a relay, with sealed frames, that removes a seat after its first hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from conformance.games import TinyMove
from conformance.harness import Source
from engine.circle import Circle
from nodealer.client.events import TableEvent
from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import ConnectionEvent, RelayTransport
from nodealer.client.status import TableStatus
from nodealer.client.table_client import Behaviour, TableClient
from nodealer.client.ui import SilentUI
from nodealer.engine.commands import AgreeToRoster, Command, ProposeRoster, ProposeSession
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.store import PlayerStore
from nodealer.log.roster import Roster
from nodealer.relay.limits import LOCAL_LIMITS, RelayLimits
from nodealer.relay.sealing import TableSecret
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.memory import MemoryStore

SECRET = TableSecret(bytes(16), "0" * 32, 0)


def without_last(one: Participant) -> Roster:
    return Roster(one.replica.state.roster.members[:-1])


class SealedCircle(Circle):
    """A circle whose participants have the keys of the table, and a new one when a seat leaves."""

    def __init__(self, seats: int = 3, *, secret: TableSecret = SECRET, **options: Any) -> None:
        self._secret = secret
        self._keyrings: dict[bytes, Keyring] = {}
        super().__init__(seats, **options)

    def sit(self, home: PlayerStore, **options: Any) -> Participant:
        key = self._secret if home.name else self._secret.read_key
        keys = self._keyrings[home.identity.public] = Keyring((key,), Source(f"keys of {home.name}"))
        return super().sit(home, **{"keys": keys} | options)

    def keyring_of(self, one: Participant) -> Keyring:
        return self._keyrings[one.store.identity.public]


class Passes:
    async def decide(self, question: Question) -> Decision:
        return TinyMove(False)


class Noting(SilentUI):
    """A front end that records what it shows."""

    def __init__(self, shown: list[TableEvent]) -> None:
        self.shown = shown

    def show(self, event: TableEvent) -> None:
        self.shown.append(event)


class Around:
    """A circle of participants over a relay.

    After the first hand the first player proposes a roster without the last one, and the second agrees.
    """

    def __init__(self, url: str, watchers: int = 1, *, circle: SealedCircle | None = None) -> None:
        self.circle = circle or SealedCircle(3, hands=2, watchers=watchers)
        self.told: dict[str, list[ConnectionEvent]] = {}
        self.ways: list[RelayTransport] = []
        #: What each of them was shown.
        self.shown: list[list[TableEvent]] = [[] for _ in self.circle.people]
        self.done: set[str] = set()
        for one in self.circle.people:
            name = one.store.name or "watcher"
            keys, lines = self.circle.keyring_of(one), self.told.setdefault(name, [])
            create = one.store.name is not None
            self.ways.append(
                RelayTransport(
                    one, keys, [url + name], entropy=Source(name), create=create, emit=lines.append, sleep=soon
                )
            )
        self.tasks = [
            asyncio.create_task(
                TableClient(
                    one,
                    way,
                    Noting(self.shown[place]),
                    Behaviour(Passes() if one.store.name else None, policies=[Changing(self, place)]),
                ).run()
            )
            for place, (one, way) in enumerate(zip(self.circle.people, self.ways, strict=True))
        ]

    def secret_of(self, one: Participant) -> TableSecret | None:
        """Return the secret with which a participant seals its frames."""
        return self.circle.keyring_of(one).write_secret(one)

    def once(self, what: str) -> bool:
        fresh = what not in self.done
        self.done.add(what)
        return fresh


class Changing:
    """Proposes the game and the roster without the last player, as the first one, and agrees, as the second."""

    def __init__(self, table: Around, place: int) -> None:
        self._table = table
        self._place = place

    def on_status(self, status: TableStatus) -> Iterator[Command]:
        table, one, state = self._table, self._table.circle.people[self._place], status.state
        lobby = status.lobby
        if self._place == 0 and lobby is not None and lobby.proposal is None and len(lobby.offers) == 3:
            if table.once("lobby"):
                yield ProposeSession(table.circle.proposal())
            return
        if state is None or status.is_catching_up or state.hand.number != 1:
            return
        if self._place == 0 and not state.proposed and not one.key_changes:
            # A frame may be on its way; then this is tried again.
            yield ProposeRoster(without_last(one))
        for proposal in state.proposed:
            if self._place == 1 and not status.unconfirmed and table.once("agree"):
                yield AgreeToRoster(proposal)


async def soon(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.002))


@asynccontextmanager
async def real(limits: RelayLimits = LOCAL_LIMITS) -> AsyncIterator[str]:
    async with serve_relay(MemoryStore(lambda: 0.0), entropy=Source("relay"), limits=limits) as relay:
        yield f"ws://127.0.0.1:{relay.port}/"


def over(relay: Callable[[], Any], work: Callable[[Around], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), relay() as url:
            table = Around(url)
            try:
                await work(table)
            finally:
                for task in table.tasks:
                    task.cancel()
                await asyncio.gather(*table.tasks, return_exceptions=True)

    asyncio.run(run())
