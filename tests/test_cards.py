"""The bookkeeping of a deck: what a game may ask, whatever the protocol."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodealer.cards.operations import (
    Card,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    NoneOf,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Random,
    Return,
    Seal,
    Show,
    Unseal,
    operation_fields,
)
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.tape import digest
from nodealer.wire import encode

SEATS = (0, 1, 2)


def fresh(size: int = 6) -> Places:
    return Places.fresh(0, size)


@pytest.mark.parametrize("size", [-1, 0, 1, 10_001, 2**40])
def test_sizes_that_are_no_deck(size: int) -> None:
    with pytest.raises(BadParameter, match="2 to 10000 cards"):
        fresh(size)


@pytest.mark.parametrize("size", [2, 52, 10_000])
def test_sizes_that_are(size: int) -> None:
    assert fresh(size).pile == tuple(range(size))


def test_dealing_from_the_top() -> None:
    deal = Deal(0, (Portion(1, 2), Portion(0, 1), Portion(2, positions=(5,))))
    assert fresh().resolve_deal(deal, SEATS) == {1: (0, 1), 0: (2,), 2: (5,)}


@pytest.mark.parametrize(
    "portions",
    [
        (),
        (Portion(3, 1),),
        (Portion(-1, 1),),
        (Portion(0, 1), Portion(0, 1)),
        (Portion(0, 7),),
        (Portion(0, 4), Portion(1, 3)),
        (Portion(0, -1),),
        (Portion(0),),
        (Portion(0, 1, (1,)),),
        (Portion(0, positions=(1, 1)),),
        (Portion(0, positions=(1,)), Portion(1, positions=(1,))),
        (Portion(0, positions=(6,)),),
        (Portion(0, positions=(-1,)),),
        (Portion(0, 2), Portion(1, positions=(0,))),
    ],
)
def test_deals_that_make_no_sense(portions: tuple[Portion, ...]) -> None:
    with pytest.raises(BadParameter):
        fresh().resolve_deal(Deal(0, portions), SEATS)


def test_a_card_is_dealt_once() -> None:
    places = fresh().move_to_hand((0,), 1)
    assert places.holder(0) == 1 and places.hand(1) == (0,) and 0 not in places.pile
    with pytest.raises(BadParameter, match="not in the pile"):
        places.resolve_positions(0, (0,))
    with pytest.raises(BadParameter, match="not in the pile"):
        fresh().open({3: 5}).resolve_positions(0, (3,))


def test_showing_what_one_holds() -> None:
    places = fresh().move_to_hand((0,), 1).move_to_hand((1,), 2)
    assert places.validate_show(Show(0, 1, (0,))) == (0,)
    for seat, positions in ((2, (0,)), (1, (1,)), (1, (0, 1)), (1, (3,)), (1, ()), (1, (0, 0)), (0, (0,)), (1, (9,))):
        with pytest.raises(BadParameter):
            places.validate_show(Show(0, seat, positions))
    with pytest.raises(BadParameter, match="already open"):
        places.open({0: 4}).validate_show(Show(0, 1, (0,)))


def test_giving_back() -> None:
    places = fresh().move_to_hand((0,), 1).open({2: 3})
    assert places.validate_return(Return(0, (0, 2), Place.DISCARD)) == (0, 2)
    for positions in ((1,), (0, 0), (6,), ()):
        with pytest.raises(BadParameter):
            places.validate_return(Return(0, positions, Place.DISCARD))
    gone = places.drop((0, 2))
    assert gone.holder(0) is None and gone.face(2) is None and gone.pile == (1, 3, 4, 5)


@pytest.mark.parametrize(
    ("place", "pile"),
    [(Place.TOP, (6, 1, 2, 3, 4, 5)), (Place.BOTTOM, (1, 2, 3, 4, 5, 6)), (Place.SHUFFLED, (6, 7, 8, 9, 10, 11))],
)
def test_a_return_starts_an_epoch(place: Place, pile: tuple[int, ...]) -> None:
    """What comes back is a new card: nobody can follow it by its old position."""
    back = fresh().move_to_hand((0,), 1).restack((0,), place)
    assert back.pile == pile and back.epoch == 1
    assert back.card(0) == Card(0, 0, 0) and back.card(6) == Card(0, 1, 6)
    assert back.hand(1) == ()


def test_digests() -> None:
    one = fresh()
    digests = {
        p.digest()
        for p in (
            one,
            fresh(7),
            one.move_to_hand((0,), 1),
            one.move_to_hand((0,), 2),
            one.open({0: 1}),
            one.open({0: 2}),
        )
    }
    digests.add(Places.fresh(1, 6).digest())
    assert len(digests) == 7


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12))
def test_no_card_is_in_two_places(steps: list[tuple[int, int]]) -> None:
    """Whatever is asked, in whatever order, a card is in the pile, in one hand or on the table."""
    places = fresh(8)
    for what, seat in steps:
        try:
            if what == 0:
                places = places.move_to_hand(places.next_cards(1), seat)
            elif what == 1:
                places = places.open({places.next_cards(1)[0]: seat})
            elif what == 2:
                places = places.open({places.validate_show(Show(0, seat, places.hand(seat)[:1]))[0]: 7})
            else:
                places = places.drop(places.validate_return(Return(0, places.hand(seat)[:1], Place.DISCARD)))
        except BadParameter:
            continue
        assert len(set(places.pile)) == len(places.pile)
        assert not set(places.pile) & {*places.held, *places.opened}


def test_many_cards_at_once() -> None:
    """One change or many, it is the same value; what is laid aside stands in the order in which it was held."""
    once, one_by_one = fresh().move_to_hand((0, 4), 1).open({1: 5, 3: 2}), fresh()
    for position in (0, 4):
        one_by_one = one_by_one.move_to_hand((position,), 1)
    for position, face in ((1, 5), (3, 2)):
        one_by_one = one_by_one.open({position: face})
    assert once == one_by_one and once.digest() == one_by_one.digest() and once.pile == (2, 5)
    assert once.only_hidden((0, 1, 2, 3)) == (0, 2)
    assert list(once.discard((4, 0)).discards.items()) == [(0, 1), (4, 1)]
    assert once.remove_seats((1,)).held == {} and once.drop((0, 3)).opened == {1: 5}


def test_what_a_digest_is_of() -> None:
    places = fresh().move_to_hand((0, 1), 2).open({3: 4}).discard((1,))
    assert places.digest() == digest("places", b"[0,[6],[2,4,5],[[0,2]],[[3,4]],[[1,2]],[],[]]")


@pytest.mark.parametrize(
    ("operation", "encoded"),
    [
        (NewDeck(1, 52, 3), b'["newdeck",1,52,3]'),
        (Deal(0, (Portion(0, 2), Portion(1, positions=(4, 3)))), b'["deal",0,[[0,2,[]],[1,0,[4,3]]]]'),
        (Open(0, 3), b'["open",0,3,[],[]]'),
        (Open(0, positions=(1, 2), order=((2,), (0, 1))), b'["open",0,0,[1,2],[[2],[0,1]]]'),
        (Show(0, 1, (5,)), b'["show",0,1,[5],null]'),
        (Show(0, 1, (5,), to=2), b'["show",0,1,[5],2]'),
        (Pass(0, (Gift(1, 2, (5, 6)), Gift(2, 1, (7,)))), b'["pass",0,[[1,2,[5,6]],[2,1,[7]]]]'),
        (Prove(0, (NoneOf(1, (5, 6), (0, 3)), NoneOf(2, (7,), (4,)))), b'["prove",0,[[1,[5,6],[0,3]],[2,[7],[4]]]]'),
        (Random(7, (6, 2), (0, 1)), b'["random",7,[6,2],[0,1]]'),
        (Seal(8, (1,)), b'["seal",8,[1]]'),
        (Unseal(8), b'["unseal",8]'),
        (Return(0, (5,), Place.TOP), b'["return",0,[5],"top",null]'),
        (Return(0, (), Place.SHUFFLED, by=2), b'["return",0,[],"shuffled",2]'),
        (Peek(0, 1, 3, Look.TAKE), b'["peek",0,1,3,"take"]'),
        (Peek(0, 1, 3, Look.KEEP), b'["peek",0,1,3,"keep"]'),
        (Mix(0, 1, (4, 2)), b'["mix",0,1,[4,2]]'),
        (Return(0, (4,), Place.TOP, depth=3), b'["return",0,[4],"top",null,3]'),
        (Close(4), b'["close",4]'),
    ],
)
def test_operations_have_one_encoding(operation: Operation, encoded: bytes) -> None:
    """What is hashed of them is written down, and no name of a field or of a class of ours."""
    assert encode(operation_fields(operation)) == encoded


def seconds_a_card(size: int, count: int) -> float:
    """The bookkeeping of opening the top of a deck and of dealing other cards of it, the best of many."""

    def once() -> float:
        places, scattered = fresh(size), tuple(range(count + 1, size, size // count))[: count // 2]
        start = perf_counter()
        places = places.open({position: position for position in places.resolve_positions(count, ())})
        places = places.move_to_hand(places.resolve_positions(0, scattered), 0)
        assert len([places.card(position) for position in range(count)]) == count
        return (perf_counter() - start) / count

    return min(once() for _ in range(20))


def test_large_decks_cost_as_much_a_card_as_small_ones() -> None:
    assert any(seconds_a_card(10_000, 1000) <= 2 * seconds_a_card(52, 20) for _ in range(5))
