"""All seats but one put everything together that they have, to read the last one's card."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from nodealer.cards import Card
from nodealer.errors import NodealerError
from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene
from nodealer.lab.attacks.stage import Stage, to_move
from nodealer.protocols.base import Cheat

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """Their tapes are tried in place of the one that they do not have: there is no number of seats that is enough."""
    stage = Stage(scene)
    stage.until(to_move(0))
    holds = stage[VICTIM].seat.cards()
    deck: Any = stage.state(1).hand.decks[0]
    read: Mapping[Card, int] = {}
    for friend in range(1, len(scene.names)):
        with suppress(NodealerError):
            read = read or deck.knows(VICTIM, stage[friend].seat._tape(0))
    return stage.came("reads Ada's card" if holds and read == holds else None)


CLAIM: Final = Cheat("all seats but one that put together what they have", "never", False)
COALITION: Final = Attack(
    name="coalition",
    does="puts together what all seats but one have",
    of=("A40",),
    who="a coalition",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # A tape that is not its seat's alone is everybody's.
            defence=(Without("nodealer.tape:hand_tape", "root, session, seat, hand, size", "session, hand, size"),),
        ),
        CLAIM,
    ),
)
