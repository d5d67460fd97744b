"""What a cheater with the honest program's code would send: false statements, proven as well as anybody can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nodealer.group import Points, Scalars, concat, hash_to_points
from nodealer.group.order import order_of
from nodealer.proofs import equality, linear, shuffle
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import Duty
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import Cascade, HeldCards, LockedCards, RaisedCards
from nodealer.protocols.lock.recovery import LockDeclaring, Raising, _statement, held_point
from nodealer.protocols.lock.shuffle import Cascading
from nodealer.tape import Tape
from nodealer.wire import encode

from .kit import Forge, at_place

#: A cheater may prove its statement for another place than the one where it is asked.
Where = Callable[[LockDeck], LockDeck]


def here(deck: LockDeck) -> LockDeck:
    return deck


def junk(like: Points, label: bytes = b"junk") -> Points:
    return hash_to_points(like.group, b"nodealer/tests", [label])


# --- The cascade ---


@dataclass(frozen=True)
class Multiplied:
    """What goes into a step of the cascade."""

    before: Points
    s: Scalars
    S: Points
    order: list[int]
    cards: Points


def false_cascade(change: Callable[[Multiplied], Multiplied], where: Where = here) -> Forge:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, table = deck.stage, deck.binding
        assert isinstance(stage, Cascading)
        s = deck.cascade_secret(tape, duty.seat)
        order = deck.cascade_order(tape, duty.seat, stage.cards)
        step = Multiplied(stage.cards, s, s * table.group.G, order.vartime_list(), s * stage.cards.take(order))
        assert _send(deck, duty, tape, step, here) == honest
        return _send(deck, duty, tape, change(step), where)

    return forge


def _send(deck: LockDeck, duty: Duty, tape: Tape, step: Multiplied, where: Where) -> bytes:
    relation = OneScalar(step.S, step.before, step.cards)
    place = where(deck)
    proof = shuffle.prove(place.transcript(duty, place.epoch), tape, relation, order_of(step.order), lambda b: step.s)
    return encode(Cascade(step.S.to_bytes(), step.cards.to_bytes(), proof))


Change = Callable[[Multiplied], Multiplied]


def put_card(index: int, card: Callable[[Multiplied], Points]) -> Change:
    return lambda step: replace(step, cards=at_place(step.cards, index, card(step)))


def doubled(index: int) -> Change:
    """Another card stands here too, under another scalar, so that no two points are equal."""
    return put_card(index, lambda step: step.cards[index - 1] + step.cards[index - 1])


def repeated(index: int) -> Change:
    return put_card(index, lambda step: step.cards[index - 1])


def replaced(index: int) -> Change:
    """A card that was never in the deck, well multiplied."""
    return put_card(index, lambda step: step.s * junk(step.S))


def junk_card(index: int) -> Change:
    return put_card(index, lambda step: junk(step.S))


def scaled(index: int) -> Change:
    """A card multiplied by two: its face is found again as twice the face."""
    return put_card(index, lambda step: step.cards[index] + step.cards[index])


def marked(index: int) -> Change:
    """A card that is the sum of two others: the relation is found again after any shuffle with one scalar."""
    return put_card(index, lambda step: step.cards[index - 1] + step.cards[index - 2])


def related(step: Multiplied) -> Multiplied:
    """The whole deck as known multiples of one point: whoever multiplies and permutes it shows the permutation."""
    factors = step.S.group.integers(range(2, 2 + len(step.cards)))
    return replace(step, cards=factors * junk(step.S))


def another_key(step: Multiplied) -> Multiplied:
    return replace(step, S=step.S + step.S)


# --- The lock ---


@dataclass(frozen=True)
class Locked:
    """What goes into a lock."""

    old: Points
    before: Points
    new: Scalars
    ratio: Scalars
    keys: Points
    cards: Points


def false_lock(change: Callable[[Locked], Locked], where: Where = here) -> Forge:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, table = deck.stage, deck.binding
        assert isinstance(stage, Locking)
        old = deck.cascade_secret(tape, duty.seat)
        before, new = stage.layer.cards, deck.layers.draw_secrets(tape, stage.layer, duty.seat)
        ratio = old.invert() * new
        step = change(Locked(stage.old[duty.seat], before, new, ratio, new * table.group.G, ratio * before))
        place = where(deck)
        each = ManyEqualities(step.old, step.keys, step.before, step.cards)
        proof = equality.prove_many_equalities(place.transcript(duty, place.epoch), tape, each, step.ratio)
        return encode(LockedCards(step.keys.to_bytes(), step.cards.to_bytes(), proof))

    return forge


LockChange = Callable[[Locked], Locked]


def lock_card(index: int, card: Callable[[Locked], Points]) -> LockChange:
    return lambda step: replace(step, cards=at_place(step.cards, index, card(step)))


def two_cards_cancel(index: int) -> LockChange:
    """Two false cards whose sum is right."""

    def change(step: Locked) -> Locked:
        tag, other = junk(step.old), index - 1 if index else 1
        cards = at_place(step.cards, index, step.cards[index] + tag)
        return replace(step, cards=at_place(cards, other, cards[other] - tag))

    return change


def exchanged(index: int) -> LockChange:
    """Two cards in each other's place."""

    def change(step: Locked) -> Locked:
        places = list(range(len(step.cards)))
        places[index], places[index - 1] = places[index - 1], places[index]
        return replace(step, cards=step.cards.take(places))

    return change


def other_secret(index: int) -> LockChange:
    """The card is locked with another secret than the one whose key is published."""
    return lambda step: replace(step, keys=at_place(step.keys, index, step.keys[index] + step.old.group.G))


# --- The recovery ---


@dataclass(frozen=True)
class Declared:
    """The held cards of a seat on their way into the recovery."""

    e: Scalars
    V: Points
    secrets: Scalars
    X: Points


def false_held(change: Callable[[LockDeck, Declared], Points], where: Where = here) -> Forge:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage = deck.stage
        assert isinstance(stage, LockDeclaring)
        positions = stage._mine(deck, duty.seat)
        e = deck.cascade_secret(tape, duty.seat)
        secrets = deck.card_secrets(tape, positions, duty.seat)
        ratio = e * secrets.invert()
        V = concat(*(held_point(deck, position) for position in positions))
        X = change(deck, Declared(e, V, secrets, ratio * V))
        statement = _statement(deck, duty.seat, positions, stage.keys[duty.seat], X)
        place = where(deck)
        proof = linear.prove(place.transcript(duty, place.epoch), tape, statement, [ratio])
        return encode(HeldCards(X.to_bytes(), proof))

    return forge


def false_raise(change: Callable[[Points, Points], Points], where: Where = here) -> Forge:
    """From the points before and after to the points that are sent."""

    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage = deck.stage
        assert isinstance(stage, Raising)
        e = deck.cascade_secret(tape, duty.seat)
        before = stage._points(deck, duty.seat)
        after = change(before, e * before)
        place = where(deck)
        transcript = place.transcript(duty, place.epoch)
        proof = equality.prove_equality(transcript, tape, stage.keys[duty.seat], before, after, e)
        return encode(RaisedCards(after.to_bytes(), proof))

    return forge
