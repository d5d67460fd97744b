"""One seat alone proposes a table without another, and sits down at it."""

from __future__ import annotations

from typing import Final

from nodealer.log.roster import Roster
from nodealer.play.bodies import Propose
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, playing

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, hands=2)
    stage.until(playing)
    members = stage.state().roster.members
    stage.says(scene.cheater, Propose(Roster(tuple(one for one in members if one.seat != VICTIM)), ()))
    stage.end()
    out = VICTIM not in stage.state(1).roster.seats
    return stage.came("takes Ada's seat away, alone" if out else None, seat=1)


CLAIM: Final = Cheat("one seat alone that changes who sits at the table", "never", False)
ROSTER_ALONE: Final = Attack(
    name="roster-alone",
    does="proposes a table without another seat",
    of=("A39",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.rosters:in_force", "len(agreed) >= 2 and enough", "agreed"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
