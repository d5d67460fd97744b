"""Two seats of five fall silent, so that nobody can go on: neither says that it would go on without the other."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.errors import IllegalMove
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, playing

FRIENDS: Final = (3, 4)


def _plays(scene: Scene) -> Came:
    """The others say that they would go on without them, whenever they wait for one."""
    stage = Stage(scene, seats=5)
    stage.until(playing)
    stage.silent.update(FRIENDS)
    for friend in FRIENDS:
        stage.end()
        for seat in range(3):
            with suppress(IllegalMove):
                stage.say(stage[seat].without({friend}))
    stage.end()
    stuck = stage.state().phase is Phase.PLAYING
    return stage.came("keeps the others waiting for ever, with a friend" if stuck else None)


CLAIM: Final = Cheat("fewer than half that keep back what they owe, to stop the table", "never", False)
STALL: Final = Attack(
    name="stall",
    does="keeps back what it owes, with a friend who does the same",
    of=("A41",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # More than half are enough: it takes not all who are not named.
            defence=(Without("nodealer.play.law:_reached", "2 * len(by) > len(said)", "len(by) >= len(said) - 1"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
