"""The stages of a `mask` deck: shuffling, moving cards to new keys, publishing keys.

Each stage says what is owed, makes an honest seat's message, and judges a message. Shuffles go from seat to seat;
moving cards to new keys and publishing keys is done by all seats at once, because what each adds to a card does not
depend on the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nodealer.cards import Event, Finished, Moved, NewDeck, Operation, Place, Return
from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, concat
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import Each
from nodealer.proofs.relations import AddMask, Remask
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.mask.cards import (
    Layer,
    Masked,
    fresh_secrets,
    gather_cards,
    gather_keys,
    gather_secrets,
    mask_draws,
    shuffle_draws,
    shuffle_secret,
)
from nodealer.protocols.mask.messages import Gather, Mask, Rekey, Reshuffle, Shuffle
from nodealer.protocols.staged import Idle
from nodealer.tape import Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.mask.deck import MaskDeck


@dataclass(frozen=True)
class Shuffling:
    """Each seat in turn masks all cards and permutes them. In a new deck its key joins in the same step."""

    operation: NewDeck | Return
    epoch: int
    cards: Masked
    #: The joint key so far; complete from the start where the cards were gathered.
    joint: Points
    #: Seat to shuffle key, for the seats that have joined.
    keys: Mapping[int, Points]
    turn: int
    anchor: bytes

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.binding.players[self.turn], self._step, self.anchor),)

    @property
    def _step(self) -> str:
        return "shuffle" if isinstance(self.operation, NewDeck) else "reshuffle"

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding, seat, group = deck.binding, duty.seat, deck.binding.group
        s = shuffle_secret(tape, binding, deck.number, self.epoch, seat)
        S = s * group.G
        joins = isinstance(self.operation, NewDeck)
        joint = self.joint + S if joins else self.joint
        order, masks = shuffle_draws(tape, binding, deck.number, self.epoch, seat, self.cards, joint)
        before = self.cards.take(order)
        epk = before.epk + masks * group.G
        if joins and self.turn:
            msg = before.msg + group.combine(s, before.epk, masks, joint)
        else:
            # No key joins; or every epk is still the identity, and there is nothing to add the key to.
            msg = before.msg + masks * joint
        transcript = deck.transcript(duty, self.epoch)
        if joins:
            joining = AddMask(self.joint, S, self.cards.epk, self.cards.msg, epk, msg)
            proof = shuffle.prove(transcript, tape, joining, order, lambda b: concat(b.dot(masks), s))
            return encode(Shuffle(S.to_bytes(), epk.to_bytes(), msg.to_bytes(), proof))
        pairs = Remask(self.joint, self.cards.epk, self.cards.msg, epk, msg)
        proof = shuffle.prove(transcript, tape, pairs, order, lambda b: b.dot(masks))
        return encode(Reshuffle(epk.to_bytes(), msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        if isinstance(self.operation, NewDeck):
            return self._join(deck, duty, read_message(Shuffle, message))
        said = read_message(Reshuffle, message)
        cards = self._read(deck, said)
        relation = Remask(self.joint, self.cards.epk, self.cards.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        return self._next(deck, cards, check, self.joint, self.keys)

    def _join(self, deck: MaskDeck, duty: Duty, said: Shuffle) -> DeckChange:
        S = read_points(deck.binding.group, said.key, 1, "the shuffle key")
        if any(key == S for key in self.keys.values()):
            raise Malformed("the shuffle key is another seat's")
        cards = self._read(deck, said)
        relation = AddMask(self.joint, S, self.cards.epk, self.cards.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        return self._next(deck, cards, check, relation.joint, {**self.keys, duty.seat: S})

    def _read(self, deck: MaskDeck, said: Shuffle | Reshuffle) -> Masked:
        group, count = deck.binding.group, len(self.cards)
        return Masked(read_points(group, said.epk, count, "epk"), read_points(group, said.msg, count, "msg"))

    def _next(
        self, deck: MaskDeck, cards: Masked, check: Check, joint: Points, keys: Mapping[int, Points]
    ) -> DeckChange:
        if self.turn + 1 < len(deck.binding.players):
            stage = replace(self, cards=cards, joint=joint, keys=keys, turn=self.turn + 1, anchor=deck.trail)
            return DeckChange(replace(deck, stage=stage), (), (check,))
        rekeying = Rekeying(self.operation, self.epoch, cards, keys, deck.trail)
        return DeckChange(replace(deck, stage=rekeying), (), (check,))


@dataclass(frozen=True)
class Rekeying:
    """All seats move each card from their shuffle key to a key of its own, side by side."""

    operation: NewDeck | Return
    epoch: int
    cards: Masked
    #: Seat to its shuffle key.
    old: Mapping[int, Points]
    anchor: bytes
    #: Seat to its new public keys and what the cards gain.
    said: Mapping[int, tuple[Points, Points]] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "rekey", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding, seat, group = deck.binding, duty.seat, deck.binding.group
        old = shuffle_secret(tape, binding, deck.number, self.epoch, seat)
        count = len(self.cards)
        new = fresh_secrets(tape, binding, deck.number, self.epoch, self.cards.digest(), count, seat)
        delta = new - old
        keys, gains = new * group.G, delta * self.cards.epk
        transcript = deck.transcript(duty, self.epoch)
        each = Each(group.G, keys, self.cards.epk, gains, less=self.old[seat])
        proof = equality.prove_each(transcript, tape, each, delta)
        return encode(Rekey(keys.to_bytes(), gains.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(Rekey, message)
        group, count = deck.binding.group, len(self.cards)
        keys = read_points(group, said.keys, count, "the new keys")
        gains = read_points(group, said.gains, count, "the gains")
        # Publishing one key must never publish another.
        if len(point_index(keys)) != count:
            raise Malformed("two cards have the same new key")
        transcript = deck.transcript(duty, self.epoch)
        each = Each(group.G, keys, self.cards.epk, gains, less=self.old[duty.seat])
        check = equality.check_each(transcript, each, said.proof)
        stage = replace(self, said={**self.said, duty.seat: (keys, gains)})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(replace(deck, stage=stage), (), (check,))
        return replace(stage.finish(deck), checks=(check,))

    def finish(self, deck: MaskDeck) -> DeckChange:
        """The cards as a new layer."""
        msg = self.cards.msg
        for seat in deck.binding.players:
            msg = msg + self.said[seat][1]
        keys = {seat: keys for seat, (keys, _) in self.said.items()}
        places, events = deck.places, list[Event]()
        first = 0
        if isinstance(self.operation, Return):
            first = places.positions
            events = [Moved(places.card(position), None) for position in self.operation.positions]
            places = places.restack(self.operation.positions, self.operation.place)
        layer = Layer(first, self.epoch, self.cards.digest(), Masked(self.cards.epk, msg), keys)
        done = replace(deck, layers=(*deck.layers, layer), places=places, stage=Idle(), asked=None)
        return DeckChange(done, (*events, Finished(self.operation)))


@dataclass(frozen=True)
class Gathering:
    """All seats move every card that goes back to one new key each, side by side.

    Open cards re-enter without a mask, as bare faces, and gain nothing.
    """

    operation: Return
    positions: tuple[int, ...]
    #: Those of the positions that are hidden.
    masked: tuple[int, ...]
    anchor: bytes
    #: Seat to its new key, and what the hidden cards gain.
    said: Mapping[int, tuple[Points, Points | None]] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "gather", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding, seat, epoch = deck.binding, duty.seat, deck.places.epoch + 1
        s = shuffle_secret(tape, binding, deck.number, epoch, seat)
        S = s * binding.group.G
        transcript = deck.transcript(duty, epoch)
        knowledge = equality.prove_knowledge(transcript, tape, S, s)
        if not self.masked:
            return encode(Gather(S.to_bytes(), knowledge, b"", b""))
        epk = gather_cards(deck.layers, self.masked).epk
        delta = s - gather_secrets(tape, binding, deck.number, deck.layers, self.masked, seat)
        gains = delta * epk
        each = Each(binding.group.G, S, epk, gains, less=gather_keys(deck.layers, self.masked, seat))
        proof = equality.prove_each(transcript, tape, each, delta)
        return encode(Gather(S.to_bytes(), knowledge, gains.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(Gather, message)
        group, seat, epoch = deck.binding.group, duty.seat, deck.places.epoch + 1
        S = read_points(group, said.key, 1, "the shuffle key")
        if any(key == S for key, _ in self.said.values()):
            raise Malformed("the shuffle key is another seat's")
        transcript = deck.transcript(duty, epoch)
        checks = [equality.check_knowledge(transcript, S, said.knowledge)]
        gains = None
        if self.masked:
            epk = gather_cards(deck.layers, self.masked).epk
            gains = read_points(group, said.gains, len(self.masked), "the gains")
            each = Each(group.G, S, epk, gains, less=gather_keys(deck.layers, self.masked, seat))
            checks.append(equality.check_each(transcript, each, said.proof))
        elif said.gains or said.proof:
            raise Malformed("open cards gain nothing")
        stage = replace(self, said={**self.said, seat: (S, gains)})
        if len(stage.said) < len(deck.binding.players):
            return DeckChange(replace(deck, stage=stage), (), tuple(checks))
        return DeckChange(replace(deck, stage=stage.masking(deck)), (), tuple(checks))

    def masking(self, deck: MaskDeck) -> Shuffling | Masking:
        """All cards under the new joint key, to be masked by everybody: in a shuffle, or as they lie.

        Without fresh masks the new keys would hide nothing: where an old key is public, what a card gained gives the
        seat's share of the new mask away.
        """
        cards = self._cards(deck)
        keys = {seat: key for seat, (key, _) in self.said.items()}
        joint = concat(*(keys[seat] for seat in deck.binding.players)).sum()
        if joint.first_identity() is not None:
            raise Malformed("the joint key is the identity")
        epoch = deck.places.epoch + 1
        if self.operation.place is Place.SHUFFLED:
            return Shuffling(self.operation, epoch, cards, joint, keys, 0, deck.trail)
        return Masking(self.operation, epoch, cards, joint, keys, deck.trail)

    def _cards(self, deck: MaskDeck) -> Masked:
        """Hidden cards with what they gained, and bare faces, in the order of the positions."""
        parts: list[Masked] = []
        if self.masked:
            hidden = gather_cards(deck.layers, self.masked)
            msg = hidden.msg
            for seat in deck.binding.players:
                gains = self.said[seat][1]
                msg = msg if gains is None else msg + gains
            parts.append(Masked(hidden.epk, msg))
        hidden_positions = frozenset(self.masked)
        bare = [position for position in self.positions if position not in hidden_positions]
        if bare:
            faces = [face for face in map(deck.places.face, bare) if face is not None]
            parts.append(Masked(deck.binding.group.identity(len(faces)), deck.faces.take(faces)))
        cards = Masked(concat(*(part.epk for part in parts)), concat(*(part.msg for part in parts)))
        order = {position: place for place, position in enumerate((*self.masked, *bare))}
        return cards.take([order[position] for position in self.positions])


@dataclass(frozen=True)
class Masking:
    """All seats mask the cards that go back where everybody sees them lie, side by side: masks add up."""

    operation: Return
    epoch: int
    cards: Masked
    joint: Points
    keys: Mapping[int, Points]
    anchor: bytes
    #: Seat to what it adds to epk and msg.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        return tuple(deck.duty(seat, "mask", self.anchor) for seat in deck.binding.players if seat not in self.said)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        binding = deck.binding
        masks = mask_draws(tape, binding, deck.number, self.epoch, duty.seat, self.cards, self.joint)
        epk, msg = masks * binding.group.G, masks * self.joint
        each = Each(binding.group.G, epk, self.joint, msg)
        proof = equality.prove_each(deck.transcript(duty, self.epoch), tape, each, masks)
        return encode(Mask(epk.to_bytes(), msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(Mask, message)
        group, count = deck.binding.group, len(self.cards)
        epk = read_points(group, said.epk, count, "epk")
        msg = read_points(group, said.msg, count, "msg")
        each = Each(group.G, epk, self.joint, msg)
        check = equality.check_each(deck.transcript(duty, self.epoch), each, said.proof)
        stage = replace(self, said={**self.said, duty.seat: Masked(epk, msg)})
        if len(stage.said) == len(deck.binding.players):
            return DeckChange(replace(deck, stage=stage.rekeying(deck)), (), (check,))
        return DeckChange(replace(deck, stage=stage), (), (check,))

    def rekeying(self, deck: MaskDeck) -> Rekeying:
        """The masked cards, to be moved to keys of their own."""
        epk, msg = self.cards.epk, self.cards.msg
        for seat in deck.binding.players:
            epk, msg = epk + self.said[seat].epk, msg + self.said[seat].msg
        if epk.first_identity() is not None:
            raise Malformed(f"the masks of card {epk.first_identity()} cancel")
        return Rekeying(self.operation, self.epoch, Masked(epk, msg), self.keys, deck.trail)


def first_stage(deck: MaskDeck, operation: Operation) -> Shuffling:
    """A new deck: the bare faces, no keys, the first seat to shuffle."""
    if not isinstance(operation, NewDeck):
        raise BadParameter("a deck begins with being made")
    group = deck.binding.group
    cards = Masked(group.identity(len(deck.faces)), deck.faces)
    return Shuffling(operation, 0, cards, group.identity(1), {}, 0, deck.trail)
