"""Decks that tell a game what no true deck tells: the hand ends, or books are opened, and no replica breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.clear import fixed_shuffle
from conformance.games import Tiny, TinyRules
from conformance.harness import Game
from conformance.suite import eager_and_lazy_agree
from nodealer.cards.events import Event, Opened
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.games.base import Game as AnyGame

Make = Callable[..., Game]


class FussyRules(TinyRules):
    """A game that will not have the cards that are opened to it, as hold'em will not have one face twice."""

    def begin(self, hand: int, seats: tuple[int, ...], before: AnyGame | None, chips: Mapping[int, int]) -> Tiny:
        return Fussy(self, hand, seats)


@dataclass(frozen=True)
class Fussy(Tiny):
    def told(self, events: tuple[Event, ...]) -> Tiny:
        if any(isinstance(event, Opened) for event in events):
            raise BadParameter("this face was opened before")
        return super().told(events)


def test_where_all_is_proven_nobody_is_named(game: Make) -> None:
    """The hand is broken off, with chips as before it, and is the session's last."""
    table = game(FussyRules(stake=10), hands=3).play()
    (fault,) = table.state.faults
    assert table.state.phase is Phase.BETWEEN and table.state.no_more_hands and not table.state.expelled
    assert fault.seat is None and "opened before" in fault.reason
    assert len(table.digests()) == 1 and not table.state.results
    assert table.state.ledger.chips == {0: 10, 1: 10, 2: 10}
    table.hands = 0
    table.play()
    assert len(table.state.ended) == 3
    eager_and_lazy_agree(table)


def test_the_same_where_cards_are_asked_for_that_are_not_there(game: Make) -> None:
    """Three cards are dealt of three, and then one is to be opened."""
    table = game(TinyRules(stake=10, deck_max=3)).play()
    (fault,) = table.state.faults
    assert fault.seat is None and "1 cards were requested" in fault.reason
    assert table.state.no_more_hands and table.state.ledger.chips == {0: 10, 1: 10, 2: 10} and len(table.digests()) == 1
    eager_and_lazy_agree(table)


def test_where_books_end_every_hand_they_are_opened(game: Make) -> None:
    """And if they are all honest, which cannot be, nobody is named; the hand does not count, and all bets go back."""
    table = game(FussyRules(stake=10), protocol={"open_book_at_end": True}).play()
    assert sum(b'"type":"book"' in data for data in table.log) == 3
    assert table.state.phase is Phase.ENDED and not table.state.faults and not table.state.disclosures
    (record,) = table.state.chronicle.records
    assert record.void is not None and "opened before" in record.void and not table.state.results
    assert table.state.ledger.chips == {0: 10, 1: 10, 2: 10} and not table.state.ledger.held
    eager_and_lazy_agree(table)


def test_the_books_name_the_one_who_lied(game: Make) -> None:
    lies = {1: {(1, "shuffle"): fixed_shuffle}}
    table = game(FussyRules(), protocol={"open_book_at_end": True}, liars=lies).play()
    fault = table.state.fault
    assert fault is not None and fault.seat == 1 and "its shuffle" in fault.reason
    assert not table.state.results and table.state.expelled == {1}
    eager_and_lazy_agree(table)
