"""A shuffle from a cheater's point of view, for all forged proofs on protocols whose shuffles have one proof."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from nodealer.group import Group, Points, Scalars, concat
from nodealer.proofs import equality
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar
from nodealer.proofs.shuffle import Relation
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.chain.deck import LayerSecrets
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.protocols.offset.deck import OffsetPairs
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import SignedMoment

#: A deck as arrays of points.
Cards = tuple[Points, ...]
#: What the cheater does to each array before it is shuffled.
Change = Callable[[Points], Points]


@dataclass(frozen=True)
class ShuffleTurn(ABC):
    """A seat's turn to shuffle.

    The cheater leaves every card in its place unless its order matters later. No one can tell.
    """

    moment: SignedMoment
    s: Scalars

    @property
    def group(self) -> Group:
        """The group of the cards."""
        return self.s.group

    @property
    def S(self) -> Points:
        """The key that the seat publishes."""
        return self.s * self.group.G

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.before[0])

    @property
    def order(self) -> Sequence[int]:
        """For each card that it passes on, its place before."""
        return range(self.size)

    def tie(self, change: Callable[[Scalars], Scalars] = lambda numbers: numbers) -> Callable[[Scalars], Scalars]:
        """Return a map from one number per card before the shuffle to one per card after it.

        `change` is applied first.
        """
        return lambda numbers: change(numbers).take(self.order)

    @property
    @abstractmethod
    def before(self) -> Cards:
        """The cards that the seat received."""

    @abstractmethod
    def after(self, change: Change = lambda points: points) -> Cards:
        """Return the cards that the seat passes on."""

    @abstractmethod
    def relation(self, cards: Cards) -> Relation:
        """Return the statement about the cards that the seat passes on."""

    @abstractmethod
    def secrets(self, d: Scalars) -> Scalars:
        """Return the secrets that prove the relation."""

    @property
    @abstractmethod
    def epoch(self) -> int:
        """The epoch of the deck that the proof is for."""

    @abstractmethod
    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the encoded message with these cards and this proof."""

    def transcript(self, deck: Any = None) -> Transcript:
        """Return a new transcript for this deck, or for another one if given."""
        return (deck or self.moment.deck).transcript(self.moment.duty, self.epoch)  # type: ignore[no-any-return]


class _OneSecretTurn(ShuffleTurn):
    """A shuffle that multiplies every card by one secret."""

    @property
    def before(self) -> Cards:
        """The points that the seat received."""
        return (self.moment.deck.stage.cards,)

    def after(self, change: Change = lambda points: points) -> Cards:
        """Return the points in the seat's order, each times its secret. `change` is applied to them first."""
        return (self.s * change(self.before[0]).take(self.order),)

    def relation(self, cards: Cards) -> OneScalar:
        """Return the statement that every card was multiplied by the secret of S."""
        return OneScalar(self.S, *self.before, *cards)

    def secrets(self, d: Scalars) -> Scalars:
        """Return the one secret."""
        return self.s


class _LockTurn(_OneSecretTurn):
    """A shuffle of `lock`."""

    @property
    def epoch(self) -> int:
        """The epoch of the deck."""
        return self.moment.deck.epoch  # type: ignore[no-any-return]

    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the message of `lock`: a cascade with the seat's key, the cards and the proof."""
        return encode(Cascade(self.S.to_bytes(), cards[0].to_bytes(), proof))


class _DuelTurn(_OneSecretTurn):
    """A shuffle of `duel` by the rival of the deck's owner."""

    @property
    def epoch(self) -> int:
        """The epoch of the deck, as its current stage counts it."""
        return self.moment.deck.stage.epoch  # type: ignore[no-any-return]

    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the honest message of `duel` with the cards, the key and the proof replaced."""
        honest = read_message(DuelShuffle, self.moment.honest)
        return encode(replace(honest, cards=cards[0].to_bytes(), key=self.S.to_bytes(), proof=proof))


@dataclass(frozen=True)
class _ChainTurn(_OneSecretTurn):
    """A shuffle of `chain`. It keeps the honest order, because the names of the cards have that order too."""

    drawn: LayerSecrets

    @property
    def order(self) -> Sequence[int]:
        """For each number that it passes on, its place before."""
        return self.drawn.prior

    @property
    def before(self) -> Cards:
        """The numbers of the deck that the seat received."""
        return (self.moment.deck.stage._before(self.moment.deck).numbers,)

    @property
    def epoch(self) -> int:
        """Always zero: `chain` has no epochs."""
        return 0

    def transcript(self, deck: Any = None) -> Transcript:
        """Return a transcript that contains the proof of knowledge of the key."""
        transcript = super().transcript(deck)
        equality.prove_knowledge(transcript, self.moment.tape, self.S, self.s)
        return transcript

    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the honest message of `chain` with the numbers and the proof replaced."""
        honest = read_message(ChainShuffle, self.moment.honest)
        return encode(replace(honest, numbers=cards[0].to_bytes(), proof=proof))


