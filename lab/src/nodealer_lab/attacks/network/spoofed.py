"""A seat says in another one's name that it leaves."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from nodealer.log.entry import Entry, sign_entry
from nodealer.play.bodies import Leave
from nodealer.protocols.base import Cheat
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """Everything in the entry is as it should be but the key that it is signed with."""
    stage = Stage(scene)
    stage.until(to_move(VICTIM))
    replica = stage[scene.cheater].replica
    state = replica.state
    number = replica.signed_by(state.roster.member(VICTIM).key)
    said = Raw(encode(Leave()))
    entry = Entry(replica.config.session.id, state.roster.digest, state.hand.number, VICTIM, number, replica.head, said)
    stage.say([sign_entry(stage[scene.cheater].home.identity, entry)])
    stage.end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.came("has Ada leave, who never said so" if gone else None, seat=1)


CLAIM: Final = Cheat("words in another seat's name", "never", False)
SPOOFED: Final = Attack(
    name="spoofed",
    does="says in another seat's name that it leaves",
    of=("A44",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.log.entry:authenticate",
                    "keys[entry.seat].verify(arrival.signature, arrival.signed)",
                    "pass",
                ),
            ),
        ),
        CLAIM,
    ),
)
