"""Two players leave, one after the other, and the deck of `lock` is made again twice. If those who stay multiply it by
the same secrets both times, the second to leave, who knows its own, follows every card into the second deck."""

from __future__ import annotations

from typing import Any, Final

from nodealer.group import Points
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import free_stage
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, said_in

FIRST, SECOND = 1, 2


def _plays(scene: Scene) -> Came:
    """What all who stay have multiplied and shuffled lies open when they declare what they hold."""
    stage = free_stage(None, scene, seats=4, each=1)
    deck: Any = stage.state().hand.decks[0]
    tape = stage[SECOND].seat._tape(0)
    for leaver in (FIRST, SECOND):
        stage.say(stage[leaver].leave())
        stage.end()
    replica = stage[0].replica
    decks: dict[int, Points] = {
        one.deck.epoch: one.deck.stage.cards
        for one in said_in(replica.config, replica.entries)
        if one.duty.kind == "held"
    }
    first, second = decks.values()
    mine = deck.cascade_secret(tape, SECOND)
    linked = set(encodings(mine * second)) <= set(encodings(first))
    return stage.came("follows every card from one new deck into the next" if linked else None)


CLAIM: Final = Cheat("the points of a card in two recovered decks, linked", "never", False)
LINKED_DECKS: Final = Attack(
    name="linked-decks",
    does="follows cards from one recovered deck into the next by their points",
    of=("A38",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=SECOND,
            # The secret of a cascade is drawn for one epoch of a deck.
            defence=(
                Without("nodealer.protocols.lock.deck:LockDeck.cascade_secret", "self.inputs(seat, self.epoch)", 'b""'),
            ),
        ),
        CLAIM,
    ),
    tried_on=("lock",),
)
