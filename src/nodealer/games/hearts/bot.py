"""A bot for hearts. It passes what is dangerous, ducks, throws the queen and high hearts, and stops who takes all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.games.base import Entropy
from nodealer.games.hearts.faces import DIAMONDS, HEARTS, QUEEN, SPADES, points, rank_of, suit, suit_of
from nodealer.games.hearts.hand import HeartsHand, HeartsStage
from nodealer.games.hearts.moves import GIVEN, Give, Move, Play
from nodealer.games.hearts.trick import SEATS
from nodealer.games.hearts.view import game_of, hand_of, opening, playable
from nodealer.games.package import Bot
from nodealer.games.view import View

#: So many spades beside it keep the queen safe in a hand.
GUARDS: Final = 4
#: Who alone has taken so many points may be after all of them.
SUSPICIOUS: Final = 10
#: A trick of at most so many is worth taking against that.
WORTH: Final = 5


class HeartsBot(Bot):
    """Plays by what it sees. No chance in it: what differs is the cards."""

    def __init__(self, entropy: Entropy | None = None) -> None:
        pass

    def move(self, view: View) -> Move:
        """What to do now."""
        game = game_of(view)
        if game.stage is HeartsStage.PASSING:
            return Give(tuple(sorted(passed(hand_of(view)))))
        if game.stage is HeartsStage.OPENING:
            return opening(view)
        return Play(chosen(game, view.seat, hand_of(view), playable(view)))


def passed(hand: Mapping[int, int]) -> list[int]:
    """The three most dangerous cards."""
    return sorted(hand, key=lambda place: (_danger(hand[place], hand), hand[place]), reverse=True)[:GIVEN]


def _danger(face: int, hand: Mapping[int, int]) -> int:
    """How much a player wants to be rid of a card before the play."""
    same = [other for other in hand.values() if suit_of(other) == suit_of(face)]
    if suit_of(face) == SPADES:
        # The queen, and what would take her, unless there are enough others; low spades are what protects.
        return (100 + face - QUEEN if len(same) <= GUARDS else 0) if face >= QUEEN else -20
    if suit_of(face) == HEARTS:
        return 2 * rank_of(face) + 4
    # High cards, more so in a short suit: without a suit one throws away what one likes.
    return 2 * rank_of(face) + 3 * max(0, 4 - len(same)) + (suit_of(face) == DIAMONDS)


def chosen(game: HeartsHand, seat: int, hand: Mapping[int, int], legal: Mapping[int, int]) -> int:
    """The place of the card to play."""
    if not game.trick.cards:
        return min(legal, key=lambda place: _leading(game, legal[place], hand))
    if any(suit_of(face) == game.trick.led for face in legal.values()):
        return _following(game, seat, legal)
    return max(legal, key=lambda place: _throwing(game, seat, legal[place], hand))


def shooter(game: HeartsHand, seat: int) -> int | None:
    """Somebody else who alone has taken points, and many of them."""
    takers = [other for other, count in game.taken.items() if count]
    return takers[0] if len(takers) == 1 and takers[0] != seat and game.taken[takers[0]] >= SUSPICIOUS else None


def _leading(game: HeartsHand, face: int, hand: Mapping[int, int]) -> tuple[int, ...]:
    """The smaller, the better to lead: low cards, of suits in which others still have higher ones."""
    out, mine = game.out, frozenset(hand.values())
    above = sum(1 for other in suit(suit_of(face)) - out - mine if other > face)
    queen_out = QUEEN not in out and QUEEN not in mine
    risky = face == QUEEN or (queen_out and suit_of(face) == SPADES and face > QUEEN)
    # Low spades drive the queen out of another hand.
    drives = queen_out and suit_of(face) == SPADES and face < QUEEN
    return (risky, above == 0, not drives, rank_of(face), suit_of(face) == HEARTS)


def _following(game: HeartsHand, seat: int, legal: Mapping[int, int]) -> int:
    trick = game.trick
    highest = max(face for _, face in trick.cards if suit_of(face) == trick.led)
    below = {place: face for place, face in legal.items() if face < highest}
    above = {place: face for place, face in legal.items() if face > highest}
    last = len(trick.cards) == SEATS - 1
    if above and trick.winner == shooter(game, seat) and 0 < trick.points <= WORTH:
        return max(above, key=lambda place: (above[place] != QUEEN, above[place]))
    if below:
        # The queen goes under a king or an ace; otherwise the highest card that does not take the trick.
        return max(below, key=lambda place: (below[place] == QUEEN, below[place]))
    if last or (game.first and not trick.points):
        # It takes the trick anyway: then with the highest, but not with the queen.
        return max(above, key=lambda place: (above[place] != QUEEN, above[place]))
    return min(above, key=lambda place: (above[place] == QUEEN, above[place]))


def _throwing(game: HeartsHand, seat: int, face: int, hand: Mapping[int, int]) -> tuple[int, ...]:
    """The larger, the better to throw away on a trick of another suit."""
    if points(face) and game.trick.winner == shooter(game, seat):
        return (-1, -rank_of(face))
    queen_out = QUEEN not in game.out and QUEEN not in hand.values()
    takes_queen = queen_out and suit_of(face) == SPADES and face > QUEEN
    same = sum(1 for other in hand.values() if suit_of(other) == suit_of(face))
    heart = suit_of(face) == HEARTS
    return (3 if face == QUEEN else 2 if takes_queen else int(heart), rank_of(face) - (0 if heart else same))
