"""How simulated seats choose their moves at a free table."""

from __future__ import annotations

from collections.abc import Mapping

from nodealer.cards.operations import Capability
from nodealer.games.free.rules import (
    DealCards,
    Finish,
    FreeHand,
    GiveBack,
    Insert,
    LookAt,
    MixHand,
    Move,
    OpenCards,
    PassOn,
    ProveCards,
    ShowCards,
    ShowToOne,
    Shuffle,
)
from nodealer_lab.sim.dice import SeededDice


def pick_free_move(game: FreeHand, seat: int, cards: int, faces: Mapping[int, int], dice: SeededDice) -> Move:
    """Return a random move for a table without rules.

    The table may reject it; the caller then tries another one. `faces` maps positions to the faces that the seat knows,
    so that what it proves about its hidden cards is true.
    """
    if not game.decks:
        return Shuffle(0, cards)
    mine = tuple(position for (_, position), holder in game.held.items() if holder == seat)
    hidden = tuple(position for position in mine if (0, position) not in game.opened)
    others = tuple(other for other in game.seats if other not in (seat, *game.gone))
    if Capability.MIX in game.operations and dice.chance(500):
        return _pick_private_move(hidden, others, dice)
    not_mine = tuple(face for face in range(cards) if face not in faces.values())
    match dice.between(0, 7):
        case 0 | 1:
            return DealCards(0, tuple((other, 1) for other in game.seats if other not in game.gone))
        case 2:
            return OpenCards(0, 1)
        case 3 if hidden:
            return ShowCards(0, hidden[:1])
        case 5 if hidden and not_mine and Capability.PROVE in game.operations:
            return ProveCards(0, tuple(sorted(hidden)), not_mine[: dice.between(1, len(not_mine))])
        case 4 if mine:
            return GiveBack(0, mine[:1], dice.pick(("top", "bottom", "shuffled", "discard")))
        case _:
            return Finish()


def _pick_private_move(hidden: tuple[int, ...], others: tuple[int, ...], dice: SeededDice) -> Move:
    """Return a random move that only some seats can see: peeking at the deck, or using the seat's own hidden cards."""
    what = dice.between(0, 7)
    if what < 4 or not hidden or not others:
        return LookAt(0, 1 + what % 2, dice.pick(("look", "reorder", "keep", "take")))
    to = dice.pick(others)
    asked: tuple[Move, ...] = (
        PassOn(0, hidden[:1], to),
        ShowToOne(0, hidden[:1], to),
        MixHand(0, hidden),
        Insert(0, hidden, 1),
    )
    return dice.pick(asked)
