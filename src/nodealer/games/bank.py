"""The chips of one hand: what each seat began with, and what of it lies on the table.

The table keeps the account from hand to hand: `begin` gets the chips, `Done` gives back what was paid and what was won
or lost. In between this counts, so that no seat pays what it does not have and no chip is made or lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import BadParameter
from nodealer.records import replace


@dataclass(frozen=True)
class Bank:
    """Immutable: every payment gives a new one."""

    #: Seat to its chips as the hand began.
    chips: Mapping[int, int]
    #: Seat to what it has put in so far: `Done.paid`.
    paid: Mapping[int, int] = field(default_factory=dict)
    #: Chips of earlier hands that lie there too: `Done.dead`.
    dead: int = 0

    def left(self, seat: int) -> int:
        """What a seat can still put in."""
        return self.chips[seat] - self.paid.get(seat, 0)

    def pays(self, seat: int, amount: int) -> Bank:
        """A seat puts in so much, or all it has where that is less."""
        if amount < 0:
            raise BadParameter(f"nobody pays {amount}")
        return replace(self, paid={**self.paid, seat: self.paid.get(seat, 0) + min(amount, self.left(seat))})

    def net(self, won: Mapping[int, int]) -> dict[int, int]:
        """What each seat has won or lost when what lies on the table is divided like this: `Done.net`."""
        if any(amount < 0 for amount in won.values()) or sum(won.values()) != sum(self.paid.values()) + self.dead:
            raise BadParameter(f"{dict(won)} is not what {dict(self.paid)} have put in, and {self.dead}")
        return {seat: won.get(seat, 0) - self.paid.get(seat, 0) for seat in self.chips}

    def after(self, won: Mapping[int, int]) -> dict[int, int]:
        """What each seat has then."""
        return {seat: self.chips[seat] + net for seat, net in self.net(won).items()}
