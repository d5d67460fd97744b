"""Hidden cards that a seat gives to another, or shows to it alone.

A held card is (u, w = M + s·u) under its holder's key alone. The receiver publishes a new key Q = t·G for each card,
with a proof. Without the proof, it could name another seat's key and have the card opened when that key is published.
The holder then publishes (ρ·G, M + ρ·Q), and proves K = s·G, u' = ρ·G, w − w' = s·u − ρ·Q. A given card is at a new
position, under the receiver's key alone. Its old position is dead, and its old key is never published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Moved
from nodealer.cards.operations import Gift, Pass, Show
from nodealer.cards.places import Places
from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars, concat
from nodealer.proofs import equality, labels, linear
from nodealer.proofs.encoding import encodings
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.keyed_deck import release
from nodealer.protocols.layers import Layer
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHand, MaskReceive
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


def pass_cards(deck: MaskDeck, operation: Pass) -> DeckChange:
    """Begin a pass, with all gifts in parallel."""
    gifts = deck.places.validate_pass(operation, deck.binding.players)
    return DeckChange(deck.in_stage(Receiving(operation, gifts, deck.trail), epoch=deck.epoch + 1))


def show(deck: MaskDeck, operation: Show) -> DeckChange:
    """Show cards to everyone by publishing their keys, or to one seat by transferring them without moving them."""
    if operation.to is None:
        return release(deck, operation)
    gift = Gift(operation.seat, operation.to, deck.places.validate_show(operation))
    if operation.to == operation.seat or operation.to not in deck.binding.players:
        raise BadParameter(f"seat {operation.seat} cannot show a card to seat {operation.to}")
    return DeckChange(deck.in_stage(Receiving(operation, (gift,), deck.trail), epoch=deck.epoch + 1))


@dataclass(frozen=True)
class Receiving:
    """Stage: all receivers publish a key for each card, in parallel."""

    operation: Pass | Show
    gifts: tuple[Gift, ...]
    anchor: bytes
    #: Seat to its new keys for all cards that it gets, in the order of the gifts.
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each receiver that has not published its keys."""
        getting = {gift.to for gift in self.gifts} - self.said.keys()
        return tuple(deck.duty(seat, "receive", self.anchor) for seat in deck.binding.players if seat in getting)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return a new key for each card that the seat gets, with a proof of knowing the secrets."""
        secrets = concat(*(deck.layers.draw_secrets(tape, layer, duty.seat) for layer in self._layers(deck, duty.seat)))
        keys = secrets * deck.binding.group.G
        knowledge = equality.prove_knowledge(deck.transcript(duty, deck.epoch), tape, keys, secrets)
        return encode(MaskReceive(keys.to_bytes(), knowledge))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a receiver's keys and return the check of its proof. Raise `Malformed` if a key is already in use."""
        said = read_message(MaskReceive, message)
        count = sum(len(gift.positions) for gift in self.gifts if gift.to == duty.seat)
        keys = read_points(deck.binding.group, said.keys, count, "the new keys")
        # Each card needs its own key: publishing one key must never reveal another card.
        new = encodings(keys)
        if len(set(new)) != count or not set(new).isdisjoint(self._taken(deck)):
            raise Malformed("a new key is already in use")
        check = equality.check_knowledge(deck.transcript(duty, deck.epoch), keys, said.knowledge)
        stage = replace(self, said={**self.said, duty.seat: keys})
        if stage.duties(deck):
            return DeckChange(deck.in_stage(stage), (), (check,))
        return DeckChange(
            deck.in_stage(HandingOver(self.operation, self.gifts, stage._by_gift(), deck.trail)), (), (check,)
        )

    def _layers(self, deck: MaskDeck, seat: int) -> Iterable[Layer[Masked]]:
        """Return the layers of the gifts that a seat gets."""
        return (layer_of(deck, gift) for gift in self.gifts if gift.to == seat)

    def _taken(self, deck: MaskDeck) -> set[bytes]:
        """Return all keys that are already in use, including those of this stage."""
        return deck.taken_keys() | {key for keys in self.said.values() for key in encodings(keys)}

    def _by_gift(self) -> tuple[Points, ...]:
        """Return the receiver's keys for each gift, in the order of the gifts."""
        used, keys = dict.fromkeys(self.said, 0), list[Points]()
        for gift in self.gifts:
            first = used[gift.to]
            used[gift.to] += len(gift.positions)
            keys.append(self.said[gift.to].take(range(first, used[gift.to])))
        return tuple(keys)


def layer_of(deck: MaskDeck, gift: Gift) -> Layer[Masked]:
    """Return the layer of a gift's cards: under the receiver's keys alone, derived from these cards."""
    cards = deck.held_cards(gift.positions)
    alone = deck.binding.without(tuple(seat for seat in deck.binding.players if seat != gift.to))
    return Layer(deck.places.position_count, deck.epoch, alone, cards.digest(), cards, {})


