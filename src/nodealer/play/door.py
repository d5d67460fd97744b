"""The door of a table that plays: those who would like to sit, and this participant's own wish to."""

from __future__ import annotations

from contextlib import suppress

from nodealer.errors import IllegalMove
from nodealer.play.asking import ASKING_MAX, ask, heard, roster_with
from nodealer.play.frames import Asks
from nodealer.play.home import Home
from nodealer.play.state import TableState


class Door:
    """Who asks for a seat, as one participant hears it."""

    def __init__(self, table: str, home: Home) -> None:
        self._table = table
        self._home = home
        #: Those who ask, by key.
        self._asking: dict[bytes, Asks] = {}
        #: Whether this participant asks for a seat, and the roster for which it has.
        self.wants = False
        self._asked: bytes | None = None

    def waiting(self, state: TableState) -> tuple[Asks, ...]:
        """Those who would like to sit, and could in the roster that is in force."""
        there = (one for one in self._asking.values() if one.who.seat not in state.roster.seats)
        return tuple(one for one in there if one.roster == roster_with(state, one.who))

    def hear(self, state: TableState, data: bytes) -> list[Asks]:
        """A frame that is not part of the log: perhaps somebody would like to sit, and was not heard before."""
        asks = heard(state, self._table, data)
        # Once for each roster: who asks again and again, each time as another, is not told of again and again.
        there = {one.who.key: one for one in self.waiting(state)}
        if asks is None or asks.who.key in there or len(there) >= ASKING_MAX:
            return []
        self._asking = there | {asks.who.key: asks}
        return [asks]

    def knock(self, state: TableState) -> bytes:
        """Ask for a seat, and go on asking. Raises `IllegalMove` where there is none to be had."""
        if self._home.name is None:
            raise IllegalMove("who only watches has no name to sit under")
        frame = ask(state, self._table, self._home.identity, self._home.name)
        self.wants, self._asked = True, state.roster.digest
        return frame

    def forget(self) -> None:
        """What was asked may not have been heard: ask again."""
        self._asked = None

    def due(self, state: TableState) -> list[bytes]:
        """Ask for a seat, once for each roster, as long as one is wanted."""
        if not self.wants or self._asked == state.roster.digest or self._home.name is None:
            return []
        self._asked = state.roster.digest
        if any(member.key == self._home.identity.public for member in state.roster.members):
            self.wants = False
            return []
        with suppress(IllegalMove):
            return [ask(state, self._table, self._home.identity, self._home.name)]
        return []
