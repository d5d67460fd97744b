"""The result of a hand, as data for people and programs, and what carries over to the next hand."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nodealer.games.holdem.faces import names

if TYPE_CHECKING:
    from nodealer.games.holdem.hand import Hand


class HoldemEnding(enum.Enum):
    """How a hand ended."""

    #: Hands were compared, or all but one were mucked after the last round of betting.
    SHOWDOWN = "showdown"
    #: All but one folded.
    FOLDED = "folded"
    #: Seats left, and the others could not play the hand to its end.
    FORFEIT = "forfeit"
    #: Fewer than two seats could be dealt in.
    NOT_PLAYED = "not played"


@dataclass(frozen=True)
class Carry:
    """What carries over from one hand to the next."""

    button: int | None
    big_blind: int | None
    #: Dead money: the penalties of seats that left. It goes into the next pot.
    dead: int = 0
    #: The seats that paid them, and for how many more hands they are not dealt in.
    benched: Mapping[int, int] = field(default_factory=dict)

    def benched_after_hand(self) -> Mapping[int, int]:
        """Return the benched seats after one more hand."""
        return {seat: hands - 1 for seat, hands in self.benched.items() if hands > 1}


def result(hand: Hand) -> dict[str, Any]:
    """Return the result of a finished hand. It uses lists instead of maps by seat: JSON keys cannot be numbers."""
    before, after = hand.chips, {**hand.chips, **hand.stacks_after}
    return {
        "hand": hand.number,
        "button": hand.button,
        "ended": hand.ending.value if hand.ending is not None else None,
        "stacks": [{"seat": seat, "before": before[seat], "after": after[seat]} for seat in sorted(after)],
        "board": list(names(hand.board)),
        "pots": [
            {
                "amount": pot.amount,
                "winners": [{"seat": seat, "amount": amount} for seat, amount in pot.shares.items()],
            }
            for pot in hand.pots
        ],
        "shown": [{"seat": seat, "cards": list(names(faces))} for seat, faces in sorted(hand.shown.items())],
        "gone": sorted(hand.gone),
        "dead": hand.dead,
        "charged": [{"seat": seat, "amount": amount} for seat, amount in sorted(hand.charges.items())],
    }
