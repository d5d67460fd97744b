"""A relay brings a table what a player has said at an earlier one, with the same players and the same game."""

from __future__ import annotations

from typing import Final

from nodealer.play.bodies import Leave
from nodealer.play.home import MemoryHome
from nodealer.protocols.base import Cheat
from nodealer.tape import ROOT_BYTES
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """At the earlier table the victim's second word was that it sits out. At the next one it has said one so far."""
    before = Stage(scene)
    before.take_back()
    left = before[VICTIM].seat._send(Leave())
    homes = {
        seat: MemoryHome(one.home.name, one.home.identity, scene.entropy(ROOT_BYTES))
        for seat, one in enumerate(before.people)
    }
    stage = Stage(scene, homes=homes)
    stage.say([left])
    stage.end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.came("has Ada sit out, by what she said at another table" if gone else None, seat=1)


CLAIM: Final = Cheat("what a seat has said at another table", "never", False)
REPLAYED: Final = Attack(
    name="replayed",
    does="brings a table what was said at an earlier one",
    of=("A43",),
    who="the relay",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # Without the nonces that all players add, two sessions of the same players have one number.
            defence=(Without("nodealer.log.session:Session.id", "encode(self)", "encode(self.proposal)"),),
        ),
        CLAIM,
    ),
)
