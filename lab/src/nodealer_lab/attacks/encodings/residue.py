"""The dealer makes cards of which some are squares and some are not. To whatever odd power they are raised, that stays
so: it sees of every card in the shuffled deck to which half it belongs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from nodealer.group import Points
from nodealer.group.integers import is_square
from nodealer.group.modp import P
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, seeded
from nodealer_lab.attacks.shuffles.dealing import FOR_TWO
from nodealer_lab.attacks.stage import Stage

#: Raised to an even power all are squares: this is a game in which nobody does that. One in some ten is.
SEED: Final = 1


def _shuffled(state: TableState) -> bool:
    """All have shuffled, and nobody has drawn."""
    decks: Any = state.hand.decks
    return any(len(deck.layers) == len(deck.order) for deck in decks.values())


def _plays(scene: Scene) -> Came:
    stage = Stage(replace(scene, entropy=seeded(SEED, "residue")))
    shuffled = stage.until(_shuffled)
    return stage.came(_gain(stage) if shuffled else None)


def _gain(stage: Stage) -> str | None:
    """What it sees of each place is held against the card that lies there."""
    deck: Any = stage.state().hand.decks[0]
    made = deck.made(stage[deck.dealer].seat._tape(0), deck.candidate)
    lies = list(range(deck.size))
    for index, seat in enumerate(deck.order[1:], 1):
        lies = [lies[place] for place in deck.own(stage[seat].seat._tape(0), index).prior]
    known, sees = _squares(made.cards), _squares(deck.layers[-1].cards.numbers)
    if all(sees) or [known[place] for place in lies] != sees:
        return None
    return "knows of every card in which half of the deck it is"


def _squares(numbers: Points) -> list[bool]:
    return [is_square(int.from_bytes(numbers[place].to_bytes(), "big"), P) for place in range(len(numbers))]


CLAIM: Final = Cheat("cards that are squares and cards that are none, told apart in the shuffled deck", "never", False)
RESIDUE: Final = Attack(
    name="residue",
    does="makes cards that are squares and cards that are none, and tells them apart in the shuffled deck",
    of=("A1",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=0,
            game=FOR_TWO,
            # What is no square is no number of the group: the dealer draws another nonce, and nobody takes one.
            defence=(Without("nodealer.group.modp:_decode", " or not is_square(value, P)"),),
        ),
        CLAIM,
    ),
    tried_on=("chain",),
    in_mode={"chain": b'{"deck":"dealer","proven":false}'},
)
