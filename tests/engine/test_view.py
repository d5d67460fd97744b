"""A view holds the public table and the cards of one seat, and nothing by which another's could be had."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from typing import Any

from games.dealer import public
from nodealer.cards.places import Places
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import MakeMove
from nodealer.engine.participant import Participant
from nodealer.engine.seat import Seat
from nodealer.engine.view import _lies_hidden
from nodealer.games.holdem import Call, Holdem
from nodealer.games.holdem.hand import Hand
from nodealer.protocols import make_protocol


def dealt_table(seats: int = 3) -> LocalTable:
    names = [f"p{seat}" for seat in range(seats)]
    table = seat_players(names, make_protocol("mask"), Holdem(), os.urandom)
    table.run()
    return table


def reachable(thing: object) -> list[Any]:
    """Every object that can be reached from one, but for modules, classes and functions."""
    seen: dict[int, Any] = {}
    waiting = [thing]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type) or callable(one) or type(one).__name__ == "module":
            continue
        seen[id(one)] = one
        waiting += gc.get_referents(one)
    return list(seen.values())


def test_a_view_holds_only_what_its_person_may_see() -> None:
    table = dealt_table()
    views = {number: seat.view() for number, seat in table.seats.items()}
    faces = [face for view in views.values() for face in view.cards.values()]
    assert len(faces) == len(set(faces)) == 6
    for number, view in views.items():
        assert isinstance(view.game, Hand)
        assert sorted(position for _, position in view.cards) == sorted(view.game.held[number])
        held = reachable(view)
        assert not any(isinstance(one, Seat | Participant | LocalTable) for one in held)
        roots = {seat.store.root for seat in table.seats.values()}
        assert not any(isinstance(one, bytes) and one in roots for one in held)


def test_views_agree_on_what_is_public() -> None:
    table = dealt_table()
    views = [seat.view() for seat in table.seats.values()]
    assert sum(view.my_turn for view in views) == 1
    assert {view.hand for view in views} == {0}
    assert len({public(view.game) for view in views if isinstance(view.game, Hand)}) == 1
    assert len({seat.replica.state.hand.game_digest for seat in table.seats.values()}) == 1
    assert views[0].names == {0: "p0", 1: "p1", 2: "p2"}


def test_open_cards_are_the_boards_and_not_in_anybodys_hand() -> None:
    table = dealt_table(2)
    for _ in range(2):
        mover = next(seat for seat in table.seats.values() if seat.view().my_turn)
        table.send(mover.command(MakeMove(Call())))
        table.run()
    for seat in table.seats.values():
        view = seat.view()
        assert isinstance(view.game, Hand) and len(view.game.board) == 3
        assert len(view.cards) == 2 and not set(view.cards.values()) & set(view.game.board)


def test_a_pile_is_not_searched_for_every_card_that_was_seen() -> None:
    """Who is shown thousands of cards sees the table as fast as before."""

    class Pile(tuple[int, ...]):
        def __contains__(self, position: object) -> bool:
            raise AssertionError("searched")

    places = replace(Places.fresh(0, 4), pile=Pile(range(3)), held={3: 0}, discards={4: 0})
    assert [_lies_hidden(places, position) for position in range(6)] == [True] * 4 + [False] * 2
