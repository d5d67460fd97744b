"""A participant for a page: it knows how long it took to check what others sent, and hears what is beside the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer.engine.frame_result import Received, ReceivedEvent
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore

#: The number of an entry, and the seconds that it took to judge it.
Took = Callable[[int, float], None]


class PageParticipant(Participant):
    """Tells `took` how long each entry took, by this clock, and `beside` every frame."""

    def __init__(
        self,
        home: PlayerStore,
        *,
        clock: Callable[[], float],
        took: Took,
        beside: Callable[[Participant, bytes], None],
        **rest: Any,
    ) -> None:
        self._clock = clock
        self._took = took
        self._beside = beside
        super().__init__(home, **rest)

    def receive(self, frame: bytes, number: int | None = None) -> Received:
        """A frame of the table."""
        step = super().receive(frame, number)
        self._beside(self, frame)
        return step

    def _enter(self, replica: Replica, data: bytes, numbered: bool, happened: list[ReceivedEvent]) -> None:
        number, began = replica.height, self._clock()
        super()._enter(replica, data, numbered, happened)
        if replica.height > number:
            self._took(number, self._clock() - began)
