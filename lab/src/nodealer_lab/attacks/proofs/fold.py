"""Many equalities in one row: if the weights do not hang on all points, two false ones are made to cancel."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import put
from nodealer.group import concat
from nodealer.proofs import equality
from nodealer.protocols.chain.drawing import _given
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskTags
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import spoilt, stopped


def _chain(moment: Moment) -> bytes:
    """The dealer takes its key off the cards of two others, and moves what is left of them against each other."""
    said, deck = read_message(Pass, moment.honest), moment.deck
    decrypted = [track for track in deck.stage.tracks if track.decrypted_by(deck.stage.turn)]
    if moment.duty.seat != deck.order[0] or len(decrypted) < 2 or said.names:
        return moment.honest
    bare, images = deck.binding.group.points(said.numbers), concat(*(_given(deck, track) for track in decrypted))
    weights = equality._fold(deck.transcript(moment.duty, 0), deck.layers[0].key, bare, images)
    P = deck.binding.group.G
    moved = concat(bare[0] + weights[1] * P, bare[1] - weights[0] * P, *([bare[2:]] if len(bare) > 2 else []))
    return encode(replace(said, numbers=moved.to_bytes()))


def _mask(moment: Moment) -> bytes:
    """When a deck is made again: the tag of a card of the deck against that of one that somebody holds."""
    said, deck = read_message(MaskTags, moment.honest), moment.deck
    group, before = deck.binding.group, deck.stage.points
    after, Z = group.points(said.cards), group.points(said.key)
    weights = equality._fold(deck.transcript(moment.duty, deck.epoch), Z, before, after)
    one, other = len(after) // 2, len(after) - 1
    moved = put(said.cards, one, (after[one] + weights[other] * group.G).to_bytes())
    return encode(replace(said, cards=put(moved, other, (after[other] - weights[one] * group.G).to_bytes())))


#: The weights hang on the whole statement.
_BOUND: Final = Without(
    "nodealer.proofs.equality:_fold",
    "transcript.absorb_points(labels.STATEMENT, Z, bases, images)",
    "transcript.absorb_points(labels.STATEMENT, Z)",
)

FOLD: Final = Attack(
    name="fold",
    does="moves two cards against each other, so that a folded proof does not see it",
    of=("A13", "A16"),
    ways={
        "mask": (
            Way(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _mask},
                leaver=0,
                defence=(_BOUND,),
                gained=stopped,
            ),
        ),
        "chain": (
            Way(
                "a false nonce, prior name or decryption in a draw",
                {"pass": _chain},
                defence=(_BOUND,),
                gained=spoilt,
                seat=0,
            ),
        ),
    },
)
