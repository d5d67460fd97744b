"""Hidden cards that a seat gives to another, or shows to it alone.

A held card is (u, w = M + s·u) under its holder's key alone. Who gets it publishes a new key Q = t·G for each card,
with proof: else it could name somebody else's key, and get the card opened when that one is published. The holder then
publishes (ρ·G, M + ρ·Q), and proves K = s·G, u' = ρ·G, w − w' = s·u − ρ·Q. A card that was given lies at a new place,
under the receiver's key alone; its old place is dead, and its old key is never published.
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


def give(deck: MaskDeck, operation: Pass) -> DeckChange:
    """Begin a pass: all gifts side by side."""
    gifts = deck.places.validate_pass(operation, deck.binding.players)
    return DeckChange(deck.to(Receiving(operation, gifts, deck.trail), epoch=deck.epoch + 1))


def show(deck: MaskDeck, operation: Show) -> DeckChange:
    """Show cards to all, by publishing their keys, or to one seat, by handing them over without moving them."""
    if operation.to is None:
        return release(deck, operation)
    gift = Gift(operation.seat, operation.to, deck.places.validate_show(operation))
    if operation.to == operation.seat or operation.to not in deck.binding.players:
        raise BadParameter(f"seat {operation.seat} cannot show a card to seat {operation.to}")
    return DeckChange(deck.to(Receiving(operation, (gift,), deck.trail), epoch=deck.epoch + 1))


@dataclass(frozen=True)
class Receiving:
    """All who get cards publish a key for each, side by side."""

    operation: Pass | Show
    gifts: tuple[Gift, ...]
    anchor: bytes
    #: Seat to its new keys, for all cards that it gets, in the order of the gifts.
    said: Mapping[int, Points] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        getting = {gift.to for gift in self.gifts} - self.said.keys()
        return tuple(deck.duty(seat, "receive", self.anchor) for seat in deck.binding.players if seat in getting)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        secrets = concat(*(deck.layers.drawn(tape, layer, duty.seat) for layer in self._layers(deck, duty.seat)))
        keys = secrets * deck.binding.group.G
        knowledge = equality.prove_knowledge(deck.transcript(duty, deck.epoch), tape, keys, secrets)
        return encode(MaskReceive(keys.to_bytes(), knowledge))

    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(MaskReceive, message)
        count = sum(len(gift.positions) for gift in self.gifts if gift.to == duty.seat)
        keys = read_points(deck.binding.group, said.keys, count, "the new keys")
        # One key, one card: publishing one must never publish another.
        new = encodings(keys)
        if len(set(new)) != count or not set(new).isdisjoint(self._taken(deck)):
            raise Malformed("a new key is one that there is already")
        check = equality.check_knowledge(deck.transcript(duty, deck.epoch), keys, said.knowledge)
        stage = replace(self, said={**self.said, duty.seat: keys})
        if stage.duties(deck):
            return DeckChange(deck.to(stage), (), (check,))
        return DeckChange(deck.to(Handing(self.operation, self.gifts, stage._by_gift(), deck.trail)), (), (check,))

    def _layers(self, deck: MaskDeck, seat: int) -> Iterable[Layer[Masked]]:
        return (layer_of(deck, gift) for gift in self.gifts if gift.to == seat)

    def _taken(self, deck: MaskDeck) -> set[bytes]:
        return deck.taken_keys() | {key for keys in self.said.values() for key in encodings(keys)}

    def _by_gift(self) -> tuple[Points, ...]:
        """The keys of each gift."""
        used, keys = dict.fromkeys(self.said, 0), list[Points]()
        for gift in self.gifts:
            first = used[gift.to]
            used[gift.to] += len(gift.positions)
            keys.append(self.said[gift.to].take(range(first, used[gift.to])))
        return tuple(keys)


def layer_of(deck: MaskDeck, gift: Gift) -> Layer[Masked]:
    """The layer that the cards of a gift will be: under the receiver's keys alone, drawn for exactly these cards."""
    cards = deck.held_cards(gift.positions)
    alone = deck.binding.without(tuple(seat for seat in deck.binding.players if seat != gift.to))
    return Layer(deck.places.position_count, deck.epoch, alone, cards.digest(), cards, {})


