"""Who sees first that the dice fell badly leaves, so that its friends roll again without it."""

from __future__ import annotations

from typing import Final

from nodealer.cheats.cheater import Cheater
from nodealer.games.free.rules import Roll
from nodealer.play.bodies import Leave
from nodealer.play.participant import Participant
from nodealer.protocols.base import Cheat
from nodealer.protocols.dice import OPEN, Dice
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import free_stage
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


class _Silent(Cheater):
    """Opens nothing."""

    def due(self) -> list[bytes]:
        mine = self.replica.state.duties.of(self.seat.number).values() if self.seated else ()
        return [] if any(known.duty.kind == OPEN for known in mine) else super().due()


def _plays(scene: Scene) -> Came:
    """All others have opened their shares: it knows the numbers, and nobody else does. Then it leaves."""
    stage = free_stage(ROLLED_AGAIN, scene, each=0, maker=_Silent)
    stage.asks(0, Roll(1, (6, 6)))
    stage.says(scene.cheater, Leave())
    stage.end()
    rolled = _numbers(stage[0])
    return stage.came("has the others roll again without it" if rolled else None)


def _numbers(one: Participant) -> bool:
    """Whether there are numbers, though a share is missing for good."""
    return any(
        isinstance(deck, Dice) and len(deck.shares) == len(deck.seats) for deck in one.replica.state.hand.decks.values()
    )


CLAIM: Final = Cheat("a seat that leaves rather than open the dice, to have them rolled again", "never", False)
ROLLED_AGAIN: Final = Attack(
    name="rolled-again",
    does="leaves when it knows the dice, to have them rolled again",
    of=("A37", "A38"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.protocols.dice:Dice.without", "if self._all_in:", "if False:"),),
        ),
        CLAIM,
    ),
    # Elsewhere the hand is over when somebody leaves.
    tried_on=("mask", "lock"),
)
