"""Somebody left, and the others make the deck again. A seat multiplies one of the cards by another secret than all
others, so that a held card is not found in the new deck."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put, times
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.messages import RaisedCards
from nodealer.protocols.mask.messages import MaskTags
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import EQUALITY_PROOF
from nodealer_lab.attacks.truth import stopped


def _mask(moment: Moment) -> bytes:
    """The last one is a card that somebody holds."""
    said, group = read_message(MaskTags, moment.honest), moment.deck.binding.group
    last = times(group, 2, group.points(said.cards)[-1:])
    return encode(replace(said, cards=put(said.cards, -1, last.to_bytes())))


def _lock(moment: Moment) -> bytes:
    """A card that another seat holds."""
    said, group = read_message(RaisedCards, moment.honest), moment.deck.binding.group
    return encode(replace(said, cards=put(said.cards, 0, times(group, 2, group.points(said.cards)[0]).to_bytes())))


TAG: Final = Attack(
    name="tag",
    does="multiplies a held card by another secret when the deck is made again",
    ways={
        "mask": (
            Way(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _mask},
                leaver=0,
                defence=(EQUALITY_PROOF,),
                gained=stopped,
            ),
        ),
        "lock": (
            Way(
                "a held card substituted or left out in a recovery",
                {"raise": _lock},
                leaver=0,
                defence=(EQUALITY_PROOF,),
                gained=stopped,
            ),
        ),
    },
)
