"""What a player of wardens sees of its own: for bots, words and pages."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games.view import View
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.side import Side


def game_of(view: View) -> WardensGame:
    """The game that is seen."""
    if not isinstance(view.game, WardensGame):
        raise BadParameter("this is no game of wardens")
    return view.game


def mine_of(view: View) -> Side:
    """The side of the seat that looks."""
    game = game_of(view)
    return game.sides[game.seats.index(view.seat)]


def hand_of(view: View) -> dict[int, int]:
    """The cards in this seat's hand: place to card of the pool."""
    if view.seat not in game_of(view).seats:
        return {}
    side = mine_of(view)
    return {place: side.list[view.cards[side.deck, place]] for place in side.hand if (side.deck, place) in view.cards}
