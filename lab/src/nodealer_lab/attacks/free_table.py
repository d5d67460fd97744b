"""A table without rules, at which an attack requests the operations that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from nodealer.cards.operations import WITHOUT_CARDS, Card
from nodealer.cheats.cheater import Cheater
from nodealer.engine.store import MemoryPlayerStore
from nodealer.games.free.rules import OPERATIONS, DealCards, Free, Shuffle
from nodealer.games.registry import find_game
from nodealer.group import Points
from nodealer_lab.attacks.base import Attack, SignedMoment
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, is_playing

#: A small deck is made quickly.
CARDS: Final = 8


def open_free_table(
    attack: Attack | None,
    scene: Scene,
    *,
    seats: int = 3,
    maker: Any = Cheater,
    stores: Mapping[int, MemoryPlayerStore] | None = None,
) -> AttackTable:
    """Open a table without a deck. The scene's cheater carries out the attack, if it is one of a seat."""
    rules = Free(CARDS, frozenset(OPERATIONS) & (scene.protocol.claims.operations | WITHOUT_CARDS))
    makers = {} if attack is None else {scene.cheater: partial(maker, attack=attack)}
    free = replace(scene, game=find_game("free"))
    stage = AttackTable(free, seats=seats, makers=makers, rules=rules, stores=stores, bots=False)
    stage.run_until(is_playing)
    return stage


def deal_free_table(
    attack: Attack | None, scene: Scene, *, seats: int = 3, each: int = 2, **options: Any
) -> AttackTable:
    """Open a table with a shuffled deck and deal this many cards to each hand."""
    stage = open_free_table(attack, scene, seats=seats, **options)
    stage.play_move(0, Shuffle(0, CARDS))
    if each:
        stage.play_move(0, DealCards(0, tuple((seat, each) for seat in range(seats))))
    return stage


def lies_of(stage: AttackTable, seat: int) -> list[bytes]:
    """Return the entries of a cheater that an honest player would not have signed."""
    one = stage[seat]
    return one.lies if isinstance(one, Cheater) else []


def hand_of(stage: AttackTable, seat: int) -> dict[int, int]:
    """Return the cards in a seat's hand as its own program reads them: position to face."""
    places = stage.state(seat).hand.decks[0].places
    return {
        card.position: face
        for card, face in stage[seat].seat.known_cards().items()
        if places.owner(card.position) == seat
    }


def face_of(moment: SignedMoment, position: int) -> int:
    """Return the face of the cheater's card at this position."""
    known: Mapping[Card, int] = moment.deck.knows(moment.duty.seat, moment.tape)
    return next(face for card, face in known.items() if card.position == position)


def face_not_held(moment: SignedMoment) -> Points:
    """Return the point of a face that the cheater does not hold."""
    mine = set(moment.deck.knows(moment.duty.seat, moment.tape).values())
    points: Points = moment.deck.face_points((next(face for face in range(CARDS) if face not in mine),))
    return points


def without_proof_check(function: str) -> RemovedDefence:
    """Return the removal of one step's check of the proof that a card stays the same."""
    return RemovedDefence(
        function,
        "linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)",
        'linear.Check(duty.seat, "no proof", '
        "(linear.Equation.sum((deck.binding.group.integers([0]), deck.binding.group.G)),))",
    )