@dataclass(frozen=True)
class HandingOver:
    """Stage: all givers put their cards under the receivers' keys, in parallel."""

    operation: Pass | Show
    gifts: tuple[Gift, ...]
    #: The receiver's keys for each gift.
    keys: tuple[Points, ...]
    anchor: bytes
    #: Seat to all cards that it gives, in their new form.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        """Return one duty for each giver that has not handed over its cards."""
        giving = {gift.giver for gift in self.gifts} - self.said.keys()
        return tuple(deck.duty(seat, "hand", self.anchor) for seat in deck.binding.players if seat in giving)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the given cards masked under the receivers' keys, with a proof that they are the same cards."""
        seat, positions, keys = duty.seat, self._positions(duty.seat), self._keys(duty.seat)
        mine, s = deck.held_cards(positions), deck.card_secrets(tape, positions, seat)
        masks = _masks(deck, tape, seat, mine, keys)
        fresh = Masked(masks * deck.binding.group.G, mine.msg - s * mine.epk + masks * keys)
        statement = _statement(mine, deck.card_keys(positions, seat), fresh, keys)
        proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [s, masks])
        return encode(MaskHand(fresh.epk.to_bytes(), fresh.msg.to_bytes(), proof))

    # defence: passed
    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a giver's cards and return the check of its proof. After the last, finish the pass or the show."""
        said, group, positions = read_message(MaskHand, message), deck.binding.group, self._positions(duty.seat)
        epk = read_points(group, said.epk, len(positions), "epk")
        fresh = Masked(epk, read_points(group, said.msg, len(positions), "msg"))
        own = deck.card_keys(positions, duty.seat)
        statement = _statement(deck.held_cards(positions), own, fresh, self._keys(duty.seat))
        check = linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)
        stage = replace(self, said={**self.said, duty.seat: fresh})
        if stage.duties(deck):
            return DeckChange(deck.in_stage(stage), (), (check,))
        return replace(stage._finish(deck), checks=(check,))

    def _positions(self, seat: int) -> tuple[int, ...]:
        """Return the positions of all cards that a seat gives."""
        return tuple(position for gift in self.gifts if gift.giver == seat for position in gift.positions)

    def _keys(self, seat: int) -> Points:
        """Return the receivers' keys for all cards that a seat gives."""
        return concat(*(keys for gift, keys in zip(self.gifts, self.keys, strict=True) if gift.giver == seat))

    def _gifts(self) -> Iterator[tuple[Gift, Points, Masked]]:
        """Yield the gifts of the seats that have sent theirs, with the keys and cards of each."""
        used = dict.fromkeys(self.said, 0)
        for gift, keys in zip(self.gifts, self.keys, strict=True):
            if gift.giver in used:
                first = used[gift.giver]
                used[gift.giver] += len(gift.positions)
                yield gift, keys, self.said[gift.giver].take(range(first, used[gift.giver]))

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """Finish with each gift as a new layer."""
        events = list[Moved]()
        for gift, keys, fresh in self._gifts():
            before = deck.places
            places = before.apply_gift(gift) if isinstance(self.operation, Pass) else before.apply_showing(gift)
            if isinstance(self.operation, Pass):
                now = range(before.position_count, places.position_count)
                moves = zip(now, gift.positions, strict=True)
                events += [Moved(places.card(new), gift.to, before.card(old)) for new, old in moves]
            deck = _with_gift(deck, gift, keys, fresh, places)
        return deck.finish(*events)

    def with_handed_cards(self, deck: MaskDeck) -> MaskDeck:
        """Return the deck with the cards already handed over marked as seen, for when a seat leaves now."""
        for gift, keys, fresh in self._gifts():
            deck = _with_gift(deck, gift, keys, fresh, deck.places.apply_showing(gift))
        return deck


def _with_gift(deck: MaskDeck, gift: Gift, keys: Points, fresh: Masked, places: Places) -> MaskDeck:
    """Return the deck with a gift added as a layer."""
    layer = replace(layer_of(deck, gift), cards=fresh, keys={gift.to: keys})
    return deck.with_fields(layers=deck.layers.with_layer(layer), places=places)


def _masks(deck: MaskDeck, tape: Tape, seat: int, cards: Masked, keys: Points) -> Scalars:
    """Return the masks of cards that are handed over, derived from these cards, these keys and this epoch."""
    inputs = deck.inputs(seat, deck.epoch, cards.digest(), keys.to_bytes())
    return draw_scalars(tape, "mask handed cards", inputs, deck.binding.group, len(cards))


def _statement(held: Masked, own: Points, fresh: Masked, keys: Points) -> linear.Statement:
    """Return the statement K = s·G; u' = ρ·G; w − w' = s·u − ρ·Q for each card, with its own s, ρ and Q."""
    G = own.group.G
    rows = (
        linear.LinearRow(own, ((0, G),)),
        linear.LinearRow(fresh.epk, ((1, G),)),
        linear.LinearRow(held.msg - fresh.msg, ((0, held.epk), (1, -keys))),
    )
    return linear.Statement(labels.HANDED_CARDS, (len(own), len(own)), rows)
