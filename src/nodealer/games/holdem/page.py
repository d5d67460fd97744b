"""A hand of hold'em as one person sees it, as JSON for the page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nodealer.games.base import Done, Turn
from nodealer.games.holdem.faces import names
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.hand_names import hand_name
from nodealer.games.holdem.table_view import current_pots
from nodealer.games.view import View, plain_page

#: The version of this document's format.
PAGE_VERSION: Final = 2


def page(view: View) -> dict[str, Any]:
    """Return the table, whose turn it is, and what this seat may do. Cards are written as "As"."""
    plain = plain_page(view) | {"version": PAGE_VERSION}
    game = view.game
    if not isinstance(game, Hand):
        return plain
    want, mine = game.wants, tuple(view.cards.values())
    return plain | {
        "mine": list(names(mine)),
        # The name of the hand they make with the board.
        "called": hand_name((*mine, *game.board)) if mine else None,
        "board": list(names(game.board)),
        "pot": game.pot,
        # The current pots, the main pot first.
        "pots": current_pots(game),
        "blinds": {"small": game.small_blind, "big": game.big_blind, "amount": game.table.big_blind},
        "stage": game.stage.value,
        "button": game.button,
        "seats": [_seat(game, seat) for seat in game.players],
        "turn": list(want.seats) if isinstance(want, Turn) else [],
        "legal": msgspec.to_builtins(game.legal(view.seat)),
        "result": want.result if isinstance(want, Done) else None,
    }


def _seat(game: Hand, seat: int) -> dict[str, Any]:
    """Return what everyone sees of one seat."""
    return {
        "seat": seat,
        "stack": game.stacks_after.get(seat, game.behind(seat)),
        "bet": game.table.bets[seat],
        "paid": game.paid[seat],
        "in": seat in game.contenders,
        "held": len(game.held.get(seat, ())),
        "shown": list(names(game.shown.get(seat, ()))),
        "called": hand_name((*game.shown[seat], *game.board)) if seat in game.shown else None,
    }
