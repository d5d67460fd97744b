"""Whole games in this process, on pages: the same cards, moves and documents each time."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.harness import Source
from nodealer.client.agents import BotAgent
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant, StayPolicy
from nodealer.engine.resolve import create_proposal, resolve_parts
from nodealer.engine.store import MemoryPlayerStore
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game
from nodealer.keys import Identity
from nodealer.protocols import make_protocol
from nodealer.web import messages as doc
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Isolde")
Act = Callable[[Participant], list[bytes]]


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
        self.pages = [self._page(self.told), self._page(self.watched)]
        homes = [MemoryPlayerStore(name, Identity(self.source(32)), self.source(32)) for name in (*NAMES[:seats], None)]
        rest: dict[str, Any] = {"entropy": self.source, "stay_policy": stays or stay_for_hands(hands)}
        rest["parts"] = partial(resolve_parts, game=self.package)
        self.people: list[Participant] = [self.pages[0].create_participant(homes[0], **rest)]
        self.people += [Participant(home, **rest) for home in homes[1:-1]]
        self.people.append(self.pages[1].create_participant(homes[-1], **rest))
        self.see = [self.pages[0].observer_of(self.people[0]), self.pages[1].observer_of(self.people[-1])]
        self.waiting: deque[bytes] = deque(frame for one in self.people for frame in one.resend())
        self.frames: list[bytes] = []
        #: The faces that each seat has held, by hand.
        self.held: dict[tuple[int, int], set[int]] = {}

    def _page(self, told: list[dict[str, Any]]) -> PagePerson:
        return PagePerson(PageSeat(lambda one: told.append(json.loads(doc.encode_message(one))), self.clock), lambda: 1)

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
                step = one.receive(frame, len(self.frames) - 1)
                self.waiting.extend(step.send)
                if one in (self.people[0], self.people[-1]):
                    self.see[0 if one is self.people[0] else 1](step)
            self._note()

    def _propose(self) -> None:
        first = self.people[0]
        if not first.has_session and first.lobby.proposal is None and len(first.offers) == self.seats:
            members = [offer.as_member(seat) for seat, offer in enumerate(first.offers)]
            self.waiting.extend(
                first.propose(create_proposal(self.rules, make_protocol(self.protocol, b"{}"), members))
            )

    def _note(self) -> None:
        for one in self.people[:-1]:
            if one.has_session and one.has_seat:
                view = one.view()
                if view.cards:
                    self.held.setdefault((view.hand, view.seat), set()).update(view.cards.values())
