"""A relay brings a player whose disk was restored from a copy the table again, slowly, so that it says something anew.

The copy does not know what was signed since. Who would speak before it has heard all of the table gives one number to
two entries, and is named for it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.errors import IllegalMove
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, copied, to_move

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """The copy is of the moment before the victim's move. Then it moves and the hand goes on; and then it is restored,
    is told how much there is to be heard, hears nothing of it, and is asked for its move again."""
    stage = Stage(scene)
    stage.until(to_move(VICTIM))
    copy = copied(stage.homes[VICTIM])
    stage.until(to_move(VICTIM + 1))
    known = stage[VICTIM].expects
    stage.restart(VICTIM, copy)
    stage.say(stage[VICTIM].resend(known))
    with suppress(IllegalMove):
        # Its person thinks of something else this time.
        stage.say(stage[VICTIM].leave())
    stage.end()
    fault = stage.state(1).fault
    return stage.came(
        "has Ada named for two words with one number" if fault is not None and fault.seat == VICTIM else None, seat=1
    )


CLAIM: Final = Cheat("a player restored from a copy that is asked anew", "never", False)
RESTORED: Final = Attack(
    name="restored",
    does="asks a player who was restored from a copy anew",
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.participant:Participant.hearing", "self.missing > 0", "False"),),
        ),
        CLAIM,
    ),
)
