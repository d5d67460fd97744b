"""A finished hand in the poker hand history format (PHH), as pokerkit writes and reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pokerkit import HandHistory

from nodealer.errors import BadParameter
from nodealer.games.base import Game
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.result import HoldemEnding
from nodealer.games.package import Export


def history(hand: Hand, names: Mapping[int, str] | None = None, **fields: Any) -> HandHistory:
    """The history of a hand that is over, for `HandHistory.dumps`.

    `names` is seat to player; `fields` are further fields of the format, such as `event` or `table`. The actions of a
    hand that was forfeited stop where the seat left. Its stacks do not follow from them: the field `_ended` says so.
    Nor do they where there was dead money, or somebody left at a price: `_dead` and `_charged` say how much.
    """
    if hand.stage is not HandStage.OVER or hand.ending is None:
        raise BadParameter("only a hand that is over has a history")
    ours: dict[str, Any] = {
        "hand": hand.number + 1,
        "seats": [seat + 1 for seat in hand.players],
        "finishing_stacks": [hand.stacks_after[seat] for seat in hand.players],
        # pokerkit writes false here whatever the game says; with uniform antes it must be true.
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


def _exported(game: Game, names: Mapping[int, str]) -> HandHistory | None:
    return history(game, names) if isinstance(game, Hand) else None


#: The poker hand history format, a section for each hand.
PHH: Final = Export("phh", _exported, HandHistory.dumps_all)
