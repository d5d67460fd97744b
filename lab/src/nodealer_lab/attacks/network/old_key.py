"""A friend of a player who is put out proposes the roster without a new key, so that the other goes on reading."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.drive.keyring import Keyring
from nodealer.errors import IllegalMove
from nodealer.log.roster import Roster
from nodealer.play.bodies import Propose
from nodealer.play.rosters import proposal_id
from nodealer.protocols.base import Cheat
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

OUT: Final = 1


def _plays(scene: Scene) -> Came:
    stage = Stage(scene)
    stage.until(to_move(0))
    link = TableSecret(scene.entropy(16), "0" * 32, 0)
    stage[0].refuse_key = Keyring(stage[0], [link], scene.entropy).refuse_key
    state = stage.state(scene.cheater)
    roster = Roster(tuple(member for member in state.roster.members if member.seat != OUT))
    stage.says(scene.cheater, Propose(roster, (), None))
    proposal = proposal_id(roster, scene.cheater, state.hand.number)
    stage.until(lambda state: proposal in state.proposed)
    agreed = []
    with suppress(IllegalMove):
        agreed = stage[0].agree(proposal)
    return stage.came("has who was put out go on reading" if agreed else None)


CLAIM: Final = Cheat("a roster that puts somebody out and keeps the key", "never", False)
OLD_KEY: Final = Attack(
    name="old-key",
    does="proposes to put a friend out and to keep the key",
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without("nodealer.drive.keyring:Keyring.refuse_key", "leavers(state.roster, one.roster)", "False"),
            ),
        ),
        CLAIM,
    ),
    # Of two who play nobody is put out.
    tried_on=("mask", "lock", "offset", "chain"),
)
