"""Lock tables for tests: seats that leave, hold'em, a seat that is played by hand, and what must be true."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from conformance.harness import Game, Source
from nodealer.cards import Operation, Portion
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Raise, ShowHand
from nodealer.games.holdem.rules import Holdem
from nodealer.group import Group, Points, Scalars, concat
from nodealer.play.bodies import Cards
from nodealer.play.phases import Phase
from nodealer.play.replica import Outcome, Replica
from nodealer.play.seat import Seat
from nodealer.protocols.base import Duty
from nodealer.protocols.keyed import Releasing
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.picking import Picking, ServerPicking
from nodealer.protocols.staged import Idle
from nodealer.tape import Tape

from ..kit import Table
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


# --- Leaving ---


def leave(game: Table, seats: Iterable[int]) -> None:
    """Seats say nothing any more, and all others say that they go on without them.

    Each of those first sends what it has signed; and what it owes after its word it signs at once, so that it crosses
    with the last word.
    """
    leavers = sorted(seats)
    game.silent |= set(leavers)
    pending, game.pending = [data for data in game.pending if game.signer(data) not in leavers], []
    for seat in game.present:
        for data in [data for data in pending if game.signer(data) == seat.number]:
            assert game.order(data) in (Outcome.ACCEPTED, Outcome.DROPPED)
        assert game.order(seat.without(leavers)) is Outcome.ACCEPTED
        if seat is not game.present[-1]:
            game.pending += seat.due()


def playing(game: Game) -> bool:
    return game.state.phase is Phase.PLAYING


Plan = Sequence[tuple[int, tuple[int, ...]]]


def play_leaving(game: Table, plan: Plan) -> Table:
    """Play to the end; when the log has so many entries (and a hand is on), these seats leave. Leaves cards checked."""
    for height, leavers in plan:
        game.play(until=lambda game: len(game.log) >= height and playing(game))
        if playing(game):
            leave(game, leavers)
    game.play()
    ends_well(game)
    return game


def ends_well(game: Game) -> None:
    """The table has come to its end, nobody is blamed, and all replicas agree however they settle."""
    state = game.state
    assert state.fault is None
    assert state.phase in (Phase.ENDED, Phase.BETWEEN), state.phase
    assert len(state.results) == game.hands
    assert Outcome.FAULT not in game.outcomes
    eager, lazy = game.replica(), game.replica(eager=False)
    lazy.settle()
    assert game.digests() == {eager.digest()} == {lazy.digest()}


# --- What must be true of a deck ---


def deck_of(game: Game | Replica) -> LockDeck:
    deck = game.state.hand.decks[0]
    assert isinstance(deck, LockDeck)
    return deck


def true_faces(deck: LockDeck, tapes: Mapping[int, Tape], positions: Iterable[int]) -> dict[int, int]:
    """Position to face, with everybody's tape, those who left too."""
    chosen, faces = tuple(positions), dict[int, int]()
    for seats in {deck.masked_by(position) for position in chosen}:
        here = tuple(position for position in chosen if deck.masked_by(position) == seats)
        secrets = {seat: deck.card_secrets(tapes[seat], here, seat) for seat in seats}
        found = zip(here, deck.faces_at(here, secrets), strict=True)
        faces |= {position: face for position, face in found if face is not None}
    return faces


def union_is_whole(game: Game) -> bool:
    """Open, held, laid aside and in the pile: every face exactly once. Says whether there was anything to count."""
    if not playing(game) or 0 not in game.state.hand.decks:
        return False
    deck = deck_of(game)
    if not deck.layers or not isinstance(deck.stage, Idle | Releasing | Picking | ServerPicking):
        return False
    places = deck.places
    tapes = {seat: game.tape(seat, game.state.hand.number) for seat in game.seats}
    positions = {*places.pile, *places.held, *places.aside, *places.opened}
    faces = true_faces(deck, tapes, positions)
    assert sorted(faces.values()) == list(range(deck.size))
    assert all(faces[position] == face for position, face in places.opened.items())
    assert not {*places.held.values(), *places.aside.values()} & game.silent
    return True


def nothing_is_shown(deck: LockDeck) -> None:
    """No holder has published the secret of a card that is not open."""
    for position, seat in (*deck.places.held.items(), *deck.places.aside.items()):
        if deck.places.face(position) is None:
            assert seat not in deck.released.get(position, {})


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


def say(game: Table, seat: int, step: str, message: bytes | None = None) -> Outcome:
    """A message of a seat that was taken over: the honest one if none is given."""
    duty, deck = owed_by(game, seat, step), deck_of(game)
    if message is None:
        message = deck.message(duty, game.tape(seat, game.state.hand.number))
    return game.order(game.by_hand(seat, Cards(duty.id, msgspec.Raw(message)), game.replica()))
