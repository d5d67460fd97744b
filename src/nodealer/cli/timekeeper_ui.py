"""The front end of `nodealer timekeeper`: says who is late, and how the connection is."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, out, print_json_line, print_line
from nodealer.client import events
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
                self._report(phrases.connected(relay or ""), "connection", relay=relay)
            case events.ConnectionChanged("unheard", relay, reason):
                self._report(phrases.ticks_rejected(reason), "unheard", relay=relay)
            case events.ConnectionChanged("behind", relay):
                self._report(phrases.timekeeper_newer_key(relay or ""), "behind", relay=relay)
            case events.SessionOpened(names=names):
                players = ", ".join(names)
                self._report(phrases.timekeeper_begins(players), "begun", players=players)
            case events.TimeIsUp(name):
                self._report(phrases.is_late(name), "late", seat=self._seats.get(name, -1), name=name)
            case events.PlayersHere(names, first):
                self._report(phrases.at_the_table(", ".join(names), first=first), "lobby", players=names)

    def _report(self, sentence: str, tag: str, **fields: object) -> None:
        """Print a sentence for people, or a line with this tag and these fields for programs."""
        if self._json:
            print_json_line({"event": tag, **fields})
        else:
            print_line(self._console, escape_markup(sentence))
