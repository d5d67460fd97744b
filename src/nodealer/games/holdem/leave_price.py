"""What it costs to leave a hand in the middle of a card."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from nodealer.cards.events import Half


class LeavePricing(enum.Enum):
    """What a table has agreed on."""

    #: Who leaves while a card of the board is half open pays as much as the hand was worth to the others.
    STRICT = "strict"
    #: One big blind, whatever was at stake.
    GENTLE = "gentle"


@dataclass(frozen=True)
class LeavePrice:
    """The price of leaving at one table."""

    leaving: LeavePricing = LeavePricing.STRICT
    big_blind: int = 0

    def of(self, half: Half, stake: int) -> int:
        """What a seat owes, as far as it has it; `stake` is the most that another live hand has in the pot.

        A card that is half open is one that somebody may have seen. What is half dealt or half rebuilt nobody has.
        """
        return stake if half is Half.OPENED and self.leaving is LeavePricing.STRICT else self.big_blind
