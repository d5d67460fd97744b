"""Decks that one honest seat and adversaries make together, and the order in which the cards then lie.

An adversary leaves every order that it could draw as it is, and its keys come from a seed that everybody knows; all
its messages are right, so nobody objects. What is left of chance is the honest seat's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.harness import Source
from nodealer.cards.operations import Deal, Operation, Portion, Random
from nodealer.group import Order as SecretOrder
from nodealer.group import group
from nodealer.group import order as secret
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Deck
from nodealer.protocols.dice import Dice
from nodealer.tape import Tape, hand_tape
from protocols.decks import binding
from uniformity.chisquare import Order

#: Cards of a deck: few, so that every order comes up.
CARDS: Final = 4


class Adversary(Tape):
    """A tape that never shuffles."""

    def permutation(self, label: str, inputs: bytes, count: int) -> SecretOrder:
        return secret.order_of(range(count))


class Cutter(Tape):
    """A tape that only cuts a deck: each card lies anywhere as often, and beside the same ones as before."""

    def permutation(self, label: str, inputs: bytes, count: int) -> SecretOrder:
        (cut,) = self.draw_below(label, inputs, [count])
        return secret.order_of([*range(cut, count), *range(cut)])


# --- Shuffles that look right ---


def only_cut(tape: Tape, inputs: bytes) -> list[int]:
    return Cutter(tape.seed).permutation("cut", inputs, 5).vartime_list()


def swap_with_any(tape: Tape, inputs: bytes) -> list[int]:
    """As many write it first: each place is exchanged with any of all. There are n^n ways, which n! does not divide."""
    order = list(range(5))
    for place, other in enumerate(tape.draw_below("any", inputs, [5] * 5)):
        order[place], order[other] = order[other], order[place]
    return order


def modulo(tape: Tape, inputs: bytes) -> list[int]:
    """The right exchanges, by remainders of which the high ones were not thrown away: of 4 bits, so that it shows."""
    order, drawn = list(range(5)), tape.draw("modulo", inputs, size=5)
    for last in range(4, 0, -1):
        chosen = drawn[last] % 16 % (last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def sattolo(tape: Tape, inputs: bytes) -> list[int]:
    """One off: no place is exchanged with itself, so every order is one cycle."""
    order = list(range(5))
    for last, chosen in zip(range(4, 0, -1), tape.draw_below("sattolo", inputs, range(4, 0, -1)), strict=True):
        order[last], order[chosen] = order[chosen], order[last]
    return order


KNOWN: Final = bytes(range(32))


def tapes(seats: int, honest: int, seed: bytes, hand: int, kind: type[Tape] = Tape) -> dict[int, Tape]:
    """Of one hand: the honest seat's root is its own, those of all others are known."""
    found = dict[int, Tape]()
    for seat in range(seats):
        root = seed if seat == honest else KNOWN
        drawn = hand_tape(root, session=KNOWN, seat=seat, hand=hand).seed
        found[seat] = kind(drawn) if seat == honest else Adversary(drawn)
    return found


def order_of(protocol: str, by_seat: dict[int, Tape], hand: int) -> Order:
    """Make a deck, deal all of it to the first seat, and read it: the cards by their places."""
    seats = len(by_seat)
    identities = tuple((seat, bytes([seat]) * 32) for seat in range(seats))
    table = replace(binding(protocol, group(), seats, session=KNOWN, hand=hand), identities=identities)
    owner = 0 if protocol == "duel" else None
    deck: Deck = make_protocol(protocol).new_deck(table, 0, CARDS, owner)
    deck = ask(spoken(deck, by_seat), Deal(0, (Portion(0, CARDS),)), by_seat)
    known = sorted((card.position, face) for card, face in deck.knows(0, by_seat[0]).items())
    return tuple(face for _, face in known)


def spoken(deck: Deck, by_seat: dict[int, Tape]) -> Deck:
    """Until nobody owes anything. Proofs are made and not looked at: that they are right is tested elsewhere."""
    while owed := [duty for duty in deck.duties if not duty.optional]:
        deck = deck.apply(owed[0], deck.message(owed[0], by_seat[owed[0].seat])).deck
    return deck


def ask(deck: Deck, operation: Operation, by_seat: dict[int, Tape]) -> Deck:
    return spoken(deck.request(operation).deck, by_seat)


def orders(protocol: str, samples: int, *, seats: int, honest: int, kind: type[Tape] = Tape) -> list[Order]:
    """Two hands of the same table after each other, of ever new tables."""
    source, found = Source(f"{protocol} {seats} {honest}"), list[Order]()
    while len(found) < samples:
        seed = source(32)
        found += [order_of(protocol, tapes(seats, honest, seed, hand, kind), hand) for hand in (0, 1)]
    return found[:samples]


def drawn(samples: int, draw: Callable[[Tape, bytes], list[int]]) -> list[Order]:
    """Orders from the tape alone: many more of them."""
    source = Source("drawn")
    tape = Tape(source(32))
    return [tuple(draw(tape, number.to_bytes(4, "little"))) for number in range(samples)]


def rolls(samples: int, sides: tuple[int, ...], kind: type[Tape] = Tape) -> list[tuple[int, ...]]:
    """What three seats roll of whom two always add the same, known bytes."""
    table, source, found = binding("dice", group(), 3), Source("dice"), list[tuple[int, ...]]()
    for number in range(samples):
        by_seat = tapes(3, number % 3, source(32), 0, kind)
        dice = Dice(replace(table, session=source(32)), 15)
        deck = dice.request(Random(15, sides)).deck
        while owed := deck.duties:
            step = deck.apply(owed[0], deck.message(owed[0], by_seat[owed[0].seat]))
            deck = step.deck
        found += [event.numbers for event in step.events if hasattr(event, "numbers")]
    return found
