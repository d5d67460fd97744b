"""Bots for hold'em. They decide by hand strength, position and pot odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.base import Entropy
from nodealer.games.holdem.faces import CARDS
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand
from nodealer.games.holdem.ranking import rank
from nodealer.games.holdem.winnability import can_win
from nodealer.games.package import Bot
from nodealer.games.view import View
from nodealer.tape import SEED_BYTES, Tape

#: How many random continuations of the hand a bot simulates to estimate its odds.
TRIALS: Final = 100


class HoldemBot(Bot):
    """A bot that plays tight before the flop and by its odds afterwards, and bluffs now and then."""

    def __init__(self, entropy: Entropy) -> None:
        """Create a bot that takes its randomness from `entropy`."""
        self._entropy = entropy

    def move(self, view: View) -> Move:
        """Fold, call or raise by estimated odds; at the showdown, muck a hand that cannot win."""
        game = _hand_of(view)
        legal = game.legal(view.seat)
        hole = tuple(view.cards.values())
        if legal.show or legal.muck:
            boasts = game.stage is HandStage.CLAIMING and self._chance(30)
            return ShowHand() if boasts or can_win(game, view.seat, hole) else Muck()
        odds = self._odds(hole, game) + self._position_bonus(view.seat, game)
        return self._bet(legal, odds, game)

    def _bet(self, legal: Legal, odds: float, game: Hand) -> Move:
        """Raise with good odds or as a bluff; otherwise call if the odds justify the price, or fold."""
        call = legal.call or 0
        price = call / (game.pot + call) if call else 0.0
        fair = 1 / max(len(game.contenders), 2)
        bluffs = self._chance(6)
        if legal.raise_from is not None and legal.raise_to is not None and (odds > fair * 1.5 or bluffs):
            # Raise by half the pot, or by the whole pot with better odds.
            size = call + int((game.pot + call) * (0.5 if odds < fair * 2 else 1.0))
            return Raise(min(max(legal.raise_from, size), legal.raise_to))
        if not call or odds >= price * 1.1:
            return Call()
        return Fold()

    def _odds(self, hole: Sequence[int], game: Hand) -> float:
        """Estimate the chance to win against the players still in, by simulation."""
        rivals = max(len(game.contenders) - 1, 1)
        unseen = [face for face in range(CARDS) if face not in hole and face not in game.board]
        missing = 5 - len(game.board)
        won = 0.0
        simulated = Tape(self._entropy(SEED_BYTES))
        for trial in range(TRIALS):
            # Not a real deck, so variable time leaks nothing.
            order = simulated.permutation("dream", trial.to_bytes(4, "little"), len(unseen)).vartime_list()
            drawn = [unseen[place] for place in order[: missing + 2 * rivals]]
            board = (*game.board, *drawn[:missing])
            mine = rank((*hole, *board))
            best = max(rank((*drawn[at : at + 2], *board)) for at in range(missing, len(drawn), 2))
            won += 1.0 if mine > best else 0.5 if mine == best else 0.0
        return won / TRIALS

    def _position_bonus(self, seat: int, game: Hand) -> float:
        """Return a small bonus for acting late."""
        return 0.05 * game.players.index(seat) / len(game.players)

    def _chance(self, percent: int) -> bool:
        """Return True with a probability of about this many percent."""
        return int.from_bytes(self._entropy(4), "little") % 100 < percent


class Caller(Bot):
    """A bot that always calls and never shows. It costs no time to decide, for benchmarks."""

    def __init__(self, entropy: Entropy) -> None:
        """Create the bot. It ignores `entropy`, because it decides nothing at random."""
        pass

    def move(self, view: View) -> Move:
        """Check or call; muck at the showdown."""
        return Call() if _hand_of(view).legal(view.seat).call is not None else Muck()


def _hand_of(view: View) -> Hand:
    """Return the hand in a view. Raises `BadParameter` if it is of another game."""
    if not isinstance(view.game, Hand):
        raise BadParameter("this bot plays hold'em")
    return view.game
