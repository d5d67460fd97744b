"""Who sees the next card of the board first leaves instead of opening it, to have another one dealt, at no price."""

from __future__ import annotations

from typing import Final

from nodealer.cards import Half, Open
from nodealer.games.found import find
from nodealer.play.bodies import Leave
from nodealer.play.participant import Participant
from nodealer.play.state import TableState
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage


def opening(state: TableState) -> bool:
    """A card of the board is being opened."""
    return any(isinstance(getattr(deck, "asked", None), Open) for deck in state.hand.decks.values())


class Waits(Participant):
    """Publishes no key of the board."""

    def due(self) -> list[bytes]:
        return [] if self.begun and opening(self.replica.state) else super().due()


def _plays(scene: Scene) -> Came:
    """The others have published theirs: it knows the card, and they do not."""
    stage = Stage(scene, seats=3, makers={scene.cheater: Waits})
    stage.end()
    state = stage.state()
    left = {half for deck in state.hand.decks.values() for seat, half in deck.half.items() if seat == scene.cheater}
    stage.says(scene.cheater, Leave())
    stage.end()
    charged = stage.state().chronicle.records[0].charged.get(scene.cheater, 0)
    free = Half.OPENED in left and not charged
    return stage.came("takes a card of the board back and pays nothing for it" if free else None)


CLAIM: Final = Cheat("a seat that leaves rather than open a card that it has seen, at no price", "never", False)
PRICE: Final = Attack(
    name="price",
    does="leaves rather than open a card that it has seen",
    of=("A36", "A38"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=2,
            game=find("holdem"),
            defence=(Without("nodealer.play.law:_left", "hand = _charged(hand, seats)"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "offset"),
)
