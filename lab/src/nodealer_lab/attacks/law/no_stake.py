"""A seat that has folded waits until all others have published their keys of the next card, and knows it first.

It tells a friend who is still in the hand, or leaves if the friend would like another card.
"""

from __future__ import annotations

from typing import Any, Final

from nodealer.games.found import find
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.price import Waits, opening
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, seats=3, makers={scene.cheater: Waits})
    stage.until(to_move(scene.cheater))
    stage.say(stage[scene.cheater].move({"type": "fold"}))
    stage.end()
    state = stage.state(1)
    decks: list[Any] = [deck for deck in state.hand.decks.values() if opening(state)]
    others = set(range(3)) - {scene.cheater}
    first = any(others <= keys.keys() for deck in decks for at, keys in deck.released.items() if at in deck.places.pile)
    return stage.came("knows the next card first, with nothing at stake" if first else None, seat=1)


CLAIM: Final = Cheat("a seat without a stake that waits for the others' keys, to know a card first", "never", False)
NO_STAKE: Final = Attack(
    name="no-stake",
    does="folds, and waits for the others' keys, to know a card first",
    of=("A36",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=0,
            game=find("holdem"),
            defence=(
                Without(
                    "nodealer.cards:Open.in_turn",
                    "return tuple(seat for seat in waiting if group.get(seat, -1) == first)",
                    "return waiting",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock"),
)
