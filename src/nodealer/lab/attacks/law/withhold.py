"""A seat keeps back what it owes of the cards, so that nobody can go on."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.errors import IllegalMove
from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene
from nodealer.lab.attacks.stage import Stage, playing
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat


def _plays(scene: Scene) -> Came:
    """The others wait, and when nothing comes they say that they would go on without it."""
    stage = Stage(scene)
    stage.until(playing)
    stage.silent.add(scene.cheater)
    stage.end()
    for seat in (0, 1):
        with suppress(IllegalMove):
            stage.say(stage[seat].without({scene.cheater}))
    stage.end()
    stuck = stage.state().phase is Phase.PLAYING
    return stage.came("keeps the others waiting for ever" if stuck else None)


CLAIM: Final = Cheat("a seat that keeps back what it owes, to stop the table", "never", False)
WITHHOLD: Final = Attack(
    name="withhold",
    does="keeps back what it owes of the cards",
    of=("A36", "A41"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.law:_reached", "2 * len(by) > len(said)", "False"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
