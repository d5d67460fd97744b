"""Lock tables for tests: seats that leave, hold'em, a seat that is played by hand, and what must be true."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from conformance.harness import Game, Source, Table
from nodealer.cards.operations import Operation, Portion
from nodealer.engine.bodies import Cards
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.seat import Seat
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Raise, ShowHand
from nodealer.games.holdem.rules import Holdem
from nodealer.group import Group, Points, Scalars, concat
from nodealer.protocols.base import Duty
from nodealer.protocols.keyed_deck import Releasing
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.community import Picking, ServerPicking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.stages import Idle
from nodealer.tape import Tape

from ..script import LastingRules

A = TypeVar("A", Points, Scalars)
Forge = Callable[[LockDeck, Duty, Tape, bytes], bytes]

SERVER: Final = b'{"community":"server"}'


def scripted(
    group: Group,
    *script: Sequence[Operation],
    seats: int = 3,
    seed: str = "lock",
    hands: int = 1,
    parameters: bytes = b"{}",
    roles: Mapping[int, str] | None = None,
) -> Table:
    """A table that has not begun to play a script."""
    rules = LastingRules.of(script)
    return Table(Lock(parameters, on=group), rules, seats=seats, seed=seed, hands=hands, roles=roles)


def portions(seats: Iterable[int], count: int = 1) -> tuple[Portion, ...]:
    return tuple(Portion(seat, count) for seat in seats)


# --- Hold'em ---


def plays_on(source: Source) -> Callable[[Seat, Duty], bytes | None]:
    """Calls most of the time, raises or folds now and then, shows whenever it may."""

    def decide(seat: Seat, duty: Duty) -> bytes | None:
        game = seat.replica.state.hand.game
        if duty.deck is not None or duty.kind != "move" or not isinstance(game, Hand):
            return None
        legal, whim = game.legal(seat.number), source.below(12)
        if legal.show:
            return seat.move(ShowHand())
        if whim == 0 and legal.raise_from is not None:
            return seat.move(Raise(legal.raise_from))
        if whim == 1 and legal.fold:
            return seat.move(Fold())
        return seat.move(Call())

    return decide


def holdem(
    group: Group, seats: int, seed: str, *, parameters: bytes = b"{}", roles: Mapping[int, str] | None = None
) -> Table:
    protocol = Lock(parameters, on=group)
    return Table(protocol, Holdem(), seats=seats, seed=seed, decide=plays_on(Source(seed)), roles=roles)


# --- Looking ---


def deck_of(game: Game | Replica) -> LockDeck:
    deck = game.state.hand.decks[0]
    assert isinstance(deck, LockDeck)
    return deck


#: The stages in which every card is somewhere.
RESTING: Final = (Idle, Releasing, Picking, ServerPicking)


# --- Messages ---


def points_in(message: Mapping[str, Any]) -> list[bytes]:
    """The points of a message that are no proof's."""
    text = b"".join(base64.b64decode(message[name]) for name in ("key", "keys", "cards", "points") if name in message)
    return [] if message["type"] == "release" else [text[at : at + 32] for at in range(0, len(text), 32)]


def at_place(points: A, index: int, point: A) -> A:
    """An array with one element replaced."""
    before, after = points[:index] if index else None, points[index + 1 :] if index + 1 < len(points) else None
    return concat(*(part for part in (before, point, after) if part is not None))


# --- A seat that is played by hand ---


def take_over(game: Table, seat: int) -> None:
    """From now on a seat says only what the test lets it say."""
    game.pending = [data for data in game.pending if game.signer(data) != seat]
    game.silent.add(seat)
    del game.seats[seat]


def owed_by(game: Table, seat: int, step: str) -> Duty:
    return next(d.duty for d in game.state.duties.open.values() if (d.duty.seat, d.duty.kind) == (seat, step))


def say(game: Table, seat: int, step: str, message: bytes | None = None) -> Outcome | None:
    """A message of a seat that was taken over: the honest one if none is given."""
    duty, deck = owed_by(game, seat, step), deck_of(game)
    if message is None:
        message = deck.message(duty, game.tape(seat, game.state.hand.number))
    return game.order(game.by_hand(seat, Cards(duty.id, msgspec.Raw(message)), game.replica()))
