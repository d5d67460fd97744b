"""A seat that owes two things gives one of them, to have what was said of the other forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nodealer.cards import NewDeck, Operation
from nodealer.games.base import Game
from nodealer.play.bodies import Without
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, playing
from nodealer_lab.sim.highcard import HighCard, HighHand


@dataclass(frozen=True)
class _TwoDecksHand(HighHand):
    def _dealing(self) -> tuple[Operation, ...]:
        return NewDeck(1, self.cards), *super()._dealing()


class _TwoDecks(HighCard):
    """The small game, with a second deck that nobody needs: both are made at once."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        """As without it."""
        return _TwoDecksHand(**vars(super().begin(hand, seats, before, chips)))


def _plays(scene: Scene) -> Came:
    """All wait for what it owes of both decks. One of the others has said that it would not wait for either; then one
    of the two comes, and the last of the others says it of what is missing."""
    stage = Stage(scene, rules=_TwoDecks())
    stage.holds = lambda state: {scene.cheater} if playing(state) else ()
    stage.end()
    stage.says(1, Without(owed_by(stage.state(), scene.cheater)))
    stage.end()
    fed, _ = stage.take_held()
    stage.say([fed])
    # Who owes cards itself has no word: all others give theirs first.
    stage.end()
    stage.says(2, Without(owed_by(stage.state(), scene.cheater)))
    stage.end()
    waits = stage.state().phase is Phase.PLAYING and scene.cheater not in stage.state().gone
    return stage.came("keeps the others waiting, and feeds them now and then" if waits else None, seat=1)


CLAIM: Final = Cheat("a seat that owes two things, and gives one to have the other forgotten", "never", False)
STARVED: Final = Attack(
    name="starved",
    does="gives one of two things that it owes, to have what was said of the other forgotten",
    of=("A41",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=0,
            # What was said of a duty is void when that duty closes, and only then.
            defence=(
                defence.Without(
                    "nodealer.play.steps:_cards",
                    "state.with_hand(deeds",
                    "state.with_hand(votes={one: frozenset(id for id in of if state.duties.open[id].duty.seat "
                    "!= origin.seat) for one, of in state.hand.votes.items()}, deeds",
                ),
            ),
        ),
        CLAIM,
    ),
    # In a duel one word is half of the table: there is nobody to say it twice.
    tried_on=("mask", "lock", "offset", "chain"),
)
