"""Two of three put a stranger at the number of the third, who has its chips from then on."""

from __future__ import annotations

from typing import Final

from nodealer.drive.local import KEY_BYTES
from nodealer.keys import Identity
from nodealer.log.roster import Roster, member_of
from nodealer.play.bodies import Agree, Propose
from nodealer.play.rosters import proposal_id
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
    state = stage.state()
    puppet = member_of(Identity(scene.entropy(KEY_BYTES)), VICTIM, "Dov")
    roster = Roster((puppet, *(one for one in state.roster.members if one.seat != VICTIM)))
    stage.says(scene.cheater, Propose(roster, ()))
    stage.until(lambda state: bool(state.proposed))
    stage.says(1, Agree(proposal_id(roster, scene.cheater, state.hand.number)))
    stage.end()
    took = stage.state(1).roster.member(VICTIM).name != "Ada"
    return stage.came("gives Ada's number and chips to a stranger" if took else None, seat=1)


CLAIM: Final = Cheat("a stranger at another seat's number", "never", False)
PUPPET: Final = Attack(
    name="puppet",
    does="seats a stranger at another seat's number, with more than half of the table",
    of=("A44",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.play.rosters:_refuse_mixed_up", "member != state.known[member.seat]", "False"),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset"),
)
