"""Export of finished hands in the poker hand history format (PHH), as pokerkit reads and writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pokerkit import HandHistory

from nodealer.errors import BadParameter
from nodealer.games.base import Game
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.result import HoldemEnding
from nodealer.games.package import Export


def hand_history(hand: Hand, names: Mapping[int, str] | None = None, **fields: Any) -> HandHistory:
    """Return the history of a finished hand, for `HandHistory.dumps`. Raises `BadParameter` if it is not over.

    `names` is seat to player; `fields` are further fields of the format, such as `event` or `table`. The actions of a
    forfeited hand stop where the seat left, so its final stacks do not follow from them: the field `_ended` says so.
    They do not follow either if there was dead money or a player left at a price: see `_dead` and `_charged`.
    """
    if hand.stage is not HandStage.OVER or hand.ending is None:
        raise BadParameter("only a finished hand has a history")
    ours: dict[str, Any] = {
        "hand": hand.number + 1,
        "seats": [seat + 1 for seat in hand.players],
        "finishing_stacks": [hand.stacks_after[seat] for seat in hand.players],
        # pokerkit always writes false here; with uniform antes it must be true.
        "ante_trimming_status": True,
    }
    if names is not None:
        ours["players"] = [names[seat] for seat in hand.players]
    if hand.ending is HoldemEnding.FORFEIT or hand.gone:
        ours["_ended"] = hand.ending.value
        ours["_gone"] = [hand.players.index(seat) + 1 for seat in hand.players if seat in hand.gone]
    if hand.dead or hand.charges:
        ours["_dead"] = hand.dead
        ours["_charged"] = [hand.charges.get(seat, 0) for seat in hand.players]
    return hand.table.history(**ours, **fields)


def _convert(game: Game, names: Mapping[int, str]) -> HandHistory | None:
    """Return the history of a finished hand, or None if no hand was played."""
    return hand_history(game, names) if isinstance(game, Hand) else None


#: The poker hand history format, one section for each hand.
PHH: Final = Export("phh", _convert, HandHistory.dumps_all)
