"""A timekeeper and half of a table call a seat late that has just been asked, and play its hand.

The log shows the ticks and who voted; that the time was false it cannot show. Honest programs would not have voted:
each looks at a clock of its own too.
"""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Tick, Without
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.law.late_alone import HOURS, LIMITS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

VICTIM: Final = 1


def _plays(scene: Scene) -> Came:
    # Of two, one is half.
    seats = 2 if scene.game.seats == 2 else 4
    stage = Stage(scene, seats=seats, clock=LIMITS)
    stage.until(to_move(VICTIM))
    keeper = len(stage.people) - 1
    stage.says(keeper, Tick(0), Tick(HOURS))
    for friend in (0,) if seats == 2 else (2, 3):
        stage.says(friend, Without(owed_by(stage.state(friend), VICTIM)))
    stage.end()
    done = [one for one in stage.state().chronicle.statements if one.of == VICTIM]
    return stage.came("plays Ben's hand for him, with half of the table" if done else None)


CLAIM: Final = Cheat("a timekeeper and half of a table that call an honest seat late", "never", False)
LATE_WITH_HALF: Final = Attack(
    name="late-with-half",
    does="says that hours have passed, with half of the table as its friends",
    of=("A39",),
    who="a coalition",
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
)
