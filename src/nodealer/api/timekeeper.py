"""The timekeeper of a table: frames in, ticks out."""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.api.watcher import Watcher, new_memory_store
from nodealer.client.timekeeper import Ticker
from nodealer.engine.store import PlayerStore
from nodealer.games.package import GamePackage
from nodealer.log.names import refuse_bad_name


class Timekeeper(Watcher):
    """A timekeeper: has a seat but no cards, and signs ticks that say how much time has passed.

    If you can, run it on a machine that does not belong to a player. Has no socket, thread or clock.
    """

    def __init__(
        self, name: str = "Clock", *, games: Iterable[str | GamePackage] = (), home: PlayerStore | None = None
    ) -> None:
        """Create a timekeeper. `games` are games that are not installed: packages, or "module:attribute"."""
        refuse_bad_name(name, "the name of this timekeeper")
        self.name = name
        self._ticker = Ticker()
        self._join(home or new_memory_store(name), games, keeps_time=True)

    def hello(self) -> list[bytes]:
        """Offer to keep the time."""
        with self._errors_with_names():
            return [self._me.lobby.offer()]

    def look(self, now: float) -> list[bytes]:
        """Return a tick if one is needed.

        Call this several times a second. `now` is in seconds, from any clock that only moves forward.
        """
        return self._follow(self._ticker, now)
