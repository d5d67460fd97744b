"""What a page or a program answers is brought into the form of the log, or refused with a reason."""

from __future__ import annotations

import pytest

from nodealer.cards.operations import SEALED_MAX, Look, Peek
from nodealer.engine.prompts import FIELDS_MAX, legal_choice, legal_move, legal_seal
from nodealer.errors import IllegalMove
from nodealer.games.view import View


def test_the_order_of_fields_does_not_matter() -> None:
    class Table:
        def moved(self, seat: int, move: bytes) -> None:
            if move != b'{"type":"play","place":3,"card":5}':
                raise IllegalMove(f"not {move.decode()}")

    view = View(0, {0: "Ada"}, 0, Table(), {}, True)  # type: ignore[arg-type]
    assert list(legal_move(view, {"card": 5, "place": 3, "type": "play"})) == ["type", "place", "card"]
    with pytest.raises(IllegalMove, match=r"not .*\"place\":4,\"card\":5"):
        legal_move(view, {"place": 4, "card": 5, "type": "play"})
    with pytest.raises(IllegalMove, match="at most 6 fields, not 7"):
        legal_move(view, {str(number): 1 for number in range(FIELDS_MAX + 1)})


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
