"""What a player of hearts sees of its own: for bots, words and pages."""

from __future__ import annotations

from nodealer.errors import BadParameter
from nodealer.games.hearts.faces import TWO_OF_CLUBS, in_hand
from nodealer.games.hearts.hand import DECK, HeartsHand, HeartsStage
from nodealer.games.hearts.moves import Lead, Move, Without
from nodealer.games.hearts.trick import allowed
from nodealer.games.view import View


def game_of(view: View) -> HeartsHand:
    """The hand that is seen."""
    if not isinstance(view.game, HeartsHand):
        raise BadParameter("this is no hand of hearts")
    return view.game


def hand_of(view: View) -> dict[int, int]:
    """The cards in this seat's hand, as they are held: place to face."""
    places = game_of(view).held.get(view.seat, ())
    faces = {view.cards[DECK, place]: place for place in places if (DECK, place) in view.cards}
    return {faces[face]: face for face in in_hand(faces)}


def playable(view: View) -> dict[int, int]:
    """Of them those that can be played, and proven, now. Others would leave the seat with a proof it cannot give."""
    game, hand = game_of(view), hand_of(view)
    if game.stage is not HeartsStage.PLAYING:
        return {}
    legal = allowed(hand.values(), game.trick, first=game.first, broken=game.broken)
    return {place: face for place, face in hand.items() if face in legal}


def opening(view: View) -> Move:
    """The truth about the two of clubs: there is nothing to choose."""
    at = next((place for place, face in hand_of(view).items() if face == TWO_OF_CLUBS), None)
    return Without() if at is None else Lead(at)
