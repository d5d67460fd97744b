"""A player proposes a roster with somebody who has signed for a seat at another table, and never for this one."""

from __future__ import annotations

from typing import Final

from nodealer.drive.local import KEY_BYTES
from nodealer.keys import Identity
from nodealer.log.roster import member_of, sign_newcomer
from nodealer.play.asking import roster_with
from nodealer.play.bodies import Agree, Newcomer, Propose
from nodealer.play.rosters import proposal_id
from nodealer.protocols.base import Cheat
from nodealer.tape import digest
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, playing

NEW: Final = 3


def _plays(scene: Scene) -> Came:
    """More than half agree: they think that it would like to sit."""
    stage = Stage(scene, hands=2)
    stage.until(playing)
    dov = Identity(scene.entropy(KEY_BYTES))
    member = member_of(dov, NEW, "Dov")
    state = stage.state()
    roster = roster_with(state, member)
    elsewhere = sign_newcomer(dov, digest("another session"), roster.digest, member)
    stage.says(scene.cheater, Propose(roster, (Newcomer(NEW, elsewhere),)))
    stage.until(lambda state: bool(state.proposed))
    stage.says(1, Agree(proposal_id(roster, scene.cheater, state.hand.number)))
    stage.end()
    seated = any(NEW in seating.roster.seats for seating in stage.state().chronicle.seatings)
    return stage.came("seats Dov, who never asked for it" if seated else None)


CLAIM: Final = Cheat("a roster with somebody who has not signed for it", "never", False)
NEWCOMER: Final = Attack(
    name="newcomer",
    does="proposes a roster with somebody who has signed for another table",
    of=("A43", "A44"),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(Without("nodealer.log.roster:newcomer_words", "session, roster_digest", 'b"", roster_digest'),),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
