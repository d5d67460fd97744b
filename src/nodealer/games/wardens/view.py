"""What a player of wardens sees of their own side: for bots, texts and pages."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games.view import View
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.side import Side


def game_of(view: View) -> WardensGame:
    """Return the game in a view. Raises `BadParameter` if it is another one."""
    if not isinstance(view.game, WardensGame):
        raise BadParameter("this is not a game of wardens")
    return view.game


def own_side(view: View) -> Side:
    """Return the side of the viewing seat."""
    game = game_of(view)
    return game.sides[game.seats.index(view.seat)]


def hand_of(view: View) -> dict[int, int]:
    """Return this seat's hand, as a map from place to card number in the pool."""
    if view.seat not in game_of(view).seats:
        return {}
    side = own_side(view)
    return {place: side.list[view.cards[side.deck, place]] for place in side.hand if (side.deck, place) in view.cards}
