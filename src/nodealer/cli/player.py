"""One player at a table that a relay carries: the loop between a connection and a seat.

Run as a program (`python -m nodealer.cli.player`) it is a bot in a process of its own; what it needs to know comes as
one line of JSON on standard input.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

from nodealer.cards import Peek
from nodealer.cli.entropy import system_entropy
from nodealer.cli.games import game_of
from nodealer.errors import BadSignature, CardUnreadable, DecodeError, EntryRefused, NodealerError, RelayError
from nodealer.games.package import GamePackage
from nodealer.games.view import View
from nodealer.keys import Identity
from nodealer.log.journal import MemoryJournal
from nodealer.log.session import NONCE_BYTES
from nodealer.play.config import config_of
from nodealer.play.lobby import Accept, Entrant, Expected, Lobby
from nodealer.play.phases import Phase
from nodealer.play.seat import Seat
from nodealer.play.state import TableState
from nodealer.play.view import peek_of, view_of
from nodealer.relay.client import RelayClient, connect_to
from nodealer.tape import ROOT_BYTES
from nodealer.wire import Message, decode, encode

#: Makes a person's or a bot's move. May take its time.
Mover = Callable[[View], Awaitable[Message]]
#: Makes a private choice about cards.
Chooser = Callable[[View, Peek], Awaitable[tuple[int, ...]]]
Watcher = Callable[[Seat, bytes], None]


class BotOrder(Message, frozen=True):
    """What a bot's process is told."""

    url: str
    name: str
    hands: int
    #: What it has come to play, and where that is found.
    expected: Expected
    game: str


def wants_another(state: TableState, hands: int) -> bool:
    """Whether to begin the next hand: not after the last one, and not when one player has all the chips."""
    if state.over or state.hand.number >= hands:
        return False
    sitting = [seat for seat in state.roster.with_cards if seat in state.present]
    if state.config.rules.stake:
        sitting = [seat for seat in sitting if state.account.chips[seat] > 0]
    return len(sitting) >= state.config.protocol.claims.seats[0]


async def sit(
    client: RelayClient,
    name: str,
    hands: int,
    accept: Accept,
    game: GamePackage,
    mover: Mover,
    chooser: Chooser,
    watch: Watcher | None = None,
) -> Seat:
    """Play at the relay's table until it ends or stops."""
    key = Identity(system_entropy(32))
    me = Entrant(key, name, system_entropy(NONCE_BYTES), accept)
    lobby = Lobby(me)
    await client.send(me.offer)
    seat: Seat | None = None
    async for frame in client.frames():
        if seat is not None:
            receive(seat, frame)
            if watch is not None:
                watch(seat, frame)
        else:
            for answer in lobby.receive(frame):
                await client.send(answer)
            if lobby.session is None or lobby.seat is None:
                continue
            seat = Seat(
                config_of(lobby.session, game=game),
                lobby.seat,
                root=system_entropy(ROOT_BYTES),
                key=key,
                journal=MemoryJournal(),
                entropy=system_entropy,
            )
        await _act(client, seat, hands, mover, chooser)
        if seat.replica.state.phase is Phase.ENDED or seat.number in seat.replica.state.expelled:
            return seat
    raise RelayError("the relay ended before the game did")


def receive(seat: Seat, frame: bytes) -> None:
    """Take a frame; what is not acceptable is not part of the log, whoever sent it."""
    try:
        seat.receive(frame)
    except (EntryRefused, BadSignature, DecodeError):
        return


async def _act(client: RelayClient, seat: Seat, hands: int, mover: Mover, chooser: Chooser) -> None:
    state = seat.replica.state
    if state.phase is Phase.BETWEEN:
        seat.stays = wants_another(state, hands)
    for data in seat.due():
        await client.send(data)
    if all(duty.optional for duty in seat.open_duties):
        return
    try:
        view = view_of(seat)
    except CardUnreadable as unreadable:
        # Once: what comes of it is for the table to say. The open books, which cost the whole hand, are for a person.
        if not seat.disputes:
            await client.send(seat.claim(unreadable))
        return
    for duty in seat.to_choose:
        seat.choose(duty, encode(await chooser(view, peek_of(seat, duty))))
        for data in seat.due():
            await client.send(data)
    if seat.must_move:
        await client.send(seat.move(await mover(view)))


async def _play(player: BotOrder) -> int:
    game = game_of(player.game)
    bot = game.new_bot(system_entropy)

    async def move(view: View) -> Message:
        return bot.move(view)

    async def choose(view: View, peek: Peek) -> tuple[int, ...]:
        return bot.choose(view, peek)

    async with connect_to(player.url) as client:
        seat = await sit(client, player.name, player.hands, player.expected.accept, game, move, choose)
    return 1 if seat.replica.state.faults else 0


def main() -> int:
    """A bot. Ends with 0 when the game ended, 1 when a fault stopped it, 2 when it could not or would not play, 4 when
    the relay went away."""
    try:
        player = decode(BotOrder, sys.stdin.buffer.readline().strip(), what="the order")
        return asyncio.run(_play(player))
    except KeyboardInterrupt:
        return 130
    except RelayError:
        return 4
    except NodealerError as error:
        from nodealer.cli.exits import UNJUDGED, explain  # late: what prints takes its time, and most bots say nothing

        explain(error)
        return UNJUDGED


if __name__ == "__main__":
    raise SystemExit(main())
