"""Cards of the pile that one seat looks at, puts in order, keeps one of: who can read what, and what is refused."""

from __future__ import annotations

from typing import Final

import pytest

from conformance.leaving import true_faces
from nodealer.cards import Deal, Look, Moved, Open, Operation, Peek, Place, Portion, Return, Show
from nodealer.group import Group
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.wire import encode

from ..decks import Decks
from .kit import decks_on, table

DEAL: Final = Deal(0, tuple(Portion(seat, 1) for seat in range(3)))


class Choosing(Decks[MaskDeck]):
    """Decks whose people choose the last card that they looked at first, and the others from below."""

    chosen: tuple[int, ...] = ()

    def message(self, deck: MaskDeck, duty: Duty) -> bytes:
        if not duty.choice:
            return super().message(deck, duty)
        assert isinstance(deck.asked, Peek)
        order = tuple(reversed(deck.places.pile[: deck.asked.count]))
        self.chosen = order[:1] if deck.asked.then is Look.TAKE else order
        return deck.message(duty, self.tapes[duty.seat], encode(list(self.chosen)))


def begun(group: Group, *asked: Operation, size: int = 8, seats: int = 3) -> Choosing:
    plain = decks_on(table(group, seats))
    decks = Choosing(plain.table, plain.tapes, plain.protocol)
    decks.make(size)
    for operation in asked:
        decks.ask(operation)
    decks.settle()
    return decks


def known(decks: Decks[MaskDeck], seat: int) -> dict[int, int]:
    return {card.position: face for card, face in decks.knows(seat).items()}


def faces(decks: Decks[MaskDeck]) -> dict[int, int]:
    places = decks.decks[0].places
    return true_faces(decks.decks[0], decks.tapes, {*places.pile, *places.held, *places.aside, *places.opened})


def is_whole(decks: Decks[MaskDeck]) -> None:
    decks.settle()
    assert sorted(faces(decks).values()) == list(range(decks.decks[0].faces.size))


@pytest.mark.sample(reference=1)
def test_who_looks_reads_and_nobody_else(group: Group) -> None:
    decks = begun(group, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 2))
    is_whole(decks)
    assert faces(decks) == before and not decks.decks[0].released.get(3)
    assert known(decks, 1) == {1: before[1], 3: before[3], 4: before[4]}
    assert known(decks, 0) == {0: before[0]} and known(decks, 2) == {2: before[2]}
    # Then it is dealt to another, and to nobody else.
    decks.ask(Deal(0, (Portion(2, 1),)))
    assert known(decks, 0) == {0: before[0]}
    assert known(decks, 2) == {2: before[2], 3: before[3]} and known(decks, 1).keys() == {1, 3, 4}
    decks.ask(Show(0, 2, (3,)))
    assert decks.decks[0].places.opened == {3: before[3]}


def test_a_look_lasts_until_the_card_is_shuffled(fast: Group) -> None:
    decks = begun(fast, DEAL, Peek(0, 0, 2), Peek(0, 2, 3), Return(0, (0,), Place.BOTTOM))
    assert known(decks, 0).keys() == {3, 4} and known(decks, 2).keys() == {2, 3, 4, 5}
    decks.ask(Return(0, (), Place.SHUFFLED))
    assert known(decks, 0).keys() == set() and known(decks, 2).keys() == {2}
    is_whole(decks)


def test_put_back_in_another_order(fast: Group) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 3, Look.REORDER))
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    assert places.pile == (8, 9, 10, 6, 7) and decks.chosen == (5, 4, 3)
    assert [after[at] for at in (8, 9, 10)] == [before[at] for at in (5, 4, 3)]
    assert not {3, 4, 5} & decks.decks[0].released.keys()
    decks.ask(Open(0, 1))
    assert decks.decks[0].places.opened == {8: before[5]}


def test_keep_one_and_order_the_others(fast: Group) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 3, Look.KEEP))
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    assert places.hand(1) == (1, 8) and places.pile == (9, 10, 6, 7)
    assert [after[at] for at in (8, 9, 10)] == [before[at] for at in (5, 4, 3)]
    assert known(decks, 1) == {1: before[1], 8: before[5]} and 8 not in known(decks, 0)
    assert [event.card.position for event in decks.events if isinstance(event, Moved)][-1] == 8


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("size", [8, 4, 5])
def test_search(fast: Group, count: int, size: int) -> None:
    count = min(count, size - 3)
    decks = begun(fast, DEAL, size=size)
    before = faces(decks)
    decks.ask(Peek(0, 2, count, Look.TAKE))
    is_whole(decks)
    places = decks.decks[0].places
    assert places.hand(2) == (2, size) and places.pile == tuple(range(size + 1, 2 * size - 3))
    assert known(decks, 2) == {2: before[2], size: before[2 + count]}
    assert not set(range(3, size)) & decks.decks[0].released.keys()


@pytest.mark.parametrize("then", [Look.KEEP, Look.REORDER])
def test_one_card_alone_has_no_order(fast: Group, then: Look) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 0, 1, then))
    is_whole(decks)
    assert before[3] in known(decks, 0).values() and "arrange" not in {duty.kind for duty, _ in decks.said}
