"""Everything that can be asked of a duel deck, in every mode: where cards go, who sees them, and what is refused."""

from __future__ import annotations

import pytest

from nodealer.cards.events import Moved, Opened
from nodealer.cards.operations import Close, Deal, Look, NewDeck, Open, Peek, Place, Portion, Return, Show
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.protocols import make_protocol

from .kit import MODES, DuelDecks, fresh, table

modes = pytest.mark.parametrize("mode", MODES)


def draw(count: int) -> Deal:
    return Deal(0, (Portion(0, count),))


def all_open(decks: DuelDecks) -> list[int]:
    """Mill what is left and show the hand: every card of the deck, once."""
    deck = decks.decks[0]
    if deck.places.pile:
        deck = decks.ask(Open(0, len(deck.places.pile)))
    hidden = tuple(p for p in deck.places.hand(0) if deck.places.face(p) is None)
    if hidden:
        deck = decks.ask(Show(0, 0, hidden))
    decks.settle()
    laid_aside = [decks.reads(0)[p] for p in deck.places.discards if deck.places.face(p) is None]
    return sorted([*deck.places.opened.values(), *laid_aside])


@modes
@pytest.mark.parametrize("size", [2, 3, 7])
def test_draw_and_play(group: Group, mode: str, size: int) -> None:
    decks = fresh(group, mode, size)
    decks.ask(draw(1))
    decks.settle()
    mine, theirs = decks.reads(0), decks.reads(1)
    assert list(mine) == [0] and not theirs
    decks.ask(Show(0, 0, (0,)))
    assert decks.reads(1) == mine
    assert all_open(decks) == list(range(size))


