"""The front end of `nodealer timekeeper`: says who is late, and how the connection is."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, out, print_json_line, print_line
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client import events
from nodealer.client.event_json import event_json
from nodealer.client.events import TableEvent
from nodealer.client.status import TableStatus
from nodealer.client.ui import SilentUI


class TimekeeperUI(SilentUI):
    """Reports the connection, who has come until the game begins, and then who is late."""

    def __init__(self, *, json: bool) -> None:
        """Report for people, or for programs if `json`."""
        self._json = json
        self._console = out()
        self._seats: dict[str, int] = {}

    def status(self, status: TableStatus) -> None:
        """Take note of the seats of the players."""
        if status.state is not None:
            self._seats = {member.name: seat for seat, member in status.state.all_members.items()}

    def show(self, event: TableEvent) -> None:
        """Report an event, if it concerns the timekeeper."""
        match event:
            case events.ConnectionChanged("found", relay):
                self._tell(events.TimekeeperConnection("found", relay or ""), phrases.connected(relay or ""))
            case events.ConnectionChanged("unheard", relay, reason):
                unheard = events.TimekeeperConnection("unheard", relay or "", reason)
                self._tell(unheard, phrases.ticks_rejected(reason))
            case events.ConnectionChanged("behind", relay):
                behind = events.TimekeeperConnection("behind", relay or "")
                self._tell(behind, phrases.timekeeper_newer_key(relay or ""))
            case events.SessionOpened(names=names):
                self._tell(events.TimekeeperBegan(names), phrases.timekeeper_begins(", ".join(names)))
            case events.TimeIsUp(name):
                self._tell(events.TimekeeperLate(name, self._seats.get(name, -1)), phrases.is_late(name))
            case events.PlayersHere():
                self._print(event, event_lines(event))

    def _tell(self, event: TableEvent, text: str) -> None:
        """Print an event as a line for programs, or else the text."""
        self._print(event, [escape_markup(text)])

    def _print(self, event: TableEvent, lines: list[str]) -> None:
        """Print an event as a line for programs, or else the lines."""
        if not self._json:
            for line in lines:
                print_line(self._console, line)
        elif (document := event_json(event)) is not None:
            print_json_line(document)