@dataclass(frozen=True)
class _MaskTurn(ShuffleTurn):
    """A shuffle of `mask`: every card is masked again and gets one more key."""

    masks: Scalars

    @property
    def epoch(self) -> int:
        """The epoch of the deck, as its current stage counts it."""
        return self.moment.deck.stage.epoch  # type: ignore[no-any-return]

    @property
    def before(self) -> Cards:
        """The masked cards that the seat received, as ephemeral keys and messages."""
        given = self.moment.deck.stage.before(self.moment.deck)
        return given.epk, given.msg

    def after(self, change: Change = lambda points: points) -> Cards:
        """Return the cards re-masked under the joint key with the seat's own key added."""
        epk, msg = map(change, self.before)
        joint = self.moment.deck.stage.joint + self.S
        return epk + self.masks * self.group.G, msg + self.s * epk + self.masks * joint

    def relation(self, cards: Cards) -> AddMask:
        """Return the statement that the cards were re-masked and the seat's key S added."""
        return AddMask(self.moment.deck.stage.joint, self.S, *self.before, *cards)

    def secrets(self, d: Scalars) -> Scalars:
        """Return the masks, weighted by d and summed, and the seat's secret."""
        return concat(d.dot(self.masks), self.s)

    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the message of `mask`: the seat's key, the cards and the proof."""
        return encode(MaskShuffle(self.S.to_bytes(), cards[0].to_bytes(), cards[1].to_bytes(), proof))


@dataclass(frozen=True)
class _OffsetTurn(ShuffleTurn):
    """A shuffle of `offset`: every pair first gets a factor of its own, then all get one more offset.

    `s` is the common factor.
    """

    scaled: OffsetPairs
    #: The common factor times the offset, and its blinding.
    w: Scalars
    t: Scalars

    @property
    def epoch(self) -> int:
        """Always zero: `offset` has no epochs."""
        return 0

    @property
    def before(self) -> Cards:
        """The pairs (B, A) after the first stage of the step, which scales them."""
        return self.scaled.B, self.scaled.A

    def after(self, change: Change = lambda points: points) -> Cards:
        """Return the pairs in the form (s·B, s·A + w·B). `change` is applied to both parts first."""
        B, A = map(change, self.before)
        return self.s * B, self.s * A + self.w * B

    def relation(self, cards: Cards) -> OneOffset:
        """Return the statement that all pairs were multiplied by s and shifted by one committed offset w."""
        W = self.w * self.group.G + self.t * blinding_generator(self.group)
        return OneOffset(self.S, W, self.scaled.A, self.scaled.B, cards[1], cards[0])

    def secrets(self, d: Scalars) -> Scalars:
        """Return s, the offset w, and the blinding t of its commitment."""
        return concat(self.s, self.w, self.t)

    def transcript(self, deck: Any = None) -> Transcript:
        """Return a transcript that contains the proof of each pair's factor."""
        transcript, here = super().transcript(deck), self.moment.deck
        before = here.stage._before(here)
        _, scales, _ = here.step_secrets(self.moment.tape, self.moment.duty.seat, before)
        each = ManyEqualities(before.B, self.scaled.B, before.A, self.scaled.A)
        equality.prove_many_equalities(transcript, self.moment.tape, each, scales)
        return transcript

    def message(self, cards: Cards, proof: bytes) -> bytes:
        """Return the honest message of `offset` with the deck and the proof replaced."""
        honest = read_message(OffsetShuffle, self.moment.honest)
        return encode(replace(honest, deck=concat(cards[1], cards[0]).to_bytes(), proof=proof))


def shuffle_turn_of(moment: SignedMoment) -> ShuffleTurn | None:
    """Return the turn that a message belongs to, or None if it cannot be forged: a seat's shuffle of its own deck."""
    deck, seat, tape = moment.deck, moment.duty.seat, moment.tape
    match deck.binding.protocol:
        case "lock":
            return _LockTurn(moment, deck.cascade_secret(tape, seat))
        case "duel":
            return None if deck.owner == seat else _DuelTurn(moment, deck.shuffle_key(tape, seat, deck.stage.epoch))
        case "chain":
            own = deck.layer_secrets(tape, len(deck.layers))
            return _ChainTurn(moment, own.key, own) if deck.parameters.proven else None
        case "offset":
            before = deck.stage._before(deck)
            _, scales, rest = deck.step_secrets(tape, seat, before)
            scaled = OffsetPairs(scales * before.A, scales * before.B)
            return _OffsetTurn(moment, rest[0], scaled, rest[0] * rest[1], rest[2])
        case "mask":
            given = deck.stage.before(deck)
            s = deck.shuffle_secret(tape, seat, deck.stage.epoch)
            _, masks = deck.shuffle_draws(tape, seat, deck.stage.epoch, given, deck.stage.joint + s * s.group.G)
            return _MaskTurn(moment, s, masks)
    return None
