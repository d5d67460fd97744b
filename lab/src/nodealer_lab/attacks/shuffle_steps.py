"""A shuffle as a cheater sees it, on the protocols whose shuffles are one proof: what all forged proofs begin with."""

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

#: The arrays of points that a deck is.
Cards = tuple[Points, ...]
#: What is done to each of them before it is shuffled.
Change = Callable[[Points], Points]


@dataclass(frozen=True)
class ShuffleTurn(ABC):
    """A seat's turn. It leaves every card where it is, if nothing is to come of its order later: that is nobody's
    business but its own."""

    moment: SignedMoment
    s: Scalars

    @property
    def group(self) -> Group:
        return self.s.group

    @property
    def S(self) -> Points:
        """The key that it publishes."""
        return self.s * self.group.G

    @property
    def size(self) -> int:
        return len(self.before[0])

    @property
    def order(self) -> Sequence[int]:
        """Where each card that it passes on was before."""
        return range(self.size)

    def tie(self, change: Callable[[Scalars], Scalars] = lambda numbers: numbers) -> Callable[[Scalars], Scalars]:
        """From numbers of the cards before to those of the cards after, with what was changed on the way."""
        return lambda numbers: change(numbers).take(self.order)

    @property
    @abstractmethod
    def before(self) -> Cards:
        """The cards as it got them."""

    @abstractmethod
    def after(self, change: Change = lambda points: points) -> Cards:
        """The cards as it passes them on."""

    @abstractmethod
    def relation(self, cards: Cards) -> Relation:
        """What it says of the cards that it passes on."""

    @abstractmethod
    def secrets(self, d: Scalars) -> Scalars:
        """What the relation is proven with."""

    @property
    @abstractmethod
    def epoch(self) -> int: ...

    @abstractmethod
    def message(self, cards: Cards, proof: bytes) -> bytes:
        """What it sends."""

    def transcript(self, deck: Any = None) -> Transcript:
        """A new one; that of another deck, where one is given."""
        return (deck or self.moment.deck).transcript(self.moment.duty, self.epoch)  # type: ignore[no-any-return]


class _OneSecret(ShuffleTurn):
    """Every card times one secret."""

    @property
    def before(self) -> Cards:
        return (self.moment.deck.stage.cards,)

    def after(self, change: Change = lambda points: points) -> Cards:
        return (self.s * change(self.before[0]).take(self.order),)

    def relation(self, cards: Cards) -> OneScalar:
        return OneScalar(self.S, *self.before, *cards)

    def secrets(self, d: Scalars) -> Scalars:
        return self.s


class _Lock(_OneSecret):
    @property
    def epoch(self) -> int:
        return self.moment.deck.epoch  # type: ignore[no-any-return]

    def message(self, cards: Cards, proof: bytes) -> bytes:
        return encode(Cascade(self.S.to_bytes(), cards[0].to_bytes(), proof))


class _Duel(_OneSecret):
    @property
    def epoch(self) -> int:
        return self.moment.deck.stage.epoch  # type: ignore[no-any-return]

    def message(self, cards: Cards, proof: bytes) -> bytes:
        honest = read_message(DuelShuffle, self.moment.honest)
        return encode(replace(honest, cards=cards[0].to_bytes(), key=self.S.to_bytes(), proof=proof))


@dataclass(frozen=True)
class _Chain(_OneSecret):
    """It keeps its order: the names of the cards have it too."""

    drawn: LayerSecrets

    @property
    def order(self) -> Sequence[int]:
        return self.drawn.prior

    @property
    def before(self) -> Cards:
        return (self.moment.deck.stage._before(self.moment.deck).numbers,)

    @property
    def epoch(self) -> int:
        return 0

    def transcript(self, deck: Any = None) -> Transcript:
        """One in which it has said that it knows its key."""
        transcript = super().transcript(deck)
        equality.prove_knowledge(transcript, self.moment.tape, self.S, self.s)
        return transcript

    def message(self, cards: Cards, proof: bytes) -> bytes:
        honest = read_message(ChainShuffle, self.moment.honest)
        return encode(replace(honest, numbers=cards[0].to_bytes(), proof=proof))


