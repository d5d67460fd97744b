"""The lobby in a terminal: its questions and events, as sentences or as lines for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.line_input import LineReader
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.client import events
from nodealer.client.events import TableEvent
from nodealer.client.lobby import YES, Asked, LobbyQuestion
from nodealer.log.control_characters import escape_controls

_NO: Final = ("n", "no")
_QUIT: Final = ("quit", "exit", "q")
#: The prompt for each question; empty if nothing is asked and the person may type commands.
_PROMPTS: Final[dict[Asked, Callable[[str], str]]] = {
    Asked.SIT: phrases.ask_to_seat,
    Asked.KEEP_TIME: phrases.ask_to_keep_time,
    Asked.GUESTS: lambda name: "",
    Asked.UNANSWERED: phrases.ask_to_go_on_without,
    Asked.PROPOSAL: lambda name: phrases.ASK_TO_ACCEPT,
    Asked.ANOTHER: lambda name: phrases.ASK_TO_ACCEPT_OTHER,
}
#: What is said about events without details.
_REMARKS: Final[dict[type, str]] = {
    events.TimekeeperAwaited: phrases.TIMEKEEPER_AWAITED,
    events.NoOneSeated: phrases.NO_ONE_SEATED,
    events.UnknownLobbyCommand: phrases.LOBBY_COMMANDS,
    events.SeatRequested: phrases.SEAT_REQUESTED,
    events.LeftOut: phrases.LEFT_OUT,
}


class Questions:
    """Asks the person one question at a time, while the table goes on."""

    def __init__(self, lines: LineReader) -> None:
        """Read the answers from these lines."""
        self._lines = lines
        self._asked: LobbyQuestion | None = None
        self._line: asyncio.Future[str] | None = None

    def answer(self, question: LobbyQuestion) -> str | None:
        """Return the answer to this question, or None until there is one.

        A new question replaces the previous one: an answer never counts for another question, even if it has the same
        words.
        """
        prompt = _PROMPTS[question.asked](escape_controls(question.name))
        if self._line is None or self._asked != question:
            self.forget()
            self._asked = question
            self._line = asyncio.ensure_future(self._next_line(prompt))
        if not self._line.done():
            return None
        line, self._line = self._line.result(), None
        if line.strip().lower() in _QUIT:
            raise KeyboardInterrupt
        if prompt and line.strip().lower() not in (*YES, *_NO):
            # It was not a "no", which would turn a player away, so the question is asked again.
            return None
        return line.strip()

    async def _next_line(self, prompt: str) -> str:
        """Return the next line; at the end of the input, the line that quits."""
        try:
            return await (self._lines.answer(prompt) if prompt else self._lines.next())
        except KeyboardInterrupt:
            # In a task of its own it would stop the loop, and be reported as an error.
            return _QUIT[0]

    def forget(self) -> None:
        """Withdraw the open question, so that a later line does not answer it."""
        if self._line is not None:
            self._line.cancel()
            self._line = None


class LobbyScreen:
    """Prints the events of the lobby."""

    def __init__(self, screen: Screen) -> None:
        """Print the events on this screen."""
        self._screen = screen

    def __call__(self, event: TableEvent) -> None:
        """Print one event of the lobby or of a pairing code."""
        self._screen.emit(event)
        if not self._screen.json:
            self._print(event)

    def _print(self, event: TableEvent) -> None:
        """Print an event for people."""
        say = self._screen.say
        match event:
            case events.Came(name):
                wants = phrases.wants_to_keep_time if event.keeps_time else phrases.wants_to_sit
                say(wants(escape_markup(name)))
            case events.CheckedContact(text=text):
                say(f"  [{'bold red' if event.needs_warning else 'dim'}]{escape_markup(text)}[/]")
            case events.ProposalReceived():
                self._print_proposal(event)
            case events.PlayersHere(names, first):
                say(phrases.at_the_table(escape_markup(", ".join(names)), first=first))
            case events.MaySit(name, keeps_time, taken, seats):
                name = escape_markup(name)
                say(phrases.may_keep_time(name) if keeps_time else phrases.may_sit(name, taken, seats))
            case events.NotSitting(name, found):
                say(phrases.not_seated(escape_markup(name)) if found else phrases.no_such_guest(escape_markup(name)))
            case events.CannotBegin(reason):
                say(phrases.cannot_begin(escape_markup(reason)))
            case events.CodeGiven(code, relay):
                say(phrases.pairing_code(code))
                say(phrases.how_to_use_code(escape_markup(code), escape_markup(relay)))
            case events.CodeUsed(name):
                say(phrases.code_used(escape_markup(name)))
            case events.CodeDied(reason, given, more):
                reason = escape_markup(reason)
                say(phrases.code_expired(reason, escape_markup(more)) if given else phrases.no_code(reason))
            case _:
                say(_REMARKS[type(event)])

    def _print_proposal(self, event: events.ProposalReceived) -> None:
        """Print what is proposed."""
        proposal, say = event.proposal, self._screen.say
        players = escape_markup(", ".join(member.name for member in proposal.roster.members))
        say(phrases.proposal(escape_markup(event.game), escape_markup(event.protocol), proposal.hands, players))
        self._screen.say_time(proposal, event.words, "  ")
        if event.warning is not None:
            say(f"  [bold red]{escape_markup(event.warning)}[/]")
