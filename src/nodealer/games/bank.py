"""The chips of one hand: what each seat started with, and how much of it is on the table.

The table keeps the balances from hand to hand: `begin` receives the chips, and `Done` returns what was paid and what
was won or lost. In between, a `Bank` makes sure that no seat pays more than it has and that no chip appears or is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import BadParameter
from nodealer.records import replace


@dataclass(frozen=True)
class Bank:
    """The chips of one hand. Immutable: every payment returns a new bank."""

    #: The chips of each seat at the start of the hand.
    chips: Mapping[int, int]
    #: What each seat has put in so far: `Done.paid`.
    paid: Mapping[int, int] = field(default_factory=dict)
    #: Chips of earlier hands that are in the pot too: `Done.dead`.
    dead: int = 0

    def left(self, seat: int) -> int:
        """Return what a seat can still put in."""
        return self.chips[seat] - self.paid.get(seat, 0)

    def pays(self, seat: int, amount: int) -> Bank:
        """Return the bank after a seat puts in this amount, or all its chips if it has fewer."""
        if amount < 0:
            raise BadParameter(f"a seat cannot pay {amount} chips")
        return replace(self, paid={**self.paid, seat: self.paid.get(seat, 0) + min(amount, self.left(seat))})

    def net(self, won: Mapping[int, int]) -> dict[int, int]:
        """Return what each seat wins or loses if the chips on the table are divided like this: `Done.net`.

        Raises `BadParameter` if the amounts are negative or do not add up to what was put in.
        """
        if any(amount < 0 for amount in won.values()) or sum(won.values()) != sum(self.paid.values()) + self.dead:
            raise BadParameter(
                f"{dict(won)} does not add up to what was paid, {dict(self.paid)}, plus {self.dead} dead"
            )
        return {seat: won.get(seat, 0) - self.paid.get(seat, 0) for seat in self.chips}

    def after(self, won: Mapping[int, int]) -> dict[int, int]:
        """Return the chips of each seat after the table is divided like this."""
        return {seat: self.chips[seat] + net for seat, net in self.net(won).items()}
