"""Any order of shuffling, the dealer at any seat, any number of seats: every card once, each seat reads its own."""

from __future__ import annotations

import itertools

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Close, Deal, NewDeck, Open, Place, Portion, Return, Show
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.wire import encode

from .kit import OffsetDecks, decks_of, played, table


def run(decks: OffsetDecks, seats: int) -> list[int]:
    """Deal one to each seat (the dealer too), open one, everybody shows: the faces by deal."""
    decks.make(seats + 1)
    decks.ask(Deal(0, tuple(Portion(seat, 1) for seat in range(seats))))
    own = {card: face for seat in range(seats) for card, face in decks.knows(seat).items()}
    assert sorted(card.position for card in own) == list(range(seats))
    for seat in range(seats):
        assert [card.position for card in decks.knows(seat)] == [seat]
    decks.ask(Open(0, 1))
    for seat in range(seats):
        decks.ask(Show(0, seat, (seat,)))
    decks.settle()
    faces = {event.card: event.face for event in decks.events if isinstance(event, Opened)}
    assert sorted(faces.values()) == list(range(seats + 1))
    assert all(faces[card] == face for card, face in own.items())
    return [faces[card] for card in sorted(faces, key=lambda card: card.position)]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_every_dealer(group: Group, seats: int) -> None:
    for dealer in range(seats) if group.backend == "native" else (seats - 1,):
        decks = decks_of(group, seats, dealer=dealer)
        run(decks, seats)
        spoke = {
            duty.seat for duty, _ in decks.said if duty.kind in ("requestDealParts", "dealInitial", "revealInitial")
        }
        assert spoke == {dealer}


@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_every_order(fast: Group, dealer: int) -> None:
    for order in itertools.permutations([1, 2, 3]):
        decks = decks_of(fast, 3, order=order, dealer=dealer)
        run(decks, 3)
        assert [duty.seat + 1 for duty, _ in decks.said if duty.kind == "shuffle"] == list(order)


def test_some_orders_of_five(fast: Group) -> None:
    for order in ([5, 4, 3, 2, 1], [3, 1, 5, 2, 4]):
        run(decks_of(fast, 5, order=order, dealer=3), 5)


def test_an_order_that_is_none(fast: Group) -> None:
    deck = Offset(on=fast).new_deck(table(fast), 0, 4, None)
    decks = decks_of(fast)
    for choice in (b"", b"{}", b"[1,2]", b"[1,2,2]", b"[1,2,4]", b'["1","2","3"]', b"[1,2,3,3]"):
        with pytest.raises(BadParameter, match="order"):
            deck.message(deck.duties[0], decks.tapes[0], choice)


def test_another_valid_order_is_the_dealers_to_choose(fast: Group) -> None:
    """The others shuffle in the order that the dealer named, whatever they would have named."""
    decks = decks_of(fast, 3)
    deck = Offset(on=fast).new_deck(decks.table, 0, 4, None)
    message = deck.message(deck.duties[0], decks.tapes[0], encode([3, 1, 2]))
    after = deck.apply(deck.duties[0], message).deck
    assert isinstance(after, OffsetDeck) and after.order == (2, 0, 1)


@pytest.mark.parametrize("dealer", [None, 0, 1, 2])
def test_at_a_table(fast: Group, dealer: int | None) -> None:
    script = (
        (NewDeck(0, 6), Deal(0, tuple(Portion(seat, 1) for seat in range(3)))),
        (Open(0, 2), Show(0, 1, (1,)), Return(0, (0,), Place.DISCARD), Close(0)),
    )
    game = played(fast, *script, dealer=dealer, hands=2).play()
    assert game.state.phase is Phase.ENDED and game.state.fault is None and len(game.state.results) == 2
    assert len(game.digests()) == 1


def test_two_decks_in_one_hand(fast: Group) -> None:
    decks = decks_of(fast, 2)
    decks.make(3, 0)
    decks.make(3, 1)
    for deck in (0, 1):
        decks.ask(Open(deck, 3))
    decks.settle()
    points = [decks.decks[n].steps[-1].deck.to_bytes() for n in (0, 1)]
    assert not {points[0][at : at + 32] for at in range(0, 192, 32)} & {
        points[1][at : at + 32] for at in range(0, 192, 32)
    }


@pytest.mark.parametrize("m", [2, 3, 52])
def test_sizes(fast: Group, m: int) -> None:
    decks = decks_of(fast, 2)
    decks.make(m)
    decks.ask(Open(0, m))
    decks.settle()
    assert sorted(event.face for event in decks.events if isinstance(event, Opened)) == list(range(m))


def test_what_it_does_not_offer(fast: Group) -> None:
    decks = decks_of(fast, 2)
    decks.make(4)
    decks.ask(Deal(0, (Portion(0, 1),)))
    for operation in (Return(0, (0,), Place.TOP), Return(0, (0,), Place.SHUFFLED)):
        with pytest.raises(BadParameter, match="cannot put cards back"):
            decks.decks[0].request(operation)
    with pytest.raises(BadParameter, match="belong to one seat"):
        Offset(on=fast).new_deck(table(fast), 0, 4, 1)
    with pytest.raises(BadParameter, match="up to 1000 cards"):
        Offset(on=fast).new_deck(table(fast), 0, 1001, None)
    with pytest.raises(BadParameter, match="no parameters"):
        Offset(b'{"a":1}', on=fast)
    assert decks.decks[0].without((1,)) is None
