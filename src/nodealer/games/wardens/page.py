"""A game of wardens as one person sees it, as plain JSON for a page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nodealer.games.base import Done
from nodealer.games.view import View, plain_page
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.side import Side
from nodealer.games.wardens.view import hand_of

#: Of the form of this document.
PAGE_VERSION: Final = 2


def page(view: View) -> dict[str, Any]:
    """Both sides, the cards in hand and those that were looked at, each with all that is printed on it."""
    plain = plain_page(view) | {"version": PAGE_VERSION}
    game = view.game
    if not isinstance(game, WardensGame):
        return plain
    want = game.wants
    return plain | {
        "turn": game.turn,
        "active": game.mine.seat,
        "sides": [_side(side) for side in game.sides],
        "mine": [{"place": place} | _card(card) for place, card in hand_of(view).items()],
        "lookedAt": [
            {"place": place} | _card(game.sides[deck].list[face]) for (deck, place), face in sorted(view.seen.items())
        ],
        "result": want.result if isinstance(want, Done) else None,
    }


def _side(side: Side) -> dict[str, Any]:
    """What both players see of one. Which cards are in its deck is published; in which order nobody knows."""
    shown = msgspec.to_builtins(side) | {"hand": len(side.hand), "cards": len(side.list)}
    shown["wardens"] = [_card(one.card) | msgspec.to_builtins(one) for one in side.wardens]
    shown["discards"] = [{"place": place} | _card(card) for place, card in side.discards]
    shown["list"] = [{"name": POOL[card].name, "times": side.list.count(card)} for card in sorted(set(side.list))]
    return dict(shown)


def _card(card: int) -> dict[str, Any]:
    """What is printed on a card, and whether it names a target: "warden" for one that must, "any" for one that may."""
    printed, does = POOL[card], POOL[card].does
    target = None if does is None or not does.targets else "warden" if does.needs_warden else "any"
    return {
        "card": card,
        "name": printed.name,
        "court": printed.court,
        "cost": printed.cost,
        "power": printed.power,
        "health": printed.health,
        "warden": printed.warden,
        "guard": printed.guard,
        "text": printed.text,
        "target": target,
    }
