"""One who keeps the time of a table: bytes in, ticks out."""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.api.watcher import Watcher, in_memory
from nodealer.client.timekeeper import Ticker as Ticking
from nodealer.engine.store import PlayerStore
from nodealer.games.package import GamePackage
from nodealer.log.names import refuse_bad_name


class Timekeeper(Watcher):
    """Somebody who sits without cards and says how much time has passed, when that makes a difference.

    Best be nobody's machine who plays. No socket, no thread, no clock: whoever runs it brings these.
    """

    def __init__(
        self, name: str = "Clock", *, games: Iterable[str | GamePackage] = (), home: PlayerStore | None = None
    ) -> None:
        """`games` are those that are not installed here, as packages or as "module:attribute"."""
        refuse_bad_name(name, "the name of this timekeeper")
        self.name = name
        self._ticking = Ticking()
        self._sit(home or in_memory(name), games, keeps_time=True)

    def hello(self) -> list[bytes]:
        """I would keep the time."""
        with self._in_words():
            return [self._me.lobby.offer()]

    def look(self, now: float) -> list[bytes]:
        """A tick, if one is wanted. To be called several times a second, with the seconds of a clock that only has to
        go on."""
        return self._ticking.on_tick(self._me, now)
