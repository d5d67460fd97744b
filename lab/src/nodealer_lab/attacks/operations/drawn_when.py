"""Cards are drawn one after the other, and shown later. Their places in the hand are in the log: whoever reads it knows
of each when it was drawn, and so for how long its holder had it and what it did meanwhile."""

from __future__ import annotations

from typing import Any, Final

from nodealer.games.free.rules import DealCards, ShowCards
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.operations.free import free_stage, hand
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage

HOLDER: Final = 1
DRAWN: Final = 6


def drawn_in_order(scene: Scene) -> tuple[Stage, list[int]]:
    """Somebody draws a card, and then another, and so on; and which faces these were, which only the holder knows."""
    stage = free_stage(None, scene, seats=2, each=0)
    for _ in range(DRAWN):
        stage.asks(HOLDER, DealCards(0, ((HOLDER, 1),)))
    return stage, [face for _, face in sorted(hand(stage, HOLDER).items())]


def shows_all(stage: Stage) -> None:
    """The holder shows its hand."""
    stage.asks(HOLDER, ShowCards(0, tuple(hand(stage, HOLDER))))


def places_in_time(stage: Stage) -> tuple[list[int], Any]:
    """From the log alone: the places that the holder's cards had, in the order in which they came; and the deck."""
    came, deck = dict[int, None](), None
    for state in stage.states():
        deck = state.hand.decks.get(0)
        came |= dict.fromkeys(() if deck is None else sorted(deck.places.hand(HOLDER)))
    return list(came), deck


def _plays(scene: Scene) -> Came:
    stage, true = drawn_in_order(scene)
    shows_all(stage)
    places, deck = places_in_time(stage)
    known = [deck.places.face(place) for place in places] == true
    return stage.came("knows of each card that Ben shows when he drew it" if known else None)


CLAIM: Final = Cheat("when a card was drawn that is shown, where no hand is shuffled", "never", False)
DRAWN_WHEN: Final = Attack(
    name="drawn-when",
    does="looks up when a card was drawn that is shown",
    of=("A47",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
    # A table without rules has no decks of one's own.
    tried_on=("mask", "lock", "offset", "chain"),
)
