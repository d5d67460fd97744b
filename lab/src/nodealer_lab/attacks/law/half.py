"""Two of four would not wait for a third, and have its hand folded or its seat taken."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Without
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

VICTIM: Final = 1


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, seats=4)
    stage.until(to_move(VICTIM))
    owed = owed_by(stage.state(), VICTIM)
    for friend in (2, 3):
        stage.says(friend, Without(owed))
    stage.end()
    done = [one for one in stage.state().chronicle.statements if one.of == VICTIM]
    return stage.came("plays Ben's hand for him" if done else None)


CLAIM: Final = Cheat("half of the table that would not wait for a seat, where nobody keeps the time", "never", False)
HALF: Final = Attack(
    name="half",
    does="would not wait for a seat, with a friend, as half of the table",
    of=("A39",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                defence.Without("nodealer.play.law:_reached", "2 * len(by) > len(said)", "2 * len(by) >= len(said)"),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
