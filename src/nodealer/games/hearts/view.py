"""What a player of hearts sees of their own hand: for bots, texts and pages."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games.hearts.faces import TWO_OF_CLUBS, sort_hand
from nodealer.games.hearts.hand import DECK, HeartsHand, HeartsStage
from nodealer.games.hearts.moves import Lead, Move, Without
from nodealer.games.hearts.trick import allowed
from nodealer.games.view import View


def game_of(view: View) -> HeartsHand:
    """Return the hand in a view. Raises `BadParameter` if it is of another game."""
    if not isinstance(view.game, HeartsHand):
        raise BadParameter("this is not a hand of hearts")
    return view.game


def hand_of(view: View) -> dict[int, int]:
    """Return the cards in this seat's hand, sorted as they are held, as a map from place to face."""
    places = game_of(view).held.get(view.seat, ())
    faces = {view.cards[DECK, place]: place for place in places if (DECK, place) in view.cards}
    return {faces[face]: face for face in sort_hand(faces)}


def playable(view: View) -> dict[int, int]:
    """Return the cards of this seat's hand that may be played now, as a map from place to face.

    Any other card would require a proof that the seat cannot give.
    """
    game, hand = game_of(view), hand_of(view)
    if game.stage is not HeartsStage.PLAYING:
        return {}
    legal = allowed(hand.values(), game.trick, first=game.first, broken=game.broken)
    return {place: face for place, face in hand.items() if face in legal}


def opening_move(view: View) -> Move:
    """Return the true answer about the two of clubs. There is nothing to choose."""
    at = next((place for place, face in hand_of(view).items() if face == TWO_OF_CLUBS), None)
    return Without() if at is None else Lead(at)
