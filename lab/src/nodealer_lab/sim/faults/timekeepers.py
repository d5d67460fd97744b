"""Honest and faulty timekeepers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nodealer.client.policies import Policy
from nodealer.client.status import TableStatus
from nodealer.client.timekeeper import Ticker
from nodealer.engine.clock import Clock
from nodealer.engine.commands import Command
from nodealer_lab.sim.dice import SeededDice
from nodealer_lab.sim.plan import Keeping


class SilentTimekeeper:
    """A timekeeper that never ticks."""

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Send no tick at all."""
        return ()


class FastTimekeeper(Ticker):
    """A timekeeper whose time leaps ahead."""

    def __init__(self, dice: SeededDice, struck: Counter[str]) -> None:
        """Keep the right time until the dice make the clock leap ahead."""
        super().__init__()
        self._dice = dice
        self._struck = struck
        self._leapt = 0

    def _table_time(self, clock: Clock) -> int:
        """Return the table's time plus all leaps so far. Now and then the clock leaps ahead again."""
        if self._dice.chance(400):
            self._struck["lied"] += 1
            self._leapt += self._dice.between(1000, 100_000)
        return super()._table_time(clock) + self._leapt


def create_timekeeper(how: Keeping, dice: SeededDice, struck: Counter[str]) -> Policy:
    """Create a timekeeper with this behaviour."""
    if how == "ahead":
        return FastTimekeeper(dice, struck)
    return SilentTimekeeper() if how == "silent" else Ticker()
