"""Practice against bots inside a browser: one worker runs all the bots and puts the frames in order.

The person's seat is in another worker. The two exchange frames as everywhere else. Nothing is sealed, because nothing
leaves the browser.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from functools import partial

from nodealer.client.agents import BotAgent
from nodealer.client.setup import TableSetup, table_setup
from nodealer.client.transport import Connected, Event
from nodealer.engine.commands import ProposeSession
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter
from nodealer.games.registry import DEFAULT_GAME, find_game
from nodealer.keys import KEY_BYTES, Identity
from nodealer.proofs.checks import Entropy
from nodealer.tape import ROOT_BYTES
from nodealer.web import messages as doc
from nodealer.web.tab.setup import game_here, game_offer, games_here


def offers(name: str) -> doc.Offers:
    """Return what can be practised here."""
    first = find_game(DEFAULT_GAME)
    return doc.Offers(tuple(map(game_offer, games_here())), (), name, first.name, first.seats, first.hands)


def practice_setup(deal: doc.Deal) -> TableSetup:
    """Return the setup of the practice table that the page asks for. Raises `BadParameter` if it is not possible."""
    game = game_here(deal.game)
    if deal.cheat is not None:
        raise BadParameter("bots cannot cheat at this table")
    return table_setup(game, game.settled(deal.settings), seats=deal.seats, hands=deal.hands).with_bots(deal.name)


def practice_participant(setup: TableSetup, name: str, entropy: Entropy, *, by_person: bool = False) -> Participant:
    """Create a participant of a practice table, with a store that is lost when the page closes."""
    return Participant(
        MemoryPlayerStore(name, Identity(entropy(KEY_BYTES)), entropy(ROOT_BYTES)),
        entropy=entropy,
        accept=setup.expected.accept,
        stay_policy=stay_for_hands(setup.hands),
        parts=partial(resolve_parts, game=setup.game),
        by_person=by_person,
    )


class Bots:
    """All players but the person, and the order of frames.

    Runs one step at a time, so that the worker stays responsive.
    """

    def __init__(self, setup: TableSetup, entropy: Entropy, send: Callable[[bytes], None]) -> None:
        """Create the bots of a table. `send` passes a frame to the person's seat."""
        self._setup = setup
        self._send = send
        self._next_number = 0
        self._queue: deque[bytes] = deque()
        #: Whether the first bot has proposed the table, which it does once everyone is there.
        self._proposed = False
        bots = [practice_participant(setup, name, entropy) for name in setup.names[1:]]
        self._bots = [(bot, BotAgent(setup.game, bot.store.root)) for bot in bots]
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
        if self._proposed or not offers_by_name.keys() >= set(self._setup.names):
            return
        self._proposed = True
        members = [offers_by_name[name].as_member(seat) for seat, name in enumerate(self._setup.names)]
        self._queue.extend(first.command(ProposeSession(self._setup.proposal(members))))


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
