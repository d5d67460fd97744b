"""Returning cards to a `mask` deck: under one new key of every seat, with fresh masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.operations import Peek, Place, Return
from nodealer.errors import Malformed
from nodealer.group import Points, concat
from nodealer.proofs import equality
from nodealer.proofs.equality import ManyEqualities
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskGather, MaskInPlace
from nodealer.protocols.mask.rekey import Purpose, Rekeying
from nodealer.protocols.mask.reorder import Arranging, arrange
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.protocols.stages import discard_cards
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


def return_cards(deck: MaskDeck, operation: Return) -> DeckChange:
    """Begin a return: discard cards, put them on or under the pile, or shuffle them in."""
    if operation.place is Place.DISCARD:
        return discard_cards(deck, operation)
    positions = deck.places.validate_return(operation)
    if operation.place is Place.SHUFFLED:
        positions = (*positions, *deck.places.pile)
        if not positions:
            return deck.finish()
    gathering = Gathering(operation, positions, deck.places.only_hidden(positions), deck.trail)
    return DeckChange(deck.in_stage(gathering, epoch=deck.epoch + 1))


@dataclass(frozen=True)
class Gathering:
    """Stage: all seats move every returned card to one new key each, in parallel.

    Open cards return without a mask, as bare faces, and gain nothing.
    """

    operation: Return | Peek
    positions: tuple[int, ...]
    #: The hidden positions among these.
    masked: tuple[int, ...]
    anchor: bytes
    #: Seat to its new key, and what the hidden cards gain.
    said: Mapping[int, tuple[Points, Points | None]] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not moved the cards to its new key."""
        return tuple(deck.duty(seat, "gather", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's one new key, what each hidden card gains from the change of key, and the proofs."""
        group, seat, epoch = deck.binding.group, duty.seat, deck.epoch
        s = deck.shuffle_secret(tape, seat, epoch)
        S = s * group.G
        transcript = deck.transcript(duty, epoch)
        knowledge = equality.prove_knowledge(transcript, tape, S, s)
        if not self.masked:
            return encode(MaskGather(S.to_bytes(), knowledge, b"", b""))
        epk = deck.layers.cards(self.masked).epk
        delta = s - deck.card_secrets(tape, self.masked, seat)
        gains = delta * epk
        each = ManyEqualities(group.G, S, epk, gains, less=deck.card_keys(self.masked, seat))
        proof = equality.prove_many_equalities(transcript, tape, each, delta)
        return encode(MaskGather(S.to_bytes(), knowledge, gains.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a key and its gains, and return the checks. Raise `Malformed` if the key is another seat's."""
        said = read_message(MaskGather, message)
        group, seat, epoch = deck.binding.group, duty.seat, deck.epoch
        S = read_points(group, said.key, 1, "the shuffle key")
        if any(key == S for key, _ in self.said.values()):
            raise Malformed("the shuffle key is another seat's")
        transcript = deck.transcript(duty, epoch)
        checks = [equality.check_knowledge(transcript, S, said.knowledge)]
        gains = None
        if self.masked:
            epk = deck.layers.cards(self.masked).epk
            gains = read_points(group, said.gains, len(self.masked), "the gains")
            each = ManyEqualities(group.G, S, epk, gains, less=deck.card_keys(self.masked, seat))
            checks.append(equality.check_many_equalities(transcript, each, said.proof))
        elif said.gains or said.proof:
            raise Malformed("open cards gain nothing")
        stage = replace(self, said={**self.said, seat: (S, gains)})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(deck.in_stage(stage), (), tuple(checks))
        return DeckChange(deck.in_stage(stage.masking(deck)), (), tuple(checks))

    def masking(self, deck: MaskDeck) -> MaskShuffling | Masking | Arranging | Rekeying:
        """Return the stage in which all seats mask the cards under the new joint key, in a shuffle or in place.

        Without fresh masks the new keys would hide nothing: if an old key is public, what a card gained reveals the
        seat's share of the new mask.
        """
        cards = self._cards(deck)
        keys = {seat: key for seat, (key, _) in self.said.items()}
        joint = concat(*(keys[seat] for seat in deck.binding.players)).sum()
        if joint.first_identity() is not None:
            raise Malformed("the joint key is the identity")
        if isinstance(self.operation, Peek):
            return arrange(deck, self.operation, cards, joint, keys)
        if self.operation.place is Place.SHUFFLED and len(cards) > 1:
            return MaskShuffling(self.operation, deck.epoch, cards, joint, keys, 0, deck.trail)
        return Masking(self.operation, deck.epoch, cards, joint, keys, deck.trail)

    def _cards(self, deck: MaskDeck) -> Masked:
        """Return hidden cards with what they gained, and bare faces, in the order of the positions."""
        parts: list[Masked] = []
        if self.masked:
            hidden = deck.cards_of_remaining(self.masked)
            msg = hidden.msg
            for seat in deck.binding.players:
                gains = self.said[seat][1]
                msg = msg if gains is None else msg + gains
            parts.append(Masked(hidden.epk, msg))
        bare = [position for position in self.positions if position in deck.places.opened]
        if bare:
            parts.append(deck.bare([deck.places.opened[position] for position in bare]))
        order = {position: place for place, position in enumerate((*self.masked, *bare))}
        return parts[0].concat(parts[1:]).take([order[position] for position in self.positions])


@dataclass(frozen=True)
class Masking:
    """Stage: all seats mask cards in place, in parallel. The masks add up."""

    purpose: Purpose
    epoch: int
    cards: Masked
    joint: Points
    keys: Mapping[int, Points]
    anchor: bytes
    #: Seat to what it adds to epk and msg.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not masked the cards."""
        return tuple(deck.duty(seat, "mask", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return what the seat adds to each card, with a proof that it only adds a mask."""
        group = deck.binding.group
        masks = deck.mask_draws(tape, duty.seat, self.epoch, self.cards, self.joint)
        epk, msg = masks * group.G, masks * self.joint
        each = ManyEqualities(group.G, epk, self.joint, msg)
        proof = equality.prove_many_equalities(deck.transcript(duty, self.epoch), tape, each, masks)
        return encode(MaskInPlace(epk.to_bytes(), msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's masks and return the check of its proof. After the last, the cards get their own keys."""
        said = read_message(MaskInPlace, message)
        group, count = deck.binding.group, len(self.cards)
        epk = read_points(group, said.epk, count, "epk")
        msg = read_points(group, said.msg, count, "msg")
        each = ManyEqualities(group.G, epk, self.joint, msg)
        check = equality.check_many_equalities(deck.transcript(duty, self.epoch), each, said.proof)
        stage = replace(self, said={**self.said, duty.seat: Masked(epk, msg)})
        if len(stage.said) == len(deck.binding.players):
            return DeckChange(deck.in_stage(stage.rekeying(deck)), (), (check,))
        return DeckChange(deck.in_stage(stage), (), (check,))

    def rekeying(self, deck: MaskDeck) -> Rekeying:
        """Return the stage in which the masked cards get their own keys."""
        epk, msg = self.cards.epk, self.cards.msg
        for seat in deck.binding.players:
            epk, msg = epk + self.said[seat].epk, msg + self.said[seat].msg
        if epk.first_identity() is not None:
            raise Malformed(f"the masks of card {epk.first_identity()} cancel")
        return Rekeying(self.purpose, self.epoch, Masked(epk, msg), self.keys, deck.trail)
