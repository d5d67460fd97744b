"""Many equalities in one row: if the weights do not hang on all points, two false ones are made to cancel."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.truth import spoilt
from nodealer.proofs import equality
from nodealer.protocols.chain.drawing import _given
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.wire import encode


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
