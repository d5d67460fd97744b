"""What somebody outside answers to a question, a page or a program: checked and brought into the form of the log."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

from nodealer.cards import SEALED_MAX, Look, Peek
from nodealer.errors import IllegalMove
from nodealer.games.view import View
from nodealer.wire import encode

#: The most fields of a move whose order is looked for.
FIELDS_MAX: Final = 6


def legal_move(view: View, move: dict[str, Any]) -> dict[str, Any]:
    """The move as the log has it. Raises `IllegalMove`, with what is wrong with the fields in the order they came.

    The fields of a JSON object have no order, and those of an entry have one. Only the game knows which.
    """
    if len(move) > FIELDS_MAX:
        raise IllegalMove(f"no move has {len(move)} fields")
    refused: IllegalMove | None = None
    for fields in permutations(sorted(move.items(), key=lambda field: field[0] != "type")):
        ordered = dict(fields)
        try:
            if view.game is not None:
                view.game.moved(view.seat, encode(ordered))
            return ordered
        except IllegalMove as error:
            refused = refused or error
    raise refused or IllegalMove("this is no move")


def legal_choice(view: View, peek: Peek, choose: tuple[int, ...]) -> tuple[int, ...]:
    """The positions that were chosen of the cards that were looked at. Raises `IllegalMove`."""
    seen = sorted(view.seen_in(peek.deck))
    if peek.then is Look.TAKE and not (len(choose) == 1 and choose[0] in seen):
        raise IllegalMove(f"choose one of the positions {seen}")
    if peek.then is not Look.TAKE and sorted(choose) != seen:
        first = "the one to keep first" if peek.then is Look.KEEP else "the one on top first"
        raise IllegalMove(f"choose all of the positions {seen}, {first}")
    return choose


def legal_seal(text: str) -> bytes:
    """What is sealed. Raises `IllegalMove`."""
    if len(value := text.encode()) > SEALED_MAX:
        raise IllegalMove(f"what is sealed has at most {SEALED_MAX} bytes")
    return value
