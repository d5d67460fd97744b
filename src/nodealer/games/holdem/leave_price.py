"""The price of leaving a hand in the middle of a card operation."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from nodealer.cards.events import Half


class LeavePricing(enum.Enum):
    """The rule a table has agreed on."""

    #: A player who leaves while a board card is half open pays as much as another live hand has at stake.
    STRICT = "strict"
    #: One big blind, whatever was at stake.
    GENTLE = "gentle"


@dataclass(frozen=True)
class LeavePrice:
    """The price of leaving at one table."""

    leaving: LeavePricing = LeavePricing.STRICT
    big_blind: int = 0

    def amount(self, half: Half, stake: int) -> int:
        """Return the price, before it is limited to the seat's stack.

        `stake` is the most that another live hand has in the pot. It is the price of leaving an opening half
        done, because the leaving player may have seen the card. No one has seen a card whose deal is half done.
        """
        return stake if half is Half.OPENED and self.leaving is LeavePricing.STRICT else self.big_blind
