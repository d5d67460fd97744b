"""The start of a `mask` rebuild: every remaining seat gives a new key and puts the cards it holds under the joint key.

A held card is (u, w = M + s·u) under its owner's key alone: all other seats have published theirs. The owner masks the
same face again under the joint key K, as (ρ·G, M + ρ·K), and proves K_i = s·G, u' = ρ·G, w − w' = s·u − ρ·K.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import Malformed
from nodealer.group import Points, concat
from nodealer.proofs import equality, labels, linear
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHeld, MaskJoin
from nodealer.protocols.mask.rekey import Rebuild
from nodealer.protocols.mask.return_cards import Masking
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Joining:
    """Stage: all remaining seats publish a new key, in parallel."""

    anchor: bytes
    #: Seat to its new key.
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each remaining seat that has not published its new key."""
        return tuple(deck.duty(seat, "join", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's new shuffle key, with a proof of knowing its secret."""
        s = deck.shuffle_secret(tape, duty.seat, deck.epoch)
        S = s * deck.binding.group.G
        knowledge = equality.prove_knowledge(deck.transcript(duty, deck.epoch), tape, S, s)
        return encode(MaskJoin(S.to_bytes(), knowledge))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a key and return the check of its proof.

        Raise `Malformed` if it is another seat's or the keys cancel.
        """
        said = read_message(MaskJoin, message)
        S = read_points(deck.binding.group, said.key, 1, "the shuffle key")
        if any(key == S for key in self.said.values()):
            raise Malformed("the shuffle key is another seat's")
        check = equality.check_knowledge(deck.transcript(duty, deck.epoch), S, said.knowledge)
        stage = replace(self, said={**self.said, duty.seat: S})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage), (), (check,))
        return DeckChange(deck.in_stage(stage._next(deck)), (), (check,))

    def _next(self, deck: MaskDeck) -> MaskDeclaring | MaskShuffling | Masking:
        """Return the stage after all keys are known. Raise `Malformed` if they cancel."""
        joint = concat(*self.said.values()).sum()
        if joint.first_identity() is not None:
            raise Malformed("the joint key is the identity")
        if deck.places.hidden_owned:
            return MaskDeclaring(joint, self.said, deck.trail)
        return shuffling(deck, joint, self.said, None)


def shuffling(
    deck: MaskDeck, joint: Points, keys: Mapping[int, Points], held: Masked | None
) -> MaskShuffling | Masking:
    """Return the stage in which all remaining seats shuffle the faces that are not face up.

    A single face has no order to hide, so it is only masked.
    """
    cards = deck.bare(deck.places.face_down)
    if len(cards) == 1:
        return Masking(Rebuild(held), deck.epoch, cards, joint, keys, deck.trail)
    return MaskShuffling(Rebuild(held), deck.epoch, cards, joint, keys, 0, deck.trail)


@dataclass(frozen=True)
class MaskDeclaring:
    """Stage: all owners of held cards put them under the joint key, in parallel."""

    joint: Points
    keys: Mapping[int, Points]
    anchor: bytes
    #: Seat to the cards it holds, as it has declared them.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that owns hidden cards and has not declared them."""
        owing = {deck.places.owner(position) for position in deck.places.hidden_owned}
        return tuple(
            deck.duty(seat, "held", self.anchor)
            for seat in deck.binding.players
            if seat in owing and seat not in self.said
        )

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's hidden cards masked under the joint key, with a proof that they are the same cards."""
        seat, positions = duty.seat, held_by(deck, duty.seat)
        mine = deck.held_cards(positions)
        s, masks = deck.card_secrets(tape, positions, seat), deck.held_draws(tape, seat, mine, self.joint)
        fresh = Masked(masks * deck.binding.group.G, mine.msg - s * mine.epk + masks * self.joint)
        statement = _statement(mine, deck.card_keys(positions, seat), fresh, self.joint)
        proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [s, masks])
        return encode(MaskHeld(fresh.epk.to_bytes(), fresh.msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record declared cards and return the check of the proof.

        After the last, the seats shuffle the other faces.
        """
        said, group, positions = read_message(MaskHeld, message), deck.binding.group, held_by(deck, duty.seat)
        epk = read_points(group, said.epk, len(positions), "epk")
        fresh = Masked(epk, read_points(group, said.msg, len(positions), "msg"))
        keys = deck.card_keys(positions, duty.seat)
        statement = _statement(deck.held_cards(positions), keys, fresh, self.joint)
        check = linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)
        stage = replace(self, said={**self.said, duty.seat: fresh})
        if stage.duties(deck):
            return DeckChange(deck.in_stage(stage), (), (check,))
        held = [stage.said[seat] for seat in deck.binding.players if seat in stage.said]
        return DeckChange(deck.in_stage(shuffling(deck, self.joint, self.keys, held[0].concat(held[1:]))), (), (check,))


def held_by(deck: MaskDeck, seat: int) -> tuple[int, ...]:
    """Return the cards that a seat declares: the hidden cards that it holds or has discarded."""
    return tuple(position for position in deck.places.hidden_owned if deck.places.owner(position) == seat)


# defence: held
def _statement(held: Masked, keys: Points, fresh: Masked, joint: Points) -> linear.Statement:
    """Return the statement K_i = s·G; u' = ρ·G; w − w' = s·u − ρ·K for each card, with its own secrets s and ρ."""
    G = joint.group.G
    rows = (
        linear.LinearRow(keys, ((0, G),)),
        linear.LinearRow(fresh.epk, ((1, G),)),
        linear.LinearRow(held.msg - fresh.msg, ((0, held.epk), (1, -joint))),
    )
    return linear.Statement(labels.HELD_CARDS, (len(keys), len(keys)), rows)
