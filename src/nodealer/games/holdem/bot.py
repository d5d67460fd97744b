"""Bots for hold'em: they play sensibly, by hand strength, position and the price of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.base import Entropy
from nodealer.games.holdem.faces import CARDS
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand
from nodealer.games.holdem.ranking import rank
from nodealer.games.holdem.winnability import may_win
from nodealer.games.package import Bot
from nodealer.games.view import View
from nodealer.tape import SEED_BYTES, Tape

#: How many ways the rest of the hand might go a bot tries in its mind.
TRIALS: Final = 100


class HoldemBot(Bot):
    """Tight before the flop, then by the odds; bluffs now and then, so that it cannot be read."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy

    def move(self, view: View) -> Move:
        """Fold, call or raise by estimated odds; muck what need not be shown."""
        game = _hand(view)
        legal = game.legal(view.seat)
        hole = tuple(view.cards.values())
        if legal.show or legal.muck:
            boasts = game.stage is HandStage.CLAIMING and self._chance(30)
            return ShowHand() if boasts or may_win(game, view.seat, hole) else Muck()
        odds = self._odds(hole, game) + self._position(view.seat, game)
        return self._bet(legal, odds, game)

    def _bet(self, legal: Legal, odds: float, game: Hand) -> Move:
        call = legal.call or 0
        price = call / (game.pot + call) if call else 0.0
        fair = 1 / max(len(game.contenders), 2)
        bluffs = self._chance(6)
        if legal.raise_from is not None and legal.raise_to is not None and (odds > fair * 1.5 or bluffs):
            # Half the pot to the whole pot on top, more with better odds.
            size = call + int((game.pot + call) * (0.5 if odds < fair * 2 else 1.0))
            return Raise(min(max(legal.raise_from, size), legal.raise_to))
        if not call or odds >= price * 1.1:
            return Call()
        return Fold()

    def _odds(self, hole: Sequence[int], game: Hand) -> float:
        """The chance to win against those who are still in, by playing it out in the mind."""
        rivals = max(len(game.contenders) - 1, 1)
        unseen = [face for face in range(CARDS) if face not in hole and face not in game.board]
        missing = 5 - len(game.board)
        won = 0.0
        dreams = Tape(self._entropy(SEED_BYTES))
        for trial in range(TRIALS):
            # A dream, and no deck: nobody minds who sees it.
            order = dreams.permutation("dream", trial.to_bytes(4, "little"), len(unseen)).vartime_list()
            drawn = [unseen[place] for place in order[: missing + 2 * rivals]]
            board = (*game.board, *drawn[:missing])
            mine = rank((*hole, *board))
            best = max(rank((*drawn[at : at + 2], *board)) for at in range(missing, len(drawn), 2))
            won += 1.0 if mine > best else 0.5 if mine == best else 0.0
        return won / TRIALS

    def _position(self, seat: int, game: Hand) -> float:
        """Acting late is worth a little."""
        return 0.05 * game.players.index(seat) / len(game.players)

    def _chance(self, percent: int) -> bool:
        return int.from_bytes(self._entropy(4), "little") % 100 < percent


class Caller(Bot):
    """Calls everything and shows nothing. It has no mind to pay for."""

    def __init__(self, entropy: Entropy) -> None:
        pass

    def move(self, view: View) -> Move:
        """A call, as long as there is something to call."""
        return Call() if _hand(view).legal(view.seat).call is not None else Muck()


def _hand(view: View) -> Hand:
    if not isinstance(view.game, Hand):
        raise BadParameter("this bot plays hold'em")
    return view.game
