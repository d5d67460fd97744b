"""Who decides at the simulated seats."""

from __future__ import annotations

from nodealer.games.free.rules import (
    DealCards,
    Finish,
    FreeHand,
    GiveBack,
    Move,
    OpenCards,
    ShowCards,
    Shuffle,
)
from nodealer.lab.sim.dice import Dice


def free_move(game: FreeHand, seat: int, cards: int, dice: Dice) -> Move:
    """Anything that can be asked at a table without rules. It may be refused: then something else is asked."""
    if not game.decks:
        return Shuffle(0, cards)
    mine = tuple(position for (_, position), holder in game.held.items() if holder == seat)
    hidden = tuple(position for position in mine if (0, position) not in game.opened)
    match dice.between(0, 6):
        case 0 | 1:
            return DealCards(0, tuple((other, 1) for other in game.seats if other not in game.gone))
        case 2:
            return OpenCards(0, 1)
        case 3 if hidden:
            return ShowCards(0, hidden[:1])
        case 4 if mine:
            return GiveBack(0, mine[:1], dice.pick(("top", "bottom", "shuffled", "discard")))
        case _:
            return Finish()