@modes
def test_show_to_the_rival_is_showing(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    decks.ask(draw(2))
    decks.ask(Show(0, 0, (1,), to=1))
    assert decks.reads(1) == {1: decks.reads(0)[1]}
    with pytest.raises(BadParameter):
        decks.decks[0].request(Show(0, 0, (0,), to=0))


@modes
@pytest.mark.parametrize("place", [Place.TOP, Place.BOTTOM, Place.SHUFFLED])
@pytest.mark.parametrize("face_up", [False, True])
def test_back_into_the_pile(fast: Group, mode: str, place: Place, face_up: bool) -> None:
    decks = fresh(fast, mode)
    decks.ask(draw(2))
    before = decks.reads(0)
    if face_up:
        decks.ask(Show(0, 0, (0, 1)))
    deck = decks.ask(Return(0, (1, 0), place))
    decks.settle()
    assert len(deck.places.pile) == 5 and not deck.places.held and not deck.places.opened
    assert not decks.reads(0) and not decks.reads(1)
    if place is Place.SHUFFLED:
        assert deck.places.pile == (5, 6, 7, 8, 9)
    else:
        deck = decks.ask(draw(5))
        drawn = [decks.reads(0)[position] for position in deck.places.hand(0)]
        assert (drawn[:2] if place is Place.TOP else drawn[3:]) == [before[1], before[0]]
    assert all_open(decks) == list(range(5))


@modes
def test_discards_stay_hidden_until_they_come_back(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    decks.ask(draw(2))
    decks.ask(Return(0, (0,), Place.DISCARD))
    assert set(decks.reads(0)) == {0, 1} and not decks.reads(1)
    decks.ask(Return(0, (0,), Place.SHUFFLED))
    assert set(decks.reads(0)) == {1}
    assert all_open(decks) == list(range(5))


@modes
def test_look(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    deck = decks.ask(Peek(0, 0, 2))
    seen = decks.reads(0)
    assert list(seen) == [0, 1] and deck.places.pile == (0, 1, 2, 3, 4) and not decks.reads(1)
    deck = decks.ask(draw(1))
    assert deck.places.hand(0) == (0,) and decks.reads(0) == seen
    assert all_open(decks) == list(range(5))


@modes
@pytest.mark.parametrize("count", [1, 2, 5])
def test_reorder(fast: Group, mode: str, count: int) -> None:
    decks = fresh(fast, mode)
    decks.ask(Peek(0, 0, count))
    seen = list(decks.reads(0).values())
    deck = decks.ask(Peek(0, 0, count, Look.REORDER))
    decks.settle()
    assert deck.places.pile == (*range(5, 5 + count), *range(count, 5)) and not decks.reads(0)
    deck = decks.ask(draw(count))
    assert [decks.reads(0)[p] for p in deck.places.hand(0)] == seen[::-1]
    assert all_open(decks) == list(range(5))


@modes
@pytest.mark.parametrize("count", [2, 3, 5])
def test_take(fast: Group, mode: str, count: int) -> None:
    decks = fresh(fast, mode)
    decks.ask(Peek(0, 0, count))
    seen = decks.reads(0)
    deck = decks.ask(Peek(0, 0, count, Look.TAKE))
    decks.settle()
    assert deck.places.hand(0) == (1,) and decks.reads(0) == {1: seen[1]}
    assert deck.places.pile == (5, 6, 7, 8) and not decks.reads(1)
    assert all_open(decks) == list(range(5))


@modes
def test_take_the_last_cards(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode, 2)
    deck = decks.ask(Peek(0, 0, 2, Look.TAKE))
    assert len(deck.places.pile) == 1
    decks.choose = lambda deck, duty: deck.stage.positions  # type: ignore[attr-defined]
    deck = decks.ask(Peek(0, 0, 1, Look.TAKE))
    assert not deck.places.pile and len(deck.places.hand(0)) == 2
    assert all_open(decks) == [0, 1]


@modes
def test_mill(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    decks.ask(Open(0, 2))
    opened = [event for event in decks.events if isinstance(event, Opened)]
    assert [event.card.position for event in opened] == [0, 1] and decks.reads(1) == decks.reads(0)


@modes
def test_close(fast: Group, mode: str) -> None:
    """With proofs nothing is shown; without, the owner shows everything, in hand, aside and in the pile."""
    decks = fresh(fast, mode)
    decks.ask(draw(3))
    decks.ask(Show(0, 0, (0,)))
    decks.ask(Return(0, (1,), Place.DISCARD))
    said = len(decks.said)
    deck = decks.ask(Close(0))
    decks.settle()
    assert (len(decks.said) == said) is (mode == "proven")
    with pytest.raises(BadParameter):
        deck.request(draw(1))


@modes
def test_many_rounds(fast: Group, mode: str) -> None:
    """Cards that go round and round are still the deck."""
    decks = fresh(fast, mode, 6)
    for _ in range(3):
        deck = decks.ask(draw(3))
        hand = deck.places.hand(0)
        decks.ask(Show(0, 0, hand[:1]))
        decks.ask(Return(0, hand[:2], Place.SHUFFLED))
        deck = decks.ask(Peek(0, 0, 3, Look.REORDER))
        decks.ask(Peek(0, 0, len(deck.places.pile), Look.TAKE))
        deck = decks.ask(Return(0, decks.decks[0].places.hand(0), Place.SHUFFLED))
        assert len(deck.places.pile) == 6
    decks.settle()
    assert all_open(decks) == list(range(6))


@modes
def test_what_is_refused(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    deck = decks.ask(draw(1))
    for operation in (
        Deal(0, (Portion(1, 1),)),
        Deal(0, (Portion(0, positions=(2,)),)),
        Deal(0, (Portion(0, positions=(2, 1)),)),
        Deal(0, (Portion(0, 5),)),
        Open(0, positions=(3,)),
        Peek(0, 1, 1),
        Peek(0, 0, 9),
        Show(0, 1, (0,)),
        Show(0, 0, (1,)),
        Return(0, (3,), Place.TOP),
        NewDeck(0, 5, 0),
    ):
        with pytest.raises(BadParameter):
            deck.request(operation)
    deck.request(Deal(0, (Portion(0, positions=(1, 2)),)))


@pytest.mark.parametrize(("size", "owner"), [(1, 0), (1001, 0), (5, None), (5, 2)])
def test_decks_that_cannot_be(fast: Group, size: int, owner: int | None) -> None:
    with pytest.raises(BadParameter):
        make_protocol("duel", on=fast).new_deck(table(fast), 0, size, owner)


@pytest.mark.deep
@modes
def test_a_thousand_cards(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode, 1000)
    decks.ask(draw(7))
    decks.ask(Peek(0, 0, 993, Look.TAKE))
    assert all_open(decks) == list(range(1000))


@modes
def test_moves_are_told(fast: Group, mode: str) -> None:
    decks = fresh(fast, mode)
    decks.ask(draw(2))
    decks.ask(Return(0, (0,), Place.TOP))
    moved = [(event.card.position, event.holder) for event in decks.events if isinstance(event, Moved)]
    assert moved == [(0, 0), (1, 0), (0, None)]
