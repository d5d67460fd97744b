"""A relay holds a tick back until a seat is asked, so that the seat's time seems to run from long before."""

from __future__ import annotations

from typing import Final

from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.late_alone import LIMITS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 1


def _plays(scene: Scene) -> Came:
    """The honest timekeeper has said the time while another seat was to move."""
    stage = Stage(scene, clock=LIMITS)
    keeper = len(stage.people) - 1
    stage.until(to_move(0))
    early = stage[keeper].tick(0)
    stage.until(to_move(VICTIM))
    stage.held.add(VICTIM)
    stage.say(early)
    stage.end()
    stage.say(stage[keeper].tick(LIMITS.move + 1))
    stage.end()
    clock = stage.state().clock
    late = clock is not None and bool(clock.late)
    return stage.came("makes Ben late, who was asked a moment ago" if late else None)


CLAIM: Final = Cheat("a relay that holds a tick back, to make a seat late", "never", False)
HELD_TICK: Final = Attack(
    name="held-tick",
    does="holds a tick back until a seat is asked",
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.clock:Clock.ticked", " and one.since <= seen"),),
        ),
        CLAIM,
    ),
)
