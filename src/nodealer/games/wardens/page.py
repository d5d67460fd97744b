"""A game of wardens as one person sees it, as JSON for the page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nodealer.games.base import Done
from nodealer.games.view import View, plain_page
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.side import Side
from nodealer.games.wardens.view import hand_of

#: The version of this document's format.
PAGE_VERSION: Final = 2


def page(view: View) -> dict[str, Any]:
    """Return both sides, the person's hand and the cards they have looked at, each with all that is printed on it."""
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
    """Return what both players see of a side. The cards of its deck are public; no one knows their order."""
    shown = msgspec.to_builtins(side) | {"hand": len(side.hand), "cards": len(side.list)}
    shown["wardens"] = [_card(one.card) | msgspec.to_builtins(one) for one in side.wardens]
    shown["discards"] = [{"place": place} | _card(card) for place, card in side.discards]
    shown["list"] = [{"name": POOL[card].name, "times": side.list.count(card)} for card in sorted(set(side.list))]
    return dict(shown)


def _card(card: int) -> dict[str, Any]:
    """Return what is printed on a card, and its kind of target: "warden" if it must be one, "any", or None."""
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
