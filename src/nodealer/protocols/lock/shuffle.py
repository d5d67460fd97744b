"""How a `lock` deck is made: committed fragments, the cascade, the lock.

All seats contribute fragments, so that no one knows a relation between two faces. In the cascade, each seat in turn
multiplies every card by one secret and permutes the deck.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import PeerFault
from nodealer.group import Points
from nodealer.proofs import equality, shuffle
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.lock import bare_steps
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import Cascade, FragmentCommitment, Fragments
from nodealer.protocols.lock.recovery import LockDeclaring
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import encode


def _commitment(deck: LockDeck, seat: int, points: bytes) -> bytes:
    """Return the commitment of a seat to its fragments."""
    binding = deck.binding
    return digest(
        "lock fragments", binding.session, binding.roster, binding.hand, deck.number, deck.epoch, seat, points
    )


@dataclass(frozen=True)
class CommittingFragments:
    """Stage: all seats commit to their fragments, in parallel."""

    anchor: bytes
    said: Mapping[int, bytes] = field(default_factory=dict)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not committed to its fragments."""
        return tuple(deck.duty(seat, "commit", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's commitment to its fragments."""
        points = deck.fragments(tape, duty.seat)
        return encode(FragmentCommitment(_commitment(deck, duty.seat, points.to_bytes())))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a commitment. After the last one, all seats open their fragments."""
        commitment = read_message(FragmentCommitment, message).commitment
        stage = replace(self, said={**self.said, duty.seat: commitment})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage))
        return DeckChange(deck.in_stage(OpeningFragments(stage.said, deck.trail)))


@dataclass(frozen=True)
class OpeningFragments:
    """Stage: all seats open their fragments, in parallel. A face is the sum of its fragments."""

    commitments: Mapping[int, bytes]
    anchor: bytes
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not opened its fragments."""
        return tuple(
            deck.duty(seat, "fragments", self.anchor) for seat in deck.binding.players if seat not in self.said
        )

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's fragments, one point for each face."""
        points = deck.fragments(tape, duty.seat)
        return encode(Fragments(points.to_bytes()))

    # defence: fragments
    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Raise `PeerFault` if fragments do not match their commitment. After the last, compute the faces."""
        data = read_message(Fragments, message).points
        points = read_points(deck.binding.group, data, deck.size, "the fragments")
        if _commitment(deck, duty.seat, data) != self.commitments[duty.seat]:
            raise PeerFault(duty.seat, "the fragments are not those it committed to")
        stage = replace(self, said={**self.said, duty.seat: points})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage))
        return DeckChange(stage.cascading(deck))

    def cascading(self, deck: LockDeck) -> LockDeck:
        """Return the deck with its faces, ready for the cascade.

        If two faces are equal or one is the identity, return it ready to start over. Only all seats together could
        cause that, so no one is at fault.
        """
        faces = bare_steps.faces([self.said[seat] for seat in deck.binding.players])
        index = point_index(faces)
        if len(index) < deck.size or faces.first_identity() is not None:
            return deck.in_stage(CommittingFragments(deck.trail), epoch=deck.epoch + 1)
        return deck.in_stage(Cascading(faces, {}, deck.trail), faces=faces, face_index=index)


@dataclass(frozen=True)
class Cascading:
    """Stage: each seat in turn multiplies every card by its one secret and permutes the deck."""

    cards: Points
    #: Seat to the public key of its one secret, for the seats that have had their turn.
    keys: Mapping[int, Points]
    anchor: bytes
    #: In a recovery, the positions that remaining seats hold, whose cards must be found in this deck.
    held: tuple[int, ...] = ()

    # defence: only-friends
    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return the duty of the next seat to multiply and permute the deck."""
        return (deck.duty(deck.binding.players[len(self.keys)], "cascade", self.anchor),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the cards multiplied by the seat's one secret and permuted, with its key and a proof."""
        s = deck.cascade_secret(tape, duty.seat)
        S = s * deck.binding.group.G
        order = deck.cascade_order(tape, duty.seat, self.cards)
        cards = bare_steps.cascade(s, self.cards, order)
        transcript = deck.transcript(duty, deck.epoch)
        if len(cards) == 1:
            proof = equality.prove_equality(transcript, tape, S, self.cards, cards, s)
        else:
            proof = shuffle.prove(transcript, tape, OneScalar(S, self.cards, cards), order, lambda b: s)
        return encode(Cascade(S.to_bytes(), cards.to_bytes(), proof))

    # defence: only-friends
    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept a seat's cards and return the check of its proof.

        After the last seat, find held cards or lock the deck.
        """
        said, group = read_message(Cascade, message), deck.binding.group
        S = read_points(group, said.key, 1, "the key")
        cards = read_points(group, said.cards, len(self.cards), "the cards")
        transcript = deck.transcript(duty, deck.epoch)
        if len(cards) == 1:
            # All faces but one are public, so everyone knows the card, and there is nothing to permute.
            check = equality.check_equality(transcript, S, self.cards, cards, said.proof)
        else:
            check = shuffle.check(transcript, OneScalar(S, self.cards, cards), said.proof)
        stage = replace(self, cards=cards, keys={**self.keys, duty.seat: S}, anchor=deck.trail)
        if len(stage.keys) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage), (), (check,))
        if self.held:
            return DeckChange(deck.in_stage(LockDeclaring(self.held, cards, stage.keys, {}, deck.trail)), (), (check,))
        return DeckChange(deck.in_stage(Locking.of(deck, cards, stage.keys)), (), (check,))
