"""Two players leave, one after the other, and the deck is made again twice. If the tags of both have one secret, the
second to leave, who knows its own part of it, follows every card from the first new deck into the second."""

from __future__ import annotations

from typing import Any, Final

from nodealer.group import Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskShares
from nodealer.protocols.mask.tagging import masked
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import free_stage
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Said, Scene, said_in

FIRST, SECOND = 1, 2


def _plays(scene: Scene) -> Came:
    stage = free_stage(None, scene, seats=4, each=1)
    tape = stage[SECOND].seat._tape(0)
    for leaver in (FIRST, SECOND):
        stage.say(stage[leaver].leave())
        stage.end()
    replica = stage[0].replica
    mine: Scalars | None = None
    tags: list[Points] = []
    for one in said_in(replica.config, replica.entries):
        if one.duty.kind == "tag" and one.duty.seat == SECOND:
            mine = one.deck.tag_secret(tape, SECOND, masked(one.deck.stage.points))
        if one.duty.kind == "share" and (shown := _tags(one)) is not None:
            tags.append(shown)
    linked = mine is not None and len(tags) == 2 and set(encodings(mine * tags[1])) <= set(encodings(tags[0]))
    return stage.came("follows every card from one new deck into the next" if linked else None)


def _tags(one: Said) -> Points | None:
    """What appears with the last share: the tags of the cards that are in the new deck."""
    deck, sharing = one.deck, one.deck.stage
    if len(sharing.said) + 1 < len(deck.binding.players):
        return None
    said = read_message(MaskShares, one.message)
    tags: Any = sharing.tagged.msg - deck.binding.group.points(said.shares)
    for shares in sharing.said.values():
        tags = tags - shares
    found: Points = tags[: len(sharing.cards)]
    return found


CLAIM: Final = Cheat("the tags of a card in two rebuilds, linked", "never", False)
LINKED_TAGS: Final = Attack(
    name="linked-tags",
    does="follows cards from one rebuilt deck into the next by their tags",
    of=("A38",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            seat=SECOND,
            # The secret of the tags is drawn for these cards and this rebuild.
            defence=(
                Without(
                    "nodealer.protocols.mask.deck:MaskDeck.tag_secret",
                    "self.inputs(seat, self.epoch, cards.digest())",
                    'b""',
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask",),
)
