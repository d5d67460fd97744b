"""The dealer's cards are self-MAC'ing: their numbers cannot be chosen. At 2048 bits, in the group of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from math import gcd

import pytest
from msgspec import Raw
from msgspec.structs import replace as changed

from conformance.harness import Game, Source
from nodealer.cards.operations import NewDeck
from nodealer.engine.bodies import Cards
from nodealer.engine.replica import Outcome
from nodealer.errors import CardUnreadable, DecodeError, PeerFault
from nodealer.group import Group, Points, concat
from nodealer.group.modp import P
from nodealer.proofs.checks import settle
from nodealer.protocols.base import MISDEAL, Binding
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.candidates import check_opened
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck, LayerSecrets, SeatLayer, apply_layer
from nodealer.protocols.chain.lists import CARD_BYTES, CardPlace, card_number, read_number
from nodealer.protocols.chain.messages import Misdeal, Unblind
from nodealer.protocols.codec import read_message
from nodealer.tape import Tape
from nodealer.wire import encode

from .kit import PROVEN_DEALER_DECK, deal, deck_of, fault_of, said, show, table

SIZE = 6
PRIMES = (2, 3, 5, 7)
PLACE = CardPlace(bytes(32), 0, 0, 0)


def plain_deck(squares: Group, size: int = SIZE) -> ChainDeck:
    bound = Binding("chain", 1, bytes(32), bytes(32), 0, (0, 1, 2), (), squares)
    return Chain(PROVEN_DEALER_DECK, squares).new_deck(bound, 0, size, None)


def unblinded(made: DealersDeck) -> Unblind:
    values = b"".join(value.to_bytes(2, "big") for value in made.own.prior)
    return Unblind(made.own.key.to_bytes(), values, b"".join(made.own.nonces))


def layer_of(squares: Group, made: DealersDeck) -> SeatLayer:
    return SeatLayer(0, made.own.key * squares.G, made.lists)


# --- The attack, on numbers that are nonce || value and nothing more ---


def bare_number(squares: Group, nonce: bytes, value: int) -> Points:
    """A card without redundancy."""
    return squares.points((nonce + value.to_bytes(2, "big")).rjust(squares.point_size, b"\0"))


def odd_products() -> Iterator[tuple[int, tuple[int, int, int]]]:
    limit = 1 << 272
    for b, c in product(range(172), range(118)):
        base = 3**b * 5**c
        for d in range(97):
            if (number := base * 7**d) >= limit:
                break
            yield number, (b, c, d)


@cache
def smooth() -> dict[int, tuple[int, ...]]:
    """Value to the exponents of 2, 3, 5 and 7 in a number below 2^272 that ends in it, and is a square modulo p."""
    found: dict[int, tuple[int, ...]] = {}
    wanted = {value: (value & -value).bit_length() - 1 if value else 16 for value in range(SIZE)}
    for number, exponents in odd_products():
        for value, twos in wanted.items():
            if value in found or (number << twos) & 0xFFFF != value or number << twos >= 1 << 272:
                continue
            if number > 1 << 200 and pow(number << twos, (int(P) - 1) // 2, int(P)) == 1:
                found[value] = (twos, *exponents)
        if len(found) == SIZE:
            return found
    raise AssertionError("some value has no smooth number")


def smooth_deck(squares: Group, deck: ChainDeck) -> DealersDeck:
    """A dealer's deck of numbers of its choice, with names that fit."""
    own = deck.dealers_deck(Tape(bytes(32)), 0).own
    numbers = {}
    for value, exponents in smooth().items():
        number = 1
        for prime, exponent in zip(PRIMES, exponents, strict=True):
            number *= prime**exponent
        numbers[value] = number
    nonces = tuple((numbers[value] >> 16).to_bytes(32, "big") for value in own.prior)
    cards = concat(*(bare_number(squares, nonce, value) for nonce, value in zip(nonces, own.prior, strict=True)))
    return DealersDeck(LayerSecrets(own.key, nonces, own.prior), cards)


