"""A timekeeper turns the time back for a friend, so that the friend is never late."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Tick
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.law.late_alone import LIMITS
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

FRIEND: Final = 1


def _plays(scene: Scene) -> Came:
    """The friend has used most of its time when the time is what it was before."""
    stage = Stage(scene, clock=LIMITS)
    stage.until(to_move(FRIEND))
    keeper = len(stage.people) - 1
    stage.says(keeper, Tick(50_000), Tick(59_000), Tick(50_000))
    stage.held.add(FRIEND)
    stage.end()
    clock = stage.state().clock
    back = clock is not None and clock.last == 50_000
    return stage.came("gives a friend the time back that it has used" if back else None)


CLAIM: Final = Cheat("a timekeeper that turns the time back", "never", False)
TIME_BACK: Final = Attack(
    name="time-back",
    does="turns the time back for a friend",
    who="the timekeeper",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # Half a rule would still refuse it: a tick is no less than a second after the last one, either.
            defence=(
                Without(
                    "nodealer.play.clock:Clock.refusal", "self.last is None", "self.last is None or time < self.last"
                ),
            ),
        ),
        CLAIM,
    ),
)
