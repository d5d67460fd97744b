"""Two sit at a table at which nobody keeps the time, and the one that is about to lose breaks the hand off.

Half of a table can do that, and of two each is half. The log shows who said it, and it is the session's last hand.
"""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Break
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

OTHER: Final = 0


def _plays(scene: Scene) -> Came:
    """It has seen its own cards, and the other is to move."""
    stage = Stage(scene, seats=2)
    stage.until(to_move(OTHER))
    stage.says(1, Break(owed_by(stage.state(), OTHER)[0]))
    stage.end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.came("undoes a hand that it may lose, and the log shows who said so" if void else None)


CLAIM: Final = Cheat("one of two that breaks a hand off, where nobody keeps the time", "never", False)
UNDO: Final = Attack(
    name="undo",
    does="breaks a hand off that it may lose, at a table of two without a timekeeper",
    of=("A36",),
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen", seat=1), CLAIM),
)
