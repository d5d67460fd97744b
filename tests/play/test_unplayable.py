"""Decks that tell a game what no true deck tells: the table stops or opens its books, and no replica breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.clear import fixed_shuffle
from conformance.games import Tiny, TinyRules
from conformance.harness import Game
from conformance.suite import eager_and_lazy_agree
from nodealer.cards import Event, Opened
from nodealer.errors import BadParameter
from nodealer.play.phases import Phase

Make = Callable[..., Game]


class FussyRules(TinyRules):
    """A game that will not have the cards that are opened to it, as hold'em will not have one face twice."""

    def begin(self, hand: int, seats: tuple[int, ...], before: object) -> Tiny:
        return Fussy(self, hand, seats)


@dataclass(frozen=True)
class Fussy(Tiny):
    def told(self, events: tuple[Event, ...]) -> Tiny:
        if any(isinstance(event, Opened) for event in events):
            raise BadParameter("this face was opened before")
        return super().told(events)


def test_where_all_is_proven_nobody_is_named(game: Make) -> None:
    table = game(FussyRules()).play()
    fault = table.state.fault
    assert table.state.phase is Phase.STOPPED
    assert fault is not None and fault.seat is None and "opened before" in fault.reason
    assert len(table.digests()) == 1 and not table.state.results
    eager_and_lazy_agree(table)


def test_where_books_end_every_hand_they_are_opened(game: Make) -> None:
    """And if they are all honest, which cannot be, nobody is named; the hand does not count."""
    table = game(FussyRules(), protocol={"open_book_at_end": True}).play()
    fault = table.state.fault
    assert sum(b'"type":"book"' in data for data in table.log) == 3
    assert fault is not None and fault.seat is None and "every book is honest" in fault.reason
    assert not table.state.results
    eager_and_lazy_agree(table)


def test_the_books_name_the_one_who_lied(game: Make) -> None:
    lies = {1: {(1, "shuffle"): fixed_shuffle}}
    table = game(FussyRules(), protocol={"open_book_at_end": True}, liars=lies).play()
    fault = table.state.fault
    assert fault is not None and fault.seat == 1 and "its shuffle" in fault.reason
    eager_and_lazy_agree(table)
