"""How a hand ended, as data for people and programs, and what the next one begins with."""

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
    #: Seats left, and what stayed could not be played to its end.
    FORFEIT = "forfeit"
    #: Fewer than two seats had chips and were to be dealt in.
    NOT_PLAYED = "not played"


@dataclass(frozen=True)
class Carry:
    """What one hand leaves to the next."""

    button: int | None
    big_blind: int | None
    #: What those have paid who left at a price: it lies in the next pot.
    dead: int = 0
    #: Those seats, and how many hands they are not dealt in yet.
    benched: Mapping[int, int] = field(default_factory=dict)

    def a_hand_later(self) -> Mapping[int, int]:
        """Who is not dealt in after one more hand."""
        return {seat: hands - 1 for seat, hands in self.benched.items() if hands > 1}


def result(hand: Hand) -> dict[str, Any]:
    """The result of a hand that is over. Lists, not tables by seat: JSON has no numbers for keys."""
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
