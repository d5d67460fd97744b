"""A proof that many points were multiplied by one secret, but by another than the published key has."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import concat
from nodealer.proofs import equality
from nodealer.protocols.chain.drawing import _given
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskShares
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.truth import spoilt, stopped


def _chain(moment: Moment) -> bytes:
    """The dealer takes twice its key off: one secret for all cards, and not the one of V."""
    said, deck = read_message(Pass, moment.honest), moment.deck
    decrypted = [track for track in deck.stage.tracks if track.decrypted_by(deck.stage.turn)]
    if moment.duty.seat != deck.order[0] or not decrypted or said.names:
        return moment.honest
    images = concat(*(_given(deck, track) for track in decrypted))
    false = deck.binding.group.integers([2]) * deck.own(moment.tape, 0).key
    bare, key = false.invert() * images, deck.layers[0].key
    proof = equality.prove_equality(deck.transcript(moment.duty, 0), moment.tape, key, bare, images, false)
    return encode(replace(said, numbers=bare.to_bytes(), proof=proof))


def _mask(moment: Moment) -> bytes:
    """When a deck is made again: it takes twice its key off all tags."""
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    epk = stage.tagged.epk
    false = deck.binding.group.integers([2]) * deck.shuffle_secret(moment.tape, seat, deck.epoch)
    shares, transcript = false * epk, deck.transcript(moment.duty, deck.epoch)
    proof = equality.prove_equality(transcript, moment.tape, stage.keys[seat], epk, shares, false)
    return encode(MaskShares(shares.to_bytes(), proof))


#: The key has a row of its own.
_KEY_ROW: Final = Without("nodealer.proofs.equality:check_equality", "(key_row, folded_row)", "(folded_row,)")

OTHER_SECRET: Final = Attack(
    name="other-secret",
    does="takes another secret off all cards than the one of its key",
    of=("A7",),
    ways={
        "mask": (
            Way(
                "a held card substituted, doubled or left out in a rebuild",
                {"share": _mask},
                leaver=0,
                defence=(_KEY_ROW,),
                gained=stopped,
            ),
        ),
        "chain": (
            Way(
                "a false nonce, prior name or decryption in a draw",
                {"pass": _chain},
                defence=(_KEY_ROW,),
                gained=spoilt,
                seat=0,
            ),
        ),
    },
)
