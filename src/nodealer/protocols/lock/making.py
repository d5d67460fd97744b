"""How a `lock` deck is made: fragments under commitments, the cascade, the lock.

Fragments come from all seats at once, so that nobody knows a relation between two faces. In the cascade each seat in
turn multiplies every card by one secret and permutes; in the lock each seat in turn takes that secret off every card
and puts one of the card's own on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nodealer.cards import Finished, NewDeck
from nodealer.errors import Malformed, PeerFault
from nodealer.group import Points
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import Each
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.lock import deck as decks
from nodealer.protocols.lock import steps
from nodealer.protocols.lock.messages import Cascade, Commit, Fragments, Keys
from nodealer.protocols.lock.resuming import resume
from nodealer.protocols.staged import Idle
from nodealer.tape import Tape, digest
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.lock.deck import LockDeck
    from nodealer.protocols.lock.recovery import Recovery


def _commitment(deck: LockDeck, seat: int, points: bytes) -> bytes:
    binding = deck.binding
    return digest(
        "lock fragments", binding.session, binding.roster, binding.hand, deck.number, deck.epoch, seat, points
    )


@dataclass(frozen=True)
class Committing:
    """All seats commit to their fragments, side by side."""

    anchor: bytes
    said: Mapping[int, bytes] = field(default_factory=dict)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "commit", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        points = decks.fragments(tape, deck.binding, deck.number, deck.epoch, deck.size, duty.seat)
        return encode(Commit(_commitment(deck, duty.seat, points.to_bytes())))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        commitment = read_message(Commit, message).commitment
        stage = replace(self, said={**self.said, duty.seat: commitment})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.at(stage=stage))
        return DeckChange(deck.at(stage=Opening(stage.said, deck.trail)))


@dataclass(frozen=True)
class Opening:
    """All seats open their fragments, side by side; a face is the sum of its fragments."""

    commitments: Mapping[int, bytes]
    anchor: bytes
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        return tuple(
            deck.duty(seat, "fragments", self.anchor) for seat in deck.binding.players if seat not in self.said
        )

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        points = decks.fragments(tape, deck.binding, deck.number, deck.epoch, deck.size, duty.seat)
        return encode(Fragments(points.to_bytes()))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        data = read_message(Fragments, message).points
        points = read_points(deck.binding.group, data, deck.size, "the fragments")
        if _commitment(deck, duty.seat, data) != self.commitments[duty.seat]:
            raise PeerFault(duty.seat, "the fragments are not those it committed to")
        stage = replace(self, said={**self.said, duty.seat: points})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.at(stage=stage))
        return DeckChange(stage.cascading(deck))

    def cascading(self, deck: LockDeck) -> LockDeck:
        """The faces, ready for the cascade; or everything once more if two faces are equal or one is the identity.

        Only all seats together could arrange that, so it is nobody's fault.
        """
        faces = steps.faces([self.said[seat] for seat in deck.binding.players])
        index = point_index(faces)
        if len(index) < deck.size or faces.first_identity() is not None:
            return deck.at(stage=Committing(deck.trail), epoch=deck.epoch + 1)
        return deck.at(faces=faces, face_index=index, stage=Cascading(faces, {}, deck.trail))


@dataclass(frozen=True)
class Cascading:
    """Each seat in turn multiplies every card by its one secret and permutes the deck."""

    cards: Points
    #: Seat to the public key of its one secret, for the seats that have had their turn.
    keys: Mapping[int, Points]
    anchor: bytes
    #: In a recovery, the held cards that are to be found in this deck.
    recovery: Recovery | None = None

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.binding.players[len(self.keys)], "cascade", self.anchor),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding, seat = deck.binding, duty.seat
        s = decks.cascade_secret(tape, binding, deck.number, deck.epoch, seat)
        S = s * binding.group.G
        order = decks.cascade_order(tape, binding, deck.number, deck.epoch, seat, self.cards)
        cards = steps.cascade(s, self.cards, order)
        transcript = deck.transcript(duty, deck.epoch)
        if len(cards) == 1:
            proof = equality.prove_equality(transcript, tape, S, self.cards, cards, s)
        else:
            proof = shuffle.prove(transcript, tape, OneScalar(S, self.cards, cards), order, lambda b: s)
        return encode(Cascade(S.to_bytes(), cards.to_bytes(), proof))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        said, group = read_message(Cascade, message), deck.binding.group
        S = read_points(group, said.key, 1, "the key")
        cards = read_points(group, said.cards, len(self.cards), "the cards")
        transcript = deck.transcript(duty, deck.epoch)
        if len(cards) == 1:
            # All faces but one are public: there is nothing to permute, and everybody knows the card.
            check = equality.check_equality(transcript, S, self.cards, cards, said.proof)
        else:
            check = shuffle.check(transcript, OneScalar(S, self.cards, cards), said.proof)
        stage = replace(self, cards=cards, keys={**self.keys, duty.seat: S}, anchor=deck.trail)
        if len(stage.keys) < len(deck.binding.players):
            return DeckChange(deck.at(stage=stage), (), (check,))
        if self.recovery is not None:
            return replace(self.recovery.begin(deck, cards, stage.keys), checks=(check,))
        return DeckChange(deck.at(stage=Locking.of(deck, cards, stage.keys)), (), (check,))


@dataclass(frozen=True)
class Locking:
    """Each seat in turn moves every card from its one secret to a secret of the card's own."""

    #: The digest of the deck as the cascade left it: what all secrets of this lock are drawn for.
    origin: bytes
    cards: Points
    old: Mapping[int, Points]
    keys: Mapping[int, Points]
    anchor: bytes

    @staticmethod
    def of(deck: LockDeck, cards: Points, keys: Mapping[int, Points]) -> Locking:
        """The lock of a deck that has been through the cascade."""
        return Locking(decks.deck_digest(cards), cards, keys, {}, deck.trail)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.binding.players[len(self.keys)], "lock", self.anchor),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding, seat, count = deck.binding, duty.seat, len(self.cards)
        old = decks.cascade_secret(tape, binding, deck.number, deck.epoch, seat)
        new = decks.fresh_secrets(tape, binding, deck.number, deck.epoch, self.origin, count, seat)
        ratio = steps.lock_factors(old, new)
        keys, cards = new * binding.group.G, ratio * self.cards
        each = Each(self.old[seat], keys, self.cards, cards)
        proof = equality.prove_each(deck.transcript(duty, deck.epoch), tape, each, ratio)
        return encode(Keys(keys.to_bytes(), cards.to_bytes(), proof))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        said, group, count = read_message(Keys, message), deck.binding.group, len(self.cards)
        keys = read_points(group, said.keys, count, "the keys")
        cards = read_points(group, said.cards, count, "the cards")
        # Publishing one secret must never publish another.
        index = point_index(keys)
        if len(index) != count or self.old[duty.seat].to_bytes() in index:
            raise Malformed("two cards have the same key, or one has the key of the cascade")
        each = Each(self.old[duty.seat], keys, self.cards, cards)
        check = equality.check_each(deck.transcript(duty, deck.epoch), each, said.proof)
        stage = replace(self, cards=cards, keys={**self.keys, duty.seat: keys}, anchor=deck.trail)
        if len(stage.keys) < len(deck.binding.players):
            return DeckChange(deck.at(stage=stage), (), (check,))
        return stage.finish(deck, check)

    def finish(self, deck: LockDeck, check: Check) -> DeckChange:
        """The cards as a new layer: the new deck is made, or what a leaver interrupted goes on."""
        first = deck.places.positions if deck.layers else 0
        layer = decks.Layer(first, deck.epoch, deck.binding, self.origin, self.cards, self.keys)
        done = deck.rebuilt(len(self.cards)) if deck.layers else deck
        done = done.at(stage=Idle(), layers=(*deck.layers, layer))
        if isinstance(deck.asked, NewDeck):
            return DeckChange(done.at(asked=None), (Finished(deck.asked),), (check,))
        step = resume(done)
        return replace(step, checks=(check, *step.checks))
