"""A seat copies another one's commitment to the dice, and opens what the other has opened."""

from __future__ import annotations

from typing import Final

from nodealer.games.free.rules import Roll
from nodealer.protocols.base import Cheat
from nodealer.protocols.dice import COMMIT, OPEN, Dice, RollCommit, RollOpen
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import free_stage, lies
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

VICTIM: Final = 0


def _commit(moment: Moment) -> bytes:
    copied = moment.deck.commitments.get(VICTIM)
    return moment.honest if copied is None else encode(RollCommit(copied))


def _open(moment: Moment) -> bytes:
    copied = moment.deck.shares.get(VICTIM)
    return moment.honest if copied is None else encode(RollOpen(copied))


def _plays(scene: Scene) -> Came:
    """It has added nothing of its own, and knows no less than who did."""
    stage = free_stage(COPIED_DICE, scene, each=0)
    stage.asks(0, Roll(1, (6, 6)))
    dice = [one for state in stage.states() for one in state.hand.decks.values() if isinstance(one, Dice)]
    same = any(one.shares.get(VICTIM) == one.shares.get(scene.cheater) for one in dice if one.shares)
    return stage.came("rolls with another seat's share" if same else None, lies(stage, scene.cheater))


CLAIM: Final = Cheat("another seat's commitment to the dice", "at opening", True)
COPIED_DICE: Final = Attack(
    name="copied-dice",
    does="copies another seat's commitment to the dice",
    of=("A37",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {COMMIT: _commit, OPEN: _open},
            late=(COMMIT, OPEN),
            plays=_plays,
            defence=(
                Without("nodealer.protocols.dice:Dice._commitment", "self.origin, seat, share", "self.origin, share"),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
