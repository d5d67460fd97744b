"""Somebody left, and the others make the deck again. A seat takes zero as its secret: every card becomes the identity,
and what it proves of them is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nodealer.group import Points
from nodealer.group.order import order_of
from nodealer.proofs import labels, linear, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import Cheat
from nodealer.protocols.lock import recovery
from nodealer.protocols.lock.messages import Cascade, HeldCards, RaisedCards
from nodealer.protocols.mask.messages import MaskTags
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.defences import IDENTITY, IDENTITY_IN_PROOF
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, judged, tried
from nodealer_lab.attacks.truth import stopped


def _nothing(moment: Moment, count: int = 1) -> Points:
    """Zero times so many points."""
    points: Points = moment.deck.binding.group.identity(count)
    return points


def _proof(moment: Moment, bases: Points) -> bytes:
    """That the key and the images are zero times the generator and the bases. The program itself would not prove it."""
    group, deck = bases.group, moment.deck
    transcript = deck.transcript(moment.duty, deck.epoch)
    transcript.absorb(labels.STATEMENT, labels.EQUALITY, group.name, len(bases))
    transcript.absorb_points(labels.STATEMENT, _nothing(moment), bases, _nothing(moment, len(bases)))
    weights = transcript.challenges(labels.WEIGHTS, group, len(bases))
    k = transcript.nonces(moment.tape, labels.EQUALITY, group, 1)
    # Whatever the challenge is, zero times it is zero.
    return encode_proof(group.msm_each([(k, group.G), (k * weights, bases)]), k)


def _tag(moment: Moment) -> bytes:
    """In `mask` all cards are multiplied by one secret to be compared."""
    given = moment.deck.stage.points
    return encode(MaskTags(_nothing(moment).to_bytes(), _nothing(moment, len(given)).to_bytes(), _proof(moment, given)))


def _cascade(moment: Moment) -> bytes:
    """In `lock` all cards go through another cascade, and those that are held are brought to where it came to."""
    deck, given = moment.deck, moment.deck.stage.cards
    if not deck.stage.held:
        return moment.honest
    key, cards, zero = _nothing(moment), _nothing(moment, len(given)), deck.binding.group.integers([0])
    transcript, relation = deck.transcript(moment.duty, deck.epoch), OneScalar(key, given, cards)
    proof = shuffle.prove(transcript, moment.tape, relation, order_of(range(len(given))), lambda d: zero)
    return encode(Cascade(key.to_bytes(), cards.to_bytes(), proof))


def _held(moment: Moment) -> bytes:
    """The cards in its own hand, and after them all others."""
    if not isinstance(moment.deck.stage, recovery.Declaring):
        return moment.honest
    deck, positions = moment.deck, moment.deck.stage._mine(moment.deck, moment.duty.seat)
    cards, zeros = _nothing(moment, len(positions)), deck.binding.group.integers([0] * len(positions))
    statement = recovery._statement(deck, moment.duty.seat, positions, _nothing(moment), cards)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [zeros])
    return encode(HeldCards(cards.to_bytes(), proof))


def _raise(moment: Moment) -> bytes:
    given = moment.deck.stage._points(moment.deck, moment.duty.seat)
    return encode(RaisedCards(_nothing(moment, len(given)).to_bytes(), _proof(moment, given)))


def _plays(scene: Scene) -> Came:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = tried(ZERO, replace(scene, hands=1))
    return judged(played, stopped(played))


#: The identity is refused in what is sent, in what is to be proven, and in a proof.
_ANYWHERE: Final = (
    IDENTITY,
    IDENTITY_IN_PROOF,
    Without("nodealer.proofs.equality:_refuse_identities", "points.first_identity() is not None", "False"),
)
#: And where a deck is shuffled, as are two equal cards.
_SHUFFLED: Final = Without(
    "nodealer.proofs.relations:OneScalar.refuse", "if self.S.first_identity() is not None:", "return\n    if False:"
)
CLAIM: Final = Cheat("zero as the secret that all cards are multiplied by", "never", False)
ZERO: Final = Attack(
    name="zero",
    does="multiplies all cards by zero when the deck is made again, and proves it",
    of=("A11",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            {"tag": _tag, "cascade": _cascade, "held": _held, "raise": _raise},
            leaver=0,
            plays=_plays,
            defence=_ANYWHERE,
        ),
        CLAIM,
    ),
    # Elsewhere who is dealt such a card disputes it, and the books name who made it.
    tried_on=("mask", "lock"),
    stands_in={"lock": (*_ANYWHERE, _SHUFFLED)},
)
