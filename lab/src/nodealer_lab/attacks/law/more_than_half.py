"""Two of three throw the third out, whenever it owes something: the log shows who said it, and nothing prevents it."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Without
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    stage = Stage(scene)
    stage.until(to_move(VICTIM))
    owed = owed_by(stage.state(), VICTIM)
    for friend in (1, 2):
        stage.says(friend, Without(owed))
    stage.end()
    done = [one for one in stage.state().chronicle.statements if one.of == VICTIM and one.by == (1, 2)]
    return stage.came("plays Ada's hand for her, and the log shows who said so" if done else None)


CLAIM: Final = Cheat("more than half of a table that would not wait for an honest seat", "never", False)
MORE_THAN_HALF: Final = Attack(
    name="more-than-half",
    does="would not wait for an honest seat, with more than half of the table",
    of=("A39",),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
    tried_on=("mask", "lock", "offset", "chain"),
)
