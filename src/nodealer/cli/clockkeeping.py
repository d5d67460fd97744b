"""What `nodealer timekeeper` does: it keeps the time of one table, and says who is late."""

from __future__ import annotations

import asyncio

from nodealer.cli.kept import games_folder
from nodealer.cli.output import err, shown
from nodealer.cli.screen import Screen
from nodealer.cli.timekeeping import KeeperOrder, keep
from nodealer.drive.sealed import Found, Line, Locked
from nodealer.errors import BadParameter, RelayError
from nodealer.play.participant import Participant, Step
from nodealer.play.replica import Applied
from nodealer.relay.links import read_link


class _Told:
    """Tells of the connection, and of what the ticks show."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._found = False

    def line(self, line: Line) -> None:
        """What became of the connection."""
        if isinstance(line, Found):
            self._found = True
            self._say({"event": "connection", "relay": line.relay}, f"Connected to {line.relay}.")
        elif isinstance(line, Locked):
            raise BadParameter("the players have gone on with another key, and without this timekeeper")
        elif not self._found:
            raise RelayError(line.reason)

    def see(self, participant: Participant, step: Step) -> None:
        """Who is late."""
        for one in step.happened:
            if isinstance(one, Applied) and one.before.clock is not None and one.after.clock is not None:
                before, after = one.before.clock, one.after.clock
                for seat in sorted({before.watched[duty].seat for duty in after.late - before.late}):
                    name = one.after.known[seat].name
                    self._say({"event": "late", "seat": seat, "name": name}, f"{name} is late.")

    def _say(self, event: dict[str, object], text: str) -> None:
        self._screen.emit(event)
        if not self._screen.json:
            self._screen.say(shown(text))


def keep_the_time(text: str, *, name: str, game: str | None, json: bool) -> int:
    """Come to a table and keep its time. Gives the exit code."""
    invitation, screen = read_link(text), Screen(json)
    invitation.table_secret()
    home = games_folder().parent / "timekeeper" / invitation.table
    home.parent.mkdir(parents=True, exist_ok=True)
    told = _Told(screen)
    order = KeeperOrder(invitation.link, invitation.table, invitation.relays, name, game, str(home))
    try:
        asyncio.run(keep(order, told.line, told.see))
    except KeyboardInterrupt:
        err().print("\nStopped; the same command goes on.", soft_wrap=True)
        raise
    if not screen.json:
        screen.say("The table has ended.")
    return 0
