"""A player proposes a new key with another secret in one seat's box, so that this one is shut out when all agree."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from nodealer.drive.keyring import Keyring
from nodealer.errors import IllegalMove
from nodealer.keys import KEY_BYTES
from nodealer.play.bodies import Box, Propose
from nodealer.play.rosters import proposal_id
from nodealer.protocols.base import Cheat
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """The box opens, and the secret in it is one that nobody else has."""
    stage = Stage(scene)
    stage.until(to_move(0))
    link = TableSecret(scene.entropy(16), "0" * 32, 0)
    rings = [Keyring(one, [link], scene.entropy) for one in stage.people]
    for one, ring in zip(stage.people, rings, strict=True):
        one.refuse_key = ring.refuse_key
    state = stage.state(scene.cheater)
    roster, key = state.roster, rings[scene.cheater].fresh(state.roster)
    other = TableSecret(scene.entropy(KEY_BYTES), link.table, 1)
    session = stage[VICTIM].session.id
    false = other.box(scene.entropy(KEY_BYTES), roster.member(VICTIM).box, session, roster.digest)
    boxes = tuple(Box(VICTIM, false) if box.seat == VICTIM else box for box in key.boxes)
    stage.says(scene.cheater, Propose(roster, (), replace(key, boxes=boxes)))
    proposal = proposal_id(roster, scene.cheater, state.hand.number)
    stage.until(lambda state: proposal in state.proposed)
    agreed = []
    with suppress(IllegalMove):
        agreed = stage[VICTIM].agree(proposal)
    return stage.came("has Ada agree to a key that she cannot read with" if agreed else None)


CLAIM: Final = Cheat("a new key that is another one in a seat's box", "never", False)
FALSE_BOX: Final = Attack(
    name="false-box",
    does="proposes a new key, and puts another one into a seat's box",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.relay.sealing:open_box", "not hmac.compare_digest(secret_digest(found), digest)", "False"
                ),
            ),
        ),
        CLAIM,
    ),
)
