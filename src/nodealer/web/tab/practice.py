"""Practice against bots inside a browser: one worker runs all the bots and puts the frames in order.

The person's seat is in another worker. The two exchange frames as everywhere else. Nothing is sealed, because nothing
leaves the browser.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Final

from msgspec import Raw

from nodealer.client.agents import BotAgent
from nodealer.client.loop import Connected, Event
from nodealer.client.setup import game_setup
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.lobby import Expected
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import create_proposal, resolve_parts
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.games.registry import DEFAULT_GAME, OURS, find_game
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.log.session import Part
from nodealer.proofs.checks import Entropy
from nodealer.tape import ROOT_BYTES
from nodealer.web import messages as doc
from nodealer.web.tab.setup import game_offer, games_here

NAMES: Final = ("Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")


def offers(name: str) -> doc.Offers:
    """Return what can be practised here."""
    first = find_game(DEFAULT_GAME)
    return doc.Offers(tuple(map(game_offer, games_here())), (), name, first.name, first.seats, first.hands)


class PracticePlan:
    """A practice table, with what every player there expects. Raises `BadParameter` if it is not possible."""

    def __init__(self, deal: doc.Deal) -> None:
        """Check the page's request for a practice table. Raises `BadParameter`."""
        if deal.game not in OURS:
            raise BadParameter(f"{deal.game} is not available here")
        if deal.cheat is not None:
            raise BadParameter("bots cannot cheat at this table")
        self.game: GamePackage = find_game(deal.game)
        refuse_bad_name(deal.name, "your name")
        others = NAMES[: deal.seats - 1]
        if any(casefold_name(other) == casefold_name(deal.name) for other in others):
            raise BadParameter(f"{deal.name} is the name of a bot at this table: choose another name")
        setup = game_setup(self.game, self.game.settled(deal.settings))
        setup.refuse_seats(deal.seats)
        self.rules, self.protocol = setup.rules, setup.protocol
        self.hands, self.names = deal.hands, (deal.name, *others)
        self.expected = Expected(
            Part(self.rules.name, self.rules.version, Raw(self.rules.parameters)),
            Part(self.protocol.claims.name, self.protocol.claims.version, Raw(self.protocol.parameters)),
            self.rules.versions,
            self.names,
            self.hands,
        )

    def create_participant(
        self, name: str, entropy: Entropy, make: Callable[..., Participant] = Participant
    ) -> Participant:
        """Create a participant for this table, with a store that is lost when the page closes."""
        return make(
            MemoryPlayerStore(name, Identity(entropy(KEY_BYTES)), entropy(ROOT_BYTES)),
            entropy=entropy,
            accept=self.expected.accept,
            stay_policy=stay_for_hands(self.hands),
            parts=partial(resolve_parts, game=self.game),
        )


class Bots:
    """All players but the person, and the order of frames.

    Runs one step at a time, so that the worker stays responsive.
    """

    def __init__(self, plan: PracticePlan, entropy: Entropy, send: Callable[[bytes], None]) -> None:
        """Create the bots of the plan. `send` passes a frame to the person's seat."""
        self._plan = plan
        self._send = send
        self._next_number = 0
        self._queue: deque[bytes] = deque()
        #: Whether the first bot has proposed the table, which it does once everyone is there.
        self._proposed = False
        bots = [plan.create_participant(name, entropy) for name in plan.names[1:]]
        self._bots = [(bot, BotAgent(plan.game, bot.store.root)) for bot in bots]
        for bot in bots:
            self._queue.extend(bot.resend(0))

    def receive(self, frame: bytes) -> None:
        """Take a frame from the person's seat."""
        self._queue.append(frame)

    def step(self) -> bool:
        """Deliver the next frame, or let one bot act. Returns whether there was anything to do."""
        if self._queue:
            frame, number = self._queue.popleft(), self._next_number
            self._next_number += 1
            self._send(frame)
            for bot, _ in self._bots:
                self._queue.extend(bot.receive(frame, number).send)
            self._propose()
            return True
        for bot, agent in self._bots:
            if bot.has_session and (frames := agent.act(bot)):
                self._queue.extend(frames)
                return True
        return False

    def _propose(self) -> None:
        """Let the first bot propose the table, once everyone is there."""
        first = self._bots[0][0]
        offers_by_name = {offer.name: offer for offer in first.offers}
        if self._proposed or not offers_by_name.keys() >= set(self._plan.names):
            return
        self._proposed = True
        members = [offers_by_name[name].as_member(seat) for seat, name in enumerate(self._plan.names)]
        plan = self._plan
        self._queue.extend(first.propose(create_proposal(plan.rules, plan.protocol, members, hands=plan.hands)))


class BotTransport:
    """The transport from a seat to the bots in the other worker."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        """Pass the seat's frames to the bots with `send`."""
        self._send = send
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()

    async def send(self, frame: bytes) -> None:
        """Send a frame to the bots, who put it in order."""
        self._send(frame)

    def receive(self, frame: bytes) -> None:
        """Take the next frame of the table."""
        self._queue.put_nowait(frame)

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield every frame, from the first one on."""
        yield Connected(0)
        while True:
            yield await self._queue.get()
