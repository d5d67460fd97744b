"""One direction of the connection between a participant and the relay, where frames are lost, delayed and reordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from nodealer_lab.sim.clock import VirtualClock
from nodealer_lab.sim.dice import SeededDice

Trace = Callable[[str], None]


class SimConnection:
    """A connection that delivers frames in the order in which they were sent, except for the faults that hit them."""

    def __init__(
        self, clock: VirtualClock, dice: SeededDice, rates: Mapping[str, int], struck: Counter[str], trace: Trace
    ) -> None:
        """Create one direction of a connection. `rates` says how often each fault strikes, in a thousand frames."""
        self.rates = rates
        self._clock = clock
        self._dice = dice
        self._struck = struck
        self._trace = trace
        self._connection = 0
        #: When the last frame that keeps the order arrives; how many were sent; and the newest that has arrived.
        self._clear = 0
        self._sent = 0
        self._newest = -1

    def cut(self) -> None:
        """Drop all frames in transit."""
        self._connection += 1
        self._clear = 0

    def send(self, frame: str, deliver: Callable[[], None]) -> None:
        """Send a frame. `deliver` is called when it arrives: never, once or twice, soon or late."""
        if self._roll_fault("lost", frame):
            self._struck["lost"] += 1
            return
        self._schedule_delivery(frame, deliver)
        if self._roll_fault("repeated", frame):
            self._struck["repeated"] += 1
            self._schedule_delivery(frame, deliver)

    def _schedule_delivery(self, frame: str, deliver: Callable[[], None]) -> None:
        """Schedule the arrival of a frame, possibly delayed or out of order."""
        number, connection = self._sent, self._connection
        self._sent += 1
        arrival = max(self._clear, self._clock.now + self._dice.between(5, 40))
        if self._roll_fault("delayed", frame):
            # All later frames wait too.
            self._struck["delayed"] += 1
            arrival += self._dice.between(500, 3000)
        if self._roll_fault("reordered", frame):
            # Later frames may overtake it. The fault is counted only if one does.
            arrival += self._dice.between(30, 400)
        else:
            self._clear = arrival
        self._clock.after(arrival - self._clock.now, lambda: self._arrive(number, connection, deliver))

    def _arrive(self, number: int, connection: int, deliver: Callable[[], None]) -> None:
        """Deliver a frame, unless the connection that carried it was cut in the meantime."""
        if connection != self._connection:
            return
        self._struck["reordered"] += number < self._newest
        self._newest = max(self._newest, number)
        deliver()

    def _roll_fault(self, fault: str, frame: str) -> bool:
        """Return whether this fault strikes the frame, and trace it if so."""
        often = self.rates.get(fault, 0)
        strikes = often > 0 and self._dice.chance(often)
        if strikes:
            self._trace(f"{fault}: {frame}")
        return strikes
