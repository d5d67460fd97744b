"""A pair of which both halves are the identity: any number times nothing is nothing, so it fits every key, and whatever
is proven of it is true. Every other card is then in two places, and whoever holds it cannot read it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import concat
from nodealer.group.order import order_of
from nodealer.proofs import equality, labels, shuffle
from nodealer.proofs.equality import Each
from nodealer.proofs.relations import OneOffset
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.deck import OffsetPairs
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import IDENTITY
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, tried
from nodealer_lab.attacks.truth import spoilt


class _Whatever(Each):
    """The statement, as the honest prover would not bind it: that refuses the identity."""

    def bind(self, transcript: Transcript) -> None:
        transcript.absorb(labels.STATEMENT, labels.EQUALITY_MANY, self.keys.group.name, len(self.images))
        transcript.absorb_points(labels.STATEMENT, *(points for _, points in self.arrays))


def _offset(moment: Moment) -> bytes:
    """The first pair gets zero for a factor; then none is moved."""
    deck, group, seat = moment.deck, moment.deck.binding.group, moment.duty.seat
    said, before = read_message(OffsetShuffle, moment.honest), deck.stage._before(deck)
    _, scales, rest = deck.step_secrets(moment.tape, seat, before)
    scales, r, w, t = concat(group.integers([0]), scales[1:]), rest[0], rest[0] * rest[1], rest[2]
    scaled = OffsetPairs(scales * before.A, scales * before.B)
    after = OffsetPairs(r * scaled.A + w * scaled.B, r * scaled.B)
    transcript = deck.transcript(moment.duty, 0)
    each = _Whatever(before.B, scaled.B, before.A, scaled.A)
    first = equality.prove_each(transcript, moment.tape, each, scales)
    R, W = group.points(said.key), group.points(said.commitment)
    relation, order = OneOffset(R, W, scaled.A, scaled.B, after.A, after.B), order_of(range(deck.size))
    second = shuffle.prove(transcript, moment.tape, relation, order, lambda d: concat(r, w, t))
    return encode(replace(said, deck=after.to_bytes(), scaled=scaled.to_bytes(), scaledProof=first, proof=second))


def _plays(scene: Scene) -> Came:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = tried(FITS_ALL, scene)
    return judged(played, spoilt(played))


CLAIM: Final = Cheat("a card of nothing, which fits every key: it is refused", "never", False)
FITS_ALL: Final = Attack(
    name="fits-all",
    does="puts a card of nothing into the deck, which fits every key",
    of=("A22",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {"shuffle": _offset},
            plays=_plays,
            # The identity is refused where points are read, in the proof of the factors, and in that of the shuffle.
            defence=(
                IDENTITY,
                Without("nodealer.proofs.equality:_refuse_identities", "points.first_identity() is not None", "False"),
                Without("nodealer.proofs.relations:_refuse_deck", "_refuse_identity(outputs)", "return"),
            ),
        ),
        CLAIM,
    ),
    tried_on=("offset",),
)
