"""Whether a hand that nobody has seen yet may win something."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.ranking import rank


def may_win(game: Hand, seat: int, hole: Sequence[int]) -> bool:
    """Whether no shown hand takes everything from this one. Who has put in less has no part in the rest.

    A pot that nobody contests is won whatever becomes of the cards.
    """
    if game.stage is HandStage.CLAIMING:
        return False
    paid = game.paid
    rivals = [rank((*faces, *game.board)) for rival, faces in game.shown.items() if paid[rival] >= paid[seat]]
    return all(rank((*hole, *game.board)) >= rival for rival in rivals)
