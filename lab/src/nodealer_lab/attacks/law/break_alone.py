"""Who is about to lose says alone that the hand should be broken off."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Break
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move


def _plays(scene: Scene) -> Came:
    """As soon as somebody else is to move, and it has seen its own card."""
    stage = Stage(scene)
    stage.until(to_move(1))
    stage.says(scene.cheater, Break(owed_by(stage.state(), 1)[0]))
    stage.end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.came("has a hand voided that it may lose" if void else None)


CLAIM: Final = Cheat("fewer than half that would break a hand off", "never", False)
BREAK_ALONE: Final = Attack(
    name="break-alone",
    does="would break a hand off that it may lose",
    of=("A36",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.law:_reached", "2 * len(breaking) >= len(said)", "True"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