def relation(rows: list[tuple[int, ...]]) -> list[int]:
    """Whole numbers with which five rows of four add up to nothing: the minors, with their signs."""

    def minor(matrix: list[list[int]]) -> int:
        if not matrix:
            return 1
        rest = [[*row[1:]] for row in matrix]
        return sum((-1) ** at * row[0] * minor(rest[:at] + rest[at + 1 :]) for at, row in enumerate(matrix))

    found = [(-1) ** at * minor([[*row] for row in rows[:at] + rows[at + 1 :]]) for at in range(5)]
    divisor = gcd(*found) or 1
    return [factor // divisor for factor in found]


def read_by_relations(numbers: Points) -> list[tuple[int, ...]]:
    """Every order of six encrypted cards that fits the relation between five of them: no key is used."""
    factors = relation([smooth()[value] for value in range(5)])
    values = [int.from_bytes(numbers[place].to_bytes(), "big") for place in range(SIZE)]
    powers = [[pow(value, factor, int(P)) for value in values] for factor in factors]
    fitting: list[tuple[int, ...]] = []
    for places in permutations(range(SIZE), 5):
        total = 1
        for row, place in zip(powers, places, strict=True):
            total = total * row[place] % int(P)
        if total == 1:
            fitting.append(places)
    return fitting


def test_a_dealer_that_chooses_smooth_numbers_reads_the_deck_and_is_refused(squares: Group) -> None:
    """Behind everybody's shuffle it finds every place again. An opening of nonce || value called it right."""
    deck = replace(plain_deck(squares), candidate=0)
    made = smooth_deck(squares, deck)
    layer = layer_of(squares, made)
    layers, order = [layer], list(made.own.prior)
    for index in (1, 2):
        own = replace(deck, layers=tuple(layers)).layer_secrets(Tape(bytes([index]) * 32), index)
        layers.append(SeatLayer(index, own.key * squares.G, apply_layer(own, layers[-1].cards)))
        order = [order[place] for place in own.prior]
    (places,) = read_by_relations(layers[-1].cards.numbers)
    assert [order[place] for place in places] == list(range(5)), "five places read, and so the sixth"
    # Now the number of a card is not for the dealer to choose.
    with pytest.raises(PeerFault) as caught:
        settle([check_opened(deck, layer, unblinded(made), 0)], Source("w"))
    assert caught.value.seat == 0
    assert all(read_number(made.cards[place], PLACE, SIZE) is None for place in range(SIZE))


# --- What a card is ---


def honest_card(squares: Group, value: int = 3) -> tuple[bytes, Points]:
    for start in range(100):
        nonce = start.to_bytes(32, "big")
        try:
            return nonce, card_number(squares, PLACE, nonce, value)
        except DecodeError:
            continue
    raise AssertionError("no square among a hundred numbers")


def test_a_card_is_read_where_it_belongs_and_nowhere_else(squares: Group) -> None:
    nonce, card = honest_card(squares)
    assert read_number(card, PLACE, 4) == (nonce, 3)
    assert card.to_bytes()[0] == 0 and CARD_BYTES == 255
    assert card.to_bytes()[1:35] == nonce + b"\0\3"
    others = [
        replace(PLACE, session=b"\1" * 32),
        replace(PLACE, hand=1),
        replace(PLACE, deck=1),
        replace(PLACE, candidate=1),
    ]
    assert all(read_number(card, place, 4) is None for place in others)
    assert read_number(card, PLACE, 3) is None, "a value that the deck does not have"


def test_a_card_with_one_byte_changed_is_none(squares: Group) -> None:
    _, card = honest_card(squares)
    data = card.to_bytes()
    tried = 0
    for at in (0, 1, 32, 33, 34, 35, 100, 255):
        for bit in range(8):
            other = bytearray(data)
            other[at] ^= 1 << bit
            try:
                changed = squares.points(bytes(other))
            except DecodeError:
                continue
            tried += 1
            assert read_number(changed, PLACE, 65_536) is None, at
    assert tried > 20


@pytest.mark.parametrize("what", ["candidate", "deck", "hand", "session"])
def test_an_opened_deck_of_another_place_is_refused(squares: Group, what: str) -> None:
    """A whole honest deck, made for another candidate, deck, hand or session."""
    deck = plain_deck(squares, 4)
    elsewhere = {
        "candidate": deck,
        "deck": replace(deck, number=1),
        "hand": replace(deck, binding=replace(deck.binding, hand=1)),
        "session": replace(deck, binding=replace(deck.binding, session=b"\1" * 32)),
    }[what]
    made = elsewhere.dealers_deck(Tape(bytes(32)), 1 if what == "candidate" else 0)
    honest = deck.dealers_deck(Tape(bytes(32)), 0)
    settle([check_opened(deck, layer_of(squares, honest), unblinded(honest), 0)], Source("w"))
    with pytest.raises(PeerFault) as caught:
        settle([check_opened(deck, layer_of(squares, made), unblinded(made), 0)], Source("w"))
    assert caught.value.seat == 0


# --- In the deck that is played ---


def tampered(deck: ChainDeck, made: DealersDeck, number: int) -> DealersDeck:
    """One card of the first deck is that of another place, and so with another tail; its name is as it should be."""
    if number:
        return made
    value, nonce = made.own.prior[-1], made.own.nonces[-1]
    while True:
        try:
            card = card_number(made.cards.group, deck.card_place(99), nonce, value)
            break
        except DecodeError:
            nonce = (int.from_bytes(nonce, "big") + 1).to_bytes(32, "big")
    own = replace(made.own, nonces=(*made.own.nonces[:-1], nonce))
    return DealersDeck(own, concat(made.cards[:-1], card))


def lucky(squares: Group) -> Game:
    """A table whose dealer was lucky: the false deck is played, and all shuffles are proven."""
    for seed in range(20):
        script = ((NewDeck(0, 4),), deal({1: (0, 1, 2, 3)}), show(1, 0))
        game = table(squares, *script, seats=2, parameters=PROVEN_DEALER_DECK, remake=tampered, seed=f"mac {seed}")
        game.play(until=lambda g: bool(g.state.hand.decks) and deck_of(g).candidate is not None)
        if deck_of(game).candidate == 0:
            return game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    raise AssertionError("the coin never fell for this dealer")


def test_a_mismatch_in_the_played_deck_names_the_dealer_at_once(squares: Group) -> None:
    """Who draws the card claims it, and the dealer is named without being asked for anything."""
    game = lucky(squares)
    with pytest.raises(CardUnreadable, match="not one of the cards") as caught:
        game.seats[1].known_cards()
    replica = game.replica()
    duty = next(d for d in deck_of(game).duties if d.kind == MISDEAL)
    honest = read_message(Misdeal, deck_of(game).message(duty, game.tape(1)))
    # A claim that is not proven names the claimant.
    false = encode(changed(honest, proof=honest.proof[:-1] + bytes([honest.proof[-1] ^ 1])))
    assert replica.append(game.by_hand(1, Cards(duty.id, Raw(false)), replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 1
    game.order(game.seats[1].dispute(caught.value))
    fault = fault_of(game)
    assert (fault.seat, fault.reason) == (0, "its deck has a card that is not one")
    assert fault.entry == said(game, 1, "misdeal")[-1][0]