@dataclass(frozen=True)
class Handing:
    """All who give put their cards under the receivers' keys, side by side."""

    operation: Pass | Show
    gifts: tuple[Gift, ...]
    #: The keys of each gift.
    keys: tuple[Points, ...]
    anchor: bytes
    #: Seat to all cards that it gives, as they are now.
    said: Mapping[int, Masked] = field(default_factory=dict)

    def duties(self, deck: MaskDeck) -> tuple[Duty, ...]:
        giving = {gift.giver for gift in self.gifts} - self.said.keys()
        return tuple(deck.duty(seat, "hand", self.anchor) for seat in deck.binding.players if seat in giving)

    def message(self, deck: MaskDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        seat, positions, keys = duty.seat, self._positions(duty.seat), self._keys(duty.seat)
        mine, s = deck.held_cards(positions), deck.card_secrets(tape, positions, seat)
        masks = _masks(deck, tape, seat, mine, keys)
        fresh = Masked(masks * deck.binding.group.G, mine.msg - s * mine.epk + masks * keys)
        statement = _statement(mine, deck.card_keys(positions, seat), fresh, keys)
        proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [s, masks])
        return encode(MaskHand(fresh.epk.to_bytes(), fresh.msg.to_bytes(), proof))

    # defence: passed
    def apply(self, deck: MaskDeck, duty: Duty, message: bytes) -> DeckChange:
        said, group, positions = read_message(MaskHand, message), deck.binding.group, self._positions(duty.seat)
        epk = read_points(group, said.epk, len(positions), "epk")
        fresh = Masked(epk, read_points(group, said.msg, len(positions), "msg"))
        own = deck.card_keys(positions, duty.seat)
        statement = _statement(deck.held_cards(positions), own, fresh, self._keys(duty.seat))
        check = linear.check(deck.transcript(duty, deck.epoch), statement, said.proof)
        stage = replace(self, said={**self.said, duty.seat: fresh})
        if stage.duties(deck):
            return DeckChange(deck.to(stage), (), (check,))
        return replace(stage._finish(deck), checks=(check,))

    def _positions(self, seat: int) -> tuple[int, ...]:
        return tuple(position for gift in self.gifts if gift.giver == seat for position in gift.positions)

    def _keys(self, seat: int) -> Points:
        return concat(*(keys for gift, keys in zip(self.gifts, self.keys, strict=True) if gift.giver == seat))

    def _gifts(self) -> Iterator[tuple[Gift, Points, Masked]]:
        """The gifts of those who have handed theirs over: the keys and the cards of each."""
        used = dict.fromkeys(self.said, 0)
        for gift, keys in zip(self.gifts, self.keys, strict=True):
            if gift.giver in used:
                first = used[gift.giver]
                used[gift.giver] += len(gift.positions)
                yield gift, keys, self.said[gift.giver].take(range(first, used[gift.giver]))

    def _finish(self, deck: MaskDeck) -> DeckChange:
        """Each gift as a layer of its own."""
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

    def broken_off(self, deck: MaskDeck) -> MaskDeck:
        """The deck when somebody leaves now. What was handed over has been seen, and is never dealt again."""
        for gift, keys, fresh in self._gifts():
            deck = _with_gift(deck, gift, keys, fresh, deck.places.apply_showing(gift))
        return deck


def _with_gift(deck: MaskDeck, gift: Gift, keys: Points, fresh: Masked, places: Places) -> MaskDeck:
    layer = replace(layer_of(deck, gift), cards=fresh, keys={gift.to: keys})
    return deck.at(layers=deck.layers.with_layer(layer), places=places)


def _masks(deck: MaskDeck, tape: Tape, seat: int, cards: Masked, keys: Points) -> Scalars:
    """The masks of cards that are handed over: for these cards, these keys and this epoch."""
    inputs = deck.inputs(seat, deck.epoch, cards.digest(), keys.to_bytes())
    return draw_scalars(tape, "mask handed cards", inputs, deck.binding.group, len(cards))


def _statement(held: Masked, own: Points, fresh: Masked, keys: Points) -> linear.Statement:
    """K = s·G; u' = ρ·G; w − w' = s·u − ρ·Q: for each card, with secrets s and ρ and a key Q of its own."""
    G = own.group.G
    rows = (
        linear.LinearRow(own, ((0, G),)),
        linear.LinearRow(fresh.epk, ((1, G),)),
        linear.LinearRow(held.msg - fresh.msg, ((0, held.epk), (1, -keys))),
    )
    return linear.Statement(labels.HANDED_CARDS, (len(own), len(own)), rows)
