"""Cards are opened in the groups that the game gives: a group owes its keys once the group before has published."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.cards.operations import Deal, Open, Portion
from nodealer.group import Group
from nodealer.protocols import make_protocol

from .decks import Decks, binding, tapes_of

SEATS = 5
ORDER = ((3,), (0, 4))


def opened(name: str, on: Group, operation: Open, seats: int = SEATS, owner: int | None = None) -> list[list[int]]:
    """Who owed a message at each step of an opening."""
    decks: Decks[Any] = Decks(binding(name, on, seats), tapes_of(seats), make_protocol(name, on=on))
    decks.make(6, owner=owner)
    receiver = 0 if owner is None else owner
    deck = decks.ask(Deal(0, (Portion(receiver, 1),))).request(operation).deck
    owed: list[list[int]] = []
    while deck.duties:
        owed.append([duty.seat for duty in deck.duties])
        duty = deck.duties[-1]
        deck = decks.step(deck, duty, decks.message(deck, duty))
    decks.settle()
    assert len(deck.places.opened) == operation.count or len(operation.positions)
    return owed


@pytest.mark.parametrize("name", ["mask", "lock"])
def test_a_group_after_the_other(fast: Group, name: str) -> None:
    """Whom no group names comes first. Without groups all owe at once."""
    owed = opened(name, fast, Open(0, positions=(2, 3), order=ORDER))
    assert owed == [[1, 2], [1], [3], [0, 4], [0]]
    assert opened(name, fast, Open(0, positions=(2, 3))) == [[0, 1, 2, 3, 4][: SEATS - said] for said in range(SEATS)]


def test_the_dealer_of_offset_announces_and_waits_for_its_group(fast: Group) -> None:
    assert opened("offset", fast, Open(0, 2, order=ORDER)) == [[0], [1, 2], [1], [3], [0, 4], [0]]
    # Where it is in the first group its parts come with the announcement.
    assert opened("offset", fast, Open(0, 1, order=((1, 2, 3, 4),))) == [[0], [1, 2, 3, 4], [1, 2, 3], [1, 2], [1]]


def test_both_sides_of_a_duel(fast: Group) -> None:
    assert opened("duel", fast, Open(0, 1), 2, owner=0) == [[0, 1], [0]]
    assert opened("duel", fast, Open(0, 1, order=((1,), (0,))), 2, owner=0) == [[1], [0]]
    assert opened("duel", fast, Open(0, 1, order=((1,),)), 2, owner=0) == [[0], [1]]


def test_the_next_group_answers_what_was_published(fast: Group) -> None:
    """Its duty has an anchor of its own: an entry that was signed before answers nothing."""
    decks: Decks[Any] = Decks(binding("mask", fast, 3), tapes_of(3), make_protocol("mask", on=fast))
    deck = decks.make(4).request(Open(0, 1, order=((1,), (2,)))).deck
    anchors = []
    while deck.duties:
        (duty,) = deck.duties
        anchors.append(duty.anchor)
        deck = decks.step(deck, duty, decks.message(deck, duty))
    assert len(set(anchors)) == 3
