"""Whether a hand that has not been shown could still win."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.ranking import rank


def can_win(game: Hand, seat: int, hole: Sequence[int]) -> bool:
    """Return whether this hand could win chips by being shown.

    A shown hand that put in less cannot take the whole pot, so it is not compared. False for an uncontested pot: the
    player wins it whether they show or not.
    """
    if game.stage is HandStage.CLAIMING:
        return False
    paid = game.paid
    rivals = [rank((*faces, *game.board)) for rival, faces in game.shown.items() if paid[rival] >= paid[seat]]
    return all(rank((*hole, *game.board)) >= rival for rival in rivals)
