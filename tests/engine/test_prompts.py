"""What a page or a program answers is brought into the form of the log, or refused with a reason."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest

from nodealer.cards.operations import SEALED_MAX, Look, Peek
from nodealer.engine.prompts import legal_choice, legal_move, legal_seal
from nodealer.errors import IllegalMove
from nodealer.games.package import GamePackage
from nodealer.games.view import View
from nodealer.wire import Message


class Play(Message, frozen=True, tag="play"):
    place: int
    card: int


class Table:
    """A game with one legal move."""

    def moved(self, seat: int, move: bytes) -> None:
        if move != b'{"type":"play","place":3,"card":5}':
            raise IllegalMove(f"not {move.decode()}")


VIEW = View(0, {0: "Ada"}, 0, Table(), {}, True)  # type: ignore[arg-type]
UNDECLARED = GamePackage("table", 1, lambda raw: None, lambda settings: None)  # type: ignore[arg-type, return-value]
DECLARED = replace(UNDECLARED, moves=Play)


@pytest.mark.parametrize("package", [DECLARED, UNDECLARED, None])
def test_the_order_of_fields_does_not_matter(package: GamePackage | None) -> None:
    for fields in permutations({"card": 5, "place": 3, "type": "play"}.items()):
        assert legal_move(package, VIEW, dict(fields)) == Play(3, 5)
    with pytest.raises(IllegalMove, match=r"not .*\"place\":4,\"card\":5"):
        legal_move(package, VIEW, {"place": 4, "card": 5, "type": "play"})


def test_only_declared_moves_are_read() -> None:
    with pytest.raises(IllegalMove, match="the move cannot be read: Object contains unknown field `0`"):
        legal_move(DECLARED, VIEW, {"0": 1, "place": 3, "card": 5, "type": "play"})
    with pytest.raises(IllegalMove, match="the move cannot be read: Invalid value 'fold'"):
        legal_move(DECLARED, VIEW, {"type": "fold"})
    with pytest.raises(IllegalMove, match=r'not \{"type":"fold"\}'):
        legal_move(UNDECLARED, VIEW, {"type": "fold"})


def test_plain_data_is_read_in_a_game_without_messages() -> None:
    class Counter:
        def moved(self, seat: int, move: bytes) -> None:
            if "bid" not in json.loads(move):
                raise IllegalMove("bid something")

    view = replace(VIEW, game=Counter())  # type: ignore[arg-type]
    assert legal_move(UNDECLARED, view, {"bid": 3}) == {"bid": 3}
    with pytest.raises(IllegalMove, match="bid something"):
        legal_move(UNDECLARED, view, {"pass": True})


def test_a_choice_is_of_what_was_seen() -> None:
    view = View(0, {0: "Ada"}, 0, None, {}, True, {(0, 4): 1, (0, 7): 2})
    take, reorder = Peek(0, 0, 2, Look.TAKE), Peek(0, 0, 2, Look.REORDER)
    assert legal_choice(view, take, (7,)) == (7,)
    assert legal_choice(view, reorder, (7, 4)) == (7, 4)
    for peek, wrong in ((take, (5,)), (take, (4, 7)), (reorder, (7,)), (reorder, (7, 7))):
        with pytest.raises(IllegalMove, match="positions"):
            legal_choice(view, peek, wrong)


def test_what_is_sealed_has_an_end() -> None:
    assert legal_seal("ä" * (SEALED_MAX // 2)) == ("ä" * (SEALED_MAX // 2)).encode()
    with pytest.raises(IllegalMove, match="at most"):
        legal_seal("ä" * (SEALED_MAX // 2 + 1))
