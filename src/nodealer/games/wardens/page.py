"""A game of wardens as one person sees it, as plain JSON for a page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nodealer.games.base import Done
from nodealer.games.view import View, plain_page
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.seen import hand_of
from nodealer.games.wardens.side import Side

#: Of the form of this document.
PAGE_VERSION: Final = 1


def page(view: View) -> dict[str, Any]:
    """Both sides, the cards in hand and those that were looked at, each with its whole text."""
    plain = plain_page(view) | {"version": PAGE_VERSION}
    game = view.game
    if not isinstance(game, WardensGame):
        return plain
    want = game.wants
    return plain | {
        "turn": game.turn,
        "active": game.mine.seat,
        "sides": [_side(side) for side in game.sides],
        "mine": [{"place": place, "card": card, "text": POOL[card].line} for place, card in hand_of(view).items()],
        "lookedAt": [
            {"place": place, "card": game.sides[deck].list[face], "text": POOL[game.sides[deck].list[face]].line}
            for (deck, place), face in sorted(view.seen.items())
        ],
        "result": want.result if isinstance(want, Done) else None,
    }


def _side(side: Side) -> dict[str, Any]:
    """What both players see of one. Which cards are in its deck is published; in which order nobody knows."""
    shown = msgspec.to_builtins(side) | {"hand": len(side.hand)}
    shown["wardens"] = [msgspec.to_builtins(one) | {"text": one.printed.line} for one in side.wardens]
    return dict(shown)
