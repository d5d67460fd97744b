"""A participant for a page: measures how long checks take, and passes on frames that are not in the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.engine.frame_result import Received, ReceivedEvent
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore

#: Called with the number of an entry and the seconds its check took.
OnChecked = Callable[[int, float], None]


class PageParticipant(Participant):
    """A participant that reports to `on_checked` how long each entry took, and passes every frame to `on_frame`."""

    def __init__(
        self,
        home: PlayerStore,
        *,
        clock: Callable[[], float],
        on_checked: OnChecked,
        on_frame: Callable[[Participant, bytes], None],
        **rest: Any,
    ) -> None:
        """Create the participant and measure with `clock`, in seconds. `rest` is passed to `Participant`."""
        self._clock = clock
        self._on_checked = on_checked
        self._on_frame = on_frame
        super().__init__(home, **rest)

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        """Process a frame of the table, then pass it to `on_frame`."""
        received = super().receive(frame, number, more=more)
        self._on_frame(self, frame)
        return received

    def _append_and_release(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        """Apply an entry, and report how long that took."""
        number, start = replica.height, self._clock()
        super()._append_and_release(replica, data, numbered, happened)
        if replica.height > number:
            self._on_checked(number, self._clock() - start)
