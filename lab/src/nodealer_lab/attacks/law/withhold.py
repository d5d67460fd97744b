"""A seat keeps back what it owes of the cards, so that nobody can go on."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.errors import IllegalMove
from nodealer.play.phases import Phase
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.late_alone import LIMITS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, playing


def _plays(scene: Scene) -> Came:
    """The others wait, and when nothing comes they say that they would go on without it."""
    others = [seat for seat in range(scene.game.seats) if seat != scene.cheater]
    # Of two, one is half: that is enough where somebody keeps the time.
    stage = Stage(scene, clock=LIMITS if len(others) == 1 else None)
    stage.until(playing)
    stage.silent.add(scene.cheater)
    stage.end()
    if len(others) == 1:
        for time in (0, LIMITS.cards + 1):
            stage.say(stage[-1].tick(time))
            stage.end()
    for seat in others:
        with suppress(IllegalMove):
            stage.say(stage[seat].without({scene.cheater}))
    stage.end()
    stuck = stage.state().phase is Phase.PLAYING
    return stage.came("keeps the others waiting for ever" if stuck else None)


#: More than half; or half, where it is late.
_ENOUGH: Final = "if 2 * len(by) > len(said) or (pressing and 2 * len(pressing) == len(said)):"
CLAIM: Final = Cheat("a seat that keeps back what it owes, to stop the table", "never", False)
WITHHOLD: Final = Attack(
    name="withhold",
    does="keeps back what it owes of the cards",
    of=("A36", "A41"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.play.law:_reached",
                    _ENOUGH,
                    "if False:",
                ),
            ),
        ),
        CLAIM,
    ),
)
