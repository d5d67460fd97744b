"""What `nodealer timekeeper` does: keep the time of one table, and say who is late."""

from __future__ import annotations

import asyncio

from nodealer.cli import text as phrases
from nodealer.cli.output import err, escape_markup, print_line
from nodealer.cli.screen import Screen
from nodealer.cli.terminal_lobby import LobbyScreen
from nodealer.cli.timekeeper_process import TimekeeperConfig, keep
from nodealer.client.events import TableEvent, TimekeeperBegan, TimekeeperConnection, TimekeeperLate
from nodealer.client.lobby import Onlooker
from nodealer.client.relay_transport import Behind, ConnectionEvent, KeyMissing, RelayFound, RelayLost, WriteRefused
from nodealer.client.saved_games import games_folder
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Applied
from nodealer.errors import BadParameter, RelayError
from nodealer.relay.invitations import parse_link
from nodealer.tape import expand


class _Reporter:
    """Reports the state of the connection, and who is late."""

    def __init__(self, screen: Screen) -> None:
        """Report on this screen."""
        self._screen = screen
        self._onlooker = Onlooker(LobbyScreen(screen))
        self._found = self._begun = False
        #: Whether it was reported that the relay rejects messages, and whether that ended the last connection.
        self._unheard = self._refused = False

    def line(self, line: ConnectionEvent) -> None:
        """Report a change of the connection."""
        if isinstance(line, RelayFound):
            if not self._refused:
                self._unheard = False
                self._say(TimekeeperConnection("found", line.relay), phrases.connected(line.relay))
            self._found, self._refused = True, False
        elif isinstance(line, Behind):
            self._say(TimekeeperConnection("behind", line.relay), phrases.timekeeper_newer_key(line.relay))
        elif isinstance(line, WriteRefused) or (isinstance(line, RelayLost) and line.refused):
            self._refused = isinstance(line, RelayLost)
            # The relay may reject messages again and again.
            if not self._unheard:
                unheard = TimekeeperConnection("unheard", line.relay, line.reason)
                self._say(unheard, phrases.ticks_rejected(line.reason))
            self._unheard = True
        elif isinstance(line, KeyMissing):
            raise BadParameter(phrases.TIMEKEEPER_LOCKED_OUT)
        elif not self._found:
            raise RelayError(line.reason)

    def see(self, participant: Participant, step: Received) -> None:
        """Report who has come until the game begins, then who is late."""
        self._onlooker.on_tick(participant, 0.0)
        if participant.has_session and not self._begun:
            self._begun = True
            state = participant.replica.state
            names = tuple(state.all_members[seat].name for seat in state.present)
            self._say(TimekeeperBegan(names), phrases.timekeeper_begins(", ".join(names)))
        for one in step.happened:
            if isinstance(one, Applied) and one.before.clock is not None and one.after.clock is not None:
                before, after = one.before.clock, one.after.clock
                for seat in sorted({before.timed[duty].seat for duty in after.late - before.late}):
                    name = one.after.all_members[seat].name
                    self._say(TimekeeperLate(name, seat), phrases.is_late(name))

    def _say(self, event: TableEvent, text: str) -> None:
        """Emit the event with `--json`, or else print the text."""
        self._screen.emit(event)
        if not self._screen.json:
            self._screen.say(escape_markup(text))


def keep_the_time(text: str, *, name: str, game: str | None, json: bool) -> int:
    """Join a table and keep its time. Return the exit code."""
    invitation, screen = parse_link(text), Screen(json)
    # From the whole invitation: another link may have the same table number.
    of = expand("timekeeper", invitation.table_secret().secret, invitation.host, size=8).hex()
    home = games_folder().parent / "timekeeper" / f"{invitation.table}-{of}"
    home.parent.mkdir(parents=True, exist_ok=True)
    reporter = _Reporter(screen)
    order = TimekeeperConfig(invitation.link, invitation.table, invitation.relays, name, game, str(home))
    try:
        asyncio.run(keep(order, reporter.line, reporter.see))
    except KeyboardInterrupt:
        print_line(err(), phrases.TIMEKEEPER_STOPPED)
        raise
    if not screen.json:
        screen.say(phrases.TABLE_ENDED)
    return 0
