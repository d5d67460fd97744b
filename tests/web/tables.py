"""Whole games in this process, on pages: the same cards, moves and documents each time."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any

from conformance.harness import Source
from nodealer.client.agents import BotAgent
from nodealer.client.table_client import TableClient
from nodealer.client.transport import Event
from nodealer.engine.commands import ProposeSession
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant, StayPolicy
from nodealer.engine.resolve import create_proposal, resolve_parts
from nodealer.engine.store import MemoryPlayerStore
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.keys import Identity
from nodealer.protocols import make_protocol
from nodealer.web import messages as doc
from nodealer.web.page_ui import PageUI

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Isolde")
Act = Callable[[Participant], list[bytes]]


class NoTransport:
    """The tests pass on what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)

    def events(self) -> AsyncGenerator[Event, None]:
        raise AssertionError("the tests pass on what comes")


class Screen:
    """A participant's page, with a client that is driven step by step."""

    def __init__(self, one: Participant, ui: PageUI, clock: Callable[[], float]) -> None:
        self.ui, self._one, self._transport = ui, one, NoTransport()
        self._client = TableClient(one, self._transport, ui, clock=clock)

    def receive(self, frame: bytes, number: int) -> Received:
        """Receive a frame and show what it did."""
        self._client._received = number
        began = self._client._clock()
        step = self._one.receive(frame, number)
        self._client._check_seconds += self._client._clock() - began
        self.show(step)
        return step

    def show(self, step: Received) -> None:
        """Show what was received, and how the table stands then."""
        self._client._show_received(step)
        self._client._observe()

    def chat(self, *frames: bytes) -> None:
        """Show chat messages that have come."""
        self._client._chats += frames
        self._client._show_chats()

    def carry_out(self) -> list[bytes]:
        """Carry out what was clicked, and return what is sent."""

        async def all_commands() -> None:
            while not self.ui._commands.empty():
                await self._client._carry_out(self.ui._commands.get_nowait())

        asyncio.run(all_commands())
        self._client._observe()
        sent, self._transport.sent = self._transport.sent, []
        return sent


class Table:
    """Bots, of whom the first has a page that looks on; and one who watches, on a page of its own."""

    def __init__(
        self,
        game: str = "holdem",
        protocol: str = "mask",
        seats: int = 3,
        hands: int = 2,
        label: str = "page",
        package: GamePackage | None = None,
        stays: StayPolicy | None = None,
    ) -> None:
        self.source, self.package = Source(f"{label} {game}"), package or find_game(game)
        self.rules = self.package.from_settings(self.package.settled({}))
        self.protocol, self.seats = protocol, seats
        self.told: list[dict[str, Any]] = []
        self.watched: list[dict[str, Any]] = []
        self.time = 0.0
        homes = [MemoryPlayerStore(name, Identity(self.source(32)), self.source(32)) for name in (*NAMES[:seats], None)]
        rest: dict[str, Any] = {"entropy": self.source, "stay_policy": stays or stay_for_hands(hands)}
        rest["parts"] = partial(resolve_parts, game=self.package)
        self.people = [Participant(home, by_person=home in (homes[0], homes[-1]), **rest) for home in homes]
        self.screens = [self.screen(self.people[0], self.told), self.screen(self.people[-1], self.watched)]
        self.pages = [screen.ui for screen in self.screens]
        self.waiting: deque[bytes] = deque(frame for one in self.people for frame in one.resend())
        self.frames: list[bytes] = []
        #: The faces that each seat has held, by hand.
        self.held: dict[tuple[int, int], set[int]] = {}

    def screen(self, one: Participant, told: list[dict[str, Any]]) -> Screen:
        """Return the page of a participant. What it is told is added to `told`."""
        output = lambda message: told.append(json.loads(doc.encode_message(message)))  # noqa: E731
        return Screen(one, PageUI(output, self.clock, store=one.store), self.clock)

    def clock(self) -> float:
        self.time += 0.001
        return self.time

    def play(self, decide: Act | None = None, steps: int = 100_000, others: Act | None = None) -> None:
        """Play until no one has anything to say. `decide` acts for the first player, `others` for all others; bots do
        where they are not given."""
        minds = {one: BotAgent(self.package, one.store.root) for one in self.people if one.store.name is not None}
        for _ in range(steps):
            if not self.waiting:
                self._propose()
                for one, mind in minds.items():
                    if one.has_session and not one.is_over:
                        answer = (decide if one is self.people[0] else others) or mind.act
                        self.waiting.extend(answer(one))
            if not self.waiting:
                return
            frame = self.waiting.popleft()
            self.frames.append(frame)
            for one in self.people:
                screen = {self.people[0]: self.screens[0], self.people[-1]: self.screens[1]}.get(one, one)
                self.waiting.extend(screen.receive(frame, len(self.frames) - 1).send)
            self._note()

    def _propose(self) -> None:
        first = self.people[0]
        if not first.has_session and first.lobby.proposal is None and len(first.offers) == self.seats:
            members = [offer.as_member(seat) for seat, offer in enumerate(first.offers)]
            self.waiting.extend(
                first.command(ProposeSession(create_proposal(self.rules, make_protocol(self.protocol, b"{}"), members)))
            )

    def _note(self) -> None:
        for one in self.people[:-1]:
            if one.has_session and one.has_seat:
                view = one.view()
                if view.cards:
                    self.held.setdefault((view.hand, view.seat), set()).update(view.cards.values())
