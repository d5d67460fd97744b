"""How the cards of a `mask` deck get their order and their keys.

Shuffles go from seat to seat; moving cards to new keys is done by all seats at once, because what each adds to a card
does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nodealer.cards import Moved, NewDeck, Return
from nodealer.errors import Malformed
from nodealer.group import Points, concat
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import Each
from nodealer.proofs.relations import AddMask, Remask
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.layers import Layer
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskRekey, MaskReshuffle, MaskShuffle
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class MaskShuffling:
    """Each seat in turn masks all cards and permutes them. In a new deck its key joins in the same step."""

    operation: NewDeck | Return
    epoch: int
    #: None while nobody has shuffled a new deck: then they are its bare faces.
    cards: Masked | None
    #: The joint key so far; complete from the start where the cards were gathered.
    joint: Points
    #: Seat to shuffle key, for the seats that have joined.
    keys: Mapping[int, Points]
    turn: int
    anchor: bytes

    def before(self, deck: MaskDeck) -> Masked:
        """The cards as the next seat gets them."""
        return deck.bare(range(deck.faces.size)) if self.cards is None else self.cards

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.binding.players[self.turn], self._step, self.anchor),)

    @property
    def _step(self) -> str:
        return "shuffle" if isinstance(self.operation, NewDeck) else "reshuffle"

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        seat, group, given = duty.seat, deck.binding.group, self.before(deck)
        s = deck.shuffle_secret(tape, seat, self.epoch)
        S = s * group.G
        joins = isinstance(self.operation, NewDeck)
        joint = self.joint + S if joins else self.joint
        order, masks = deck.shuffle_draws(tape, seat, self.epoch, given, joint)
        before = given.take(order)
        epk = before.epk + masks * group.G
        if joins and self.turn:
            msg = before.msg + group.combine(s, before.epk, masks, joint)
        else:
            # No key joins; or every epk is still the identity, and there is nothing to add the key to.
            msg = before.msg + masks * joint
        transcript = deck.transcript(duty, self.epoch)
        if joins:
            joining = AddMask(self.joint, S, given.epk, given.msg, epk, msg)
            proof = shuffle.prove(transcript, tape, joining, order, lambda b: concat(b.dot(masks), s))
            return encode(MaskShuffle(S.to_bytes(), epk.to_bytes(), msg.to_bytes(), proof))
        pairs = Remask(self.joint, given.epk, given.msg, epk, msg)
        proof = shuffle.prove(transcript, tape, pairs, order, lambda b: b.dot(masks))
        return encode(MaskReshuffle(epk.to_bytes(), msg.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        if isinstance(self.operation, NewDeck):
            return self._join(deck, duty, read_message(MaskShuffle, message))
        said, given = read_message(MaskReshuffle, message), self.before(deck)
        cards = _read(said, given)
        relation = Remask(self.joint, given.epk, given.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        return replace(self, cards=cards)._next(deck, check)

    def _join(self, deck: MaskDeck, duty: Duty, said: MaskShuffle) -> DeckChange:
        S, given = read_points(deck.binding.group, said.key, 1, "the shuffle key"), self.before(deck)
        if any(key == S for key in self.keys.values()):
            raise Malformed("the shuffle key is another seat's")
        cards = _read(said, given)
        relation = AddMask(self.joint, S, given.epk, given.msg, cards.epk, cards.msg)
        check = shuffle.check(deck.transcript(duty, self.epoch), relation, said.proof)
        keys = {**self.keys, duty.seat: S}
        return replace(self, cards=cards, joint=relation.joint, keys=keys)._next(deck, check)

    def _next(self, deck: MaskDeck, check: Check) -> DeckChange:
        if self.turn + 1 < len(deck.binding.players):
            return DeckChange(deck.to(replace(self, turn=self.turn + 1, anchor=deck.trail)), (), (check,))
        rekeying = Rekeying(self.operation, self.epoch, self.before(deck), self.keys, deck.trail)
        return DeckChange(deck.to(rekeying), (), (check,))


def _read(said: MaskShuffle | MaskReshuffle, given: Masked) -> Masked:
    group, count = given.group, len(given)
    return Masked(read_points(group, said.epk, count, "epk"), read_points(group, said.msg, count, "msg"))


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
        seat, group = duty.seat, deck.binding.group
        new = deck.layers.drawn(tape, self._layer(deck), seat)
        delta = new - deck.shuffle_secret(tape, seat, self.epoch)
        keys, gains = new * group.G, delta * self.cards.epk
        transcript = deck.transcript(duty, self.epoch)
        each = Each(group.G, keys, self.cards.epk, gains, less=self.old[seat])
        proof = equality.prove_each(transcript, tape, each, delta)
        return encode(MaskRekey(keys.to_bytes(), gains.to_bytes(), proof))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(MaskRekey, message)
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
            return DeckChange(deck.to(stage), (), (check,))
        return replace(stage._finish(deck), checks=(check,))

    def _layer(self, deck: MaskDeck) -> Layer[Masked]:
        """The layer that the cards will be."""
        first = deck.places.positions if isinstance(self.operation, Return) else 0
        return Layer(first, self.epoch, deck.binding, self.cards.digest(), self.cards, {})

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """The cards as a new layer."""
        msg = self.cards.msg
        for seat in deck.binding.players:
            msg = msg + self.said[seat][1]
        keys = {seat: keys for seat, (keys, _) in self.said.items()}
        layers = deck.layers.with_layer(replace(self._layer(deck), cards=Masked(self.cards.epk, msg), keys=keys))
        if isinstance(self.operation, NewDeck):
            return deck.finish(layers=layers)
        back, places = self.operation.positions, deck.places
        moved = (Moved(places.card(position), None) for position in back)
        return deck.finish(*moved, layers=layers, places=places.restack(back, self.operation.place))