@dataclass(frozen=True)
class _Mask(ShuffleTurn):
    """Every card masked, and a key more."""

    masks: Scalars

    @property
    def epoch(self) -> int:
        return self.moment.deck.stage.epoch  # type: ignore[no-any-return]

    @property
    def before(self) -> Cards:
        given = self.moment.deck.stage.before(self.moment.deck)
        return given.epk, given.msg

    def after(self, change: Change = lambda points: points) -> Cards:
        epk, msg = map(change, self.before)
        joint = self.moment.deck.stage.joint + self.S
        return epk + self.masks * self.group.G, msg + self.s * epk + self.masks * joint

    def relation(self, cards: Cards) -> AddMask:
        return AddMask(self.moment.deck.stage.joint, self.S, *self.before, *cards)

    def secrets(self, d: Scalars) -> Scalars:
        return concat(d.dot(self.masks), self.s)

    def message(self, cards: Cards, proof: bytes) -> bytes:
        return encode(MaskShuffle(self.S.to_bytes(), cards[0].to_bytes(), cards[1].to_bytes(), proof))


@dataclass(frozen=True)
class _Offset(ShuffleTurn):
    """Every pair with one offset more, when each has got a factor of its own. `s` is the factor of all."""

    scaled: OffsetPairs
    #: The factor with the offset, and what hides that.
    w: Scalars
    t: Scalars

    @property
    def epoch(self) -> int:
        return 0

    @property
    def before(self) -> Cards:
        return self.scaled.B, self.scaled.A

    def after(self, change: Change = lambda points: points) -> Cards:
        B, A = map(change, self.before)
        return self.s * B, self.s * A + self.w * B

    def relation(self, cards: Cards) -> OneOffset:
        W = self.w * self.group.G + self.t * blinding_generator(self.group)
        return OneOffset(self.S, W, self.scaled.A, self.scaled.B, cards[1], cards[0])

    def secrets(self, d: Scalars) -> Scalars:
        return concat(self.s, self.w, self.t)

    def transcript(self, deck: Any = None) -> Transcript:
        """One in which it has shown the factor of each pair."""
        transcript, here = super().transcript(deck), self.moment.deck
        before = here.stage._before(here)
        _, scales, _ = here.step_secrets(self.moment.tape, self.moment.duty.seat, before)
        each = ManyEqualities(before.B, self.scaled.B, before.A, self.scaled.A)
        equality.prove_many_equalities(transcript, self.moment.tape, each, scales)
        return transcript

    def message(self, cards: Cards, proof: bytes) -> bytes:
        honest = read_message(OffsetShuffle, self.moment.honest)
        return encode(replace(honest, deck=concat(cards[1], cards[0]).to_bytes(), proof=proof))


def shuffle_turn_of(moment: SignedMoment) -> ShuffleTurn | None:
    """The turn that a message is about; None where it is for no cheater: a shuffle of one's own cards."""
    deck, seat, tape = moment.deck, moment.duty.seat, moment.tape
    match deck.binding.protocol:
        case "lock":
            return _Lock(moment, deck.cascade_secret(tape, seat))
        case "duel":
            return None if deck.owner == seat else _Duel(moment, deck.shuffle_key(tape, seat, deck.stage.epoch))
        case "chain":
            own = deck.own(tape, len(deck.layers))
            return _Chain(moment, own.key, own) if deck.parameters.proven else None
        case "offset":
            before = deck.stage._before(deck)
            _, scales, rest = deck.step_secrets(tape, seat, before)
            scaled = OffsetPairs(scales * before.A, scales * before.B)
            return _Offset(moment, rest[0], scaled, rest[0] * rest[1], rest[2])
        case "mask":
            given = deck.stage.before(deck)
            s = deck.shuffle_secret(tape, seat, deck.stage.epoch)
            _, masks = deck.shuffle_draws(tape, seat, deck.stage.epoch, given, deck.stage.joint + s * s.group.G)
            return _Mask(moment, s, masks)
    return None
