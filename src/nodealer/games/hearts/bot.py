"""A bot for hearts. It passes dangerous cards, ducks, discards the queen and high hearts, and stops moon shooters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.games.base import Entropy
from nodealer.games.hearts.faces import DIAMONDS, HEARTS, QUEEN, SPADES, points, rank_of, suit, suit_of
from nodealer.games.hearts.hand import HeartsHand, HeartsStage
from nodealer.games.hearts.moves import GIVEN, Give, Move, Play
from nodealer.games.hearts.trick import SEATS
from nodealer.games.hearts.view import game_of, hand_of, opening_move, playable
from nodealer.games.package import Bot
from nodealer.games.view import View

#: With more than this many spades in all, the queen is safe in a hand.
GUARDS: Final = 4
#: A player who alone has taken at least this many points may be shooting the moon.
SUSPICIOUS: Final = 10
#: A trick of at most this many points is worth taking to stop them.
WORTH: Final = 5


class HeartsBot(Bot):
    """A bot that plays by what it sees. It is deterministic: only the cards differ."""

    def __init__(self, entropy: Entropy | None = None) -> None:
        """Create the bot. It ignores `entropy`, because it decides nothing at random."""
        pass

    def move(self, view: View) -> Move:
        """Pass three cards, answer for the two of clubs, or play a card."""
        game = game_of(view)
        if game.stage is HeartsStage.PASSING:
            return Give(tuple(sorted(choose_pass(hand_of(view)))))
        if game.stage is HeartsStage.OPENING:
            return opening_move(view)
        return Play(choose_play(game, view.seat, hand_of(view), playable(view)))


def choose_pass(hand: Mapping[int, int]) -> list[int]:
    """Return the places of the three most dangerous cards."""
    return sorted(hand, key=lambda place: (_danger(hand[place], hand), hand[place]), reverse=True)[:GIVEN]


def _danger(face: int, hand: Mapping[int, int]) -> int:
    """Return how dangerous it is to keep a card instead of passing it."""
    same = [other for other in hand.values() if suit_of(other) == suit_of(face)]
    if suit_of(face) == SPADES:
        # Pass the queen and the cards that would take her, unless there are enough spades. Low spades protect.
        return (100 + face - QUEEN if len(same) <= GUARDS else 0) if face >= QUEEN else -20
    if suit_of(face) == HEARTS:
        return 2 * rank_of(face) + 4
    # Pass high cards, above all from a short suit: a player without cards of a suit can discard anything.
    return 2 * rank_of(face) + 3 * max(0, 4 - len(same)) + (suit_of(face) == DIAMONDS)


def choose_play(game: HeartsHand, seat: int, hand: Mapping[int, int], legal: Mapping[int, int]) -> int:
    """Return the place of the card to play."""
    if not game.trick.cards:
        return min(legal, key=lambda place: _lead_cost(game, legal[place], hand))
    if any(suit_of(face) == game.trick.led for face in legal.values()):
        return _follow_suit(game, seat, legal)
    return max(legal, key=lambda place: _discard_value(game, seat, legal[place], hand))


def shooter(game: HeartsHand, seat: int) -> int | None:
    """Return another seat that may be shooting the moon: it alone has taken points, and many. None if there is none."""
    takers = [other for other, count in game.taken.items() if count]
    return takers[0] if len(takers) == 1 and takers[0] != seat and game.taken[takers[0]] >= SUSPICIOUS else None


def _lead_cost(game: HeartsHand, face: int, hand: Mapping[int, int]) -> tuple[int, ...]:
    """Rate a card to lead, smaller is better: low cards, of suits in which others still have higher ones."""
    out, mine = game.out, frozenset(hand.values())
    above = sum(1 for other in suit(suit_of(face)) - out - mine if other > face)
    queen_out = QUEEN not in out and QUEEN not in mine
    risky = face == QUEEN or (queen_out and suit_of(face) == SPADES and face > QUEEN)
    # Low spades force the queen out of another hand.
    drives = queen_out and suit_of(face) == SPADES and face < QUEEN
    return (risky, above == 0, not drives, rank_of(face), suit_of(face) == HEARTS)


def _follow_suit(game: HeartsHand, seat: int, legal: Mapping[int, int]) -> int:
    """Return the place of the card to play when the bot has to follow suit."""
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
        # It takes the trick anyway, or the trick is harmless: play the highest card, but not the queen.
        return max(above, key=lambda place: (above[place] != QUEEN, above[place]))
    return min(above, key=lambda place: (above[place] == QUEEN, above[place]))


def _discard_value(game: HeartsHand, seat: int, face: int, hand: Mapping[int, int]) -> tuple[int, ...]:
    """Rate a card to discard on a trick of another suit: larger is better."""
    if points(face) and game.trick.winner == shooter(game, seat):
        return (-1, -rank_of(face))
    queen_out = QUEEN not in game.out and QUEEN not in hand.values()
    takes_queen = queen_out and suit_of(face) == SPADES and face > QUEEN
    same = sum(1 for other in hand.values() if suit_of(other) == suit_of(face))
    heart = suit_of(face) == HEARTS
    return (3 if face == QUEEN else 2 if takes_queen else int(heart), rank_of(face) - (0 if heart else same))
