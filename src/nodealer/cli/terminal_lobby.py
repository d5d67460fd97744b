"""The lobby in a terminal: its questions and news, as sentences or as events for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.line_input import LineReader
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.client.contacts import CheckedContact
from nodealer.client.lobby import (
    YES,
    Asked,
    Came,
    CannotBegin,
    Here,
    LobbyQuestion,
    MaySit,
    News,
    NotSitting,
    Proposed,
    Remark,
)
from nodealer.client.pairing import CodeDied, CodeGiven, CodeNews, CodeUsed
from nodealer.log.control_characters import escape_controls
from nodealer.log.session import Proposal

_NO: Final = ("n", "no")
#: The prompt for each question; empty if nothing is asked and the person may type commands.
_PROMPTS: Final[dict[Asked, Callable[[str], str]]] = {
    Asked.SIT: phrases.ask_to_seat,
    Asked.KEEP_TIME: phrases.ask_to_keep_time,
    Asked.GUESTS: lambda name: "",
    Asked.UNANSWERED: phrases.ask_to_go_on_without,
    Asked.PROPOSAL: lambda name: phrases.ASK_TO_ACCEPT,
    Asked.ANOTHER: lambda name: phrases.ASK_TO_ACCEPT_OTHER,
}
_REMARKS: Final = {
    Remark.KEEPER_AWAITED: phrases.TIMEKEEPER_AWAITED,
    Remark.NOBODY_SITS: phrases.NO_ONE_SEATED,
    Remark.NO_SUCH_WORD: phrases.LOBBY_COMMANDS,
    Remark.ASKED_FOR_A_SEAT: phrases.SEAT_REQUESTED,
    Remark.LEFT_OUT: phrases.LEFT_OUT,
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
            self._line = asyncio.ensure_future(self._lines.answer(prompt) if prompt else self._lines.next())
        if not self._line.done():
            return None
        line, self._line = self._line.result(), None
        if line.strip().lower() in ("q", "quit", "exit"):
            raise KeyboardInterrupt
        if prompt and line.strip().lower() not in (*YES, *_NO):
            # It was not a "no", which would turn a player away, so the question is asked again.
            return None
        return line.strip()

    def forget(self) -> None:
        """Withdraw the open question, so that a later line does not answer it."""
        if self._line is not None:
            self._line.cancel()
            self._line = None


class LobbyScreen:
    """Prints the news of the lobby."""

    def __init__(self, screen: Screen) -> None:
        """Print the news on this screen."""
        self._screen = screen

    def __call__(self, news: News | CodeNews) -> None:
        """Print one piece of news of the lobby or of a pairing code."""
        match news:
            case Came():
                self._on_offer(news)
            case CheckedContact():
                self._on_contact(news)
            case Proposed():
                self._on_proposal(news)
            case Here():
                self._on_players(news)
            case MaySit(name, keeps_time, taken, seats):
                name = escape_markup(name)
                self._say(phrases.may_keep_time(name) if keeps_time else phrases.may_sit(name, taken, seats))
            case NotSitting(name, found):
                self._say(
                    phrases.not_seated(escape_markup(name)) if found else phrases.no_such_guest(escape_markup(name))
                )
            case CannotBegin(reason):
                self._say(phrases.cannot_begin(escape_markup(reason)))
            case Remark():
                if news is Remark.ASKED_FOR_A_SEAT:
                    self._screen.emit({"event": "lobby"})
                self._say(_REMARKS[news])
            case _:
                self._on_code(news)

    def _say(self, text: str) -> None:
        """Print the text, unless the output is JSON."""
        if not self._screen.json:
            self._screen.say(text)

    def _on_offer(self, came: Came) -> None:
        """Report a player who would like to sit down, or keep the time."""
        self._screen.emit({"event": "offer", "name": came.name, "key": came.key.hex()})
        wants = phrases.wants_to_keep_time if came.keeps_time else phrases.wants_to_sit
        self._say(wants(escape_markup(came.name)))

    def _on_contact(self, looked: CheckedContact) -> None:
        """Print what this user knows about a player, with a warning if a known name comes with another key."""
        event = {"event": "player", "name": looked.name, "key": looked.key.hex(), "sight": looked.status.value}
        self._screen.emit(event)
        self._say(f"  [{'bold red' if looked.needs_warning else 'dim'}]{escape_markup(looked.text)}[/]")

    def _on_players(self, here: Here) -> None:
        """Report who is at the table."""
        self._screen.emit({"event": "lobby", "players": list(here.names)})
        self._say(phrases.at_the_table(escape_markup(", ".join(here.names)), first=here.first))

    def _on_proposal(self, told: Proposed) -> None:
        """Report what is proposed."""
        proposal = told.proposal
        names = [member.name for member in proposal.roster.members]
        self._screen.emit(
            {"event": "proposal", "game": proposal.game.name, "protocol": proposal.protocol.name, "players": names}
            | {"hands": proposal.hands, "told": [told.game, told.protocol], "warning": told.warning}
            | {"clock": _clock(proposal)}
        )
        players = escape_markup(", ".join(names))
        self._say(phrases.proposal(escape_markup(told.game), escape_markup(told.protocol), proposal.hands, players))
        if not self._screen.json:
            self._screen.say_time(proposal, told.words, "  ")
        if told.warning is not None:
            self._say(f"  [bold red]{escape_markup(told.warning)}[/]")

    def _on_code(self, news: CodeNews) -> None:
        """Report a pairing code: created, used, or expired."""
        match news:
            case CodeGiven(code, relay):
                self._screen.emit({"event": "code", "code": code, "relay": relay})
                self._say(phrases.pairing_code(code))
                self._say(phrases.how_to_use_code(escape_markup(code), escape_markup(relay)))
            case CodeUsed(name):
                self._screen.emit({"event": "code-used"})
                self._say(phrases.code_used(escape_markup(name)))
            case CodeDied(reason, given, more):
                self._screen.emit({"event": "code-dead"})
                reason = escape_markup(reason)
                self._say(phrases.code_expired(reason, escape_markup(more)) if given else phrases.no_code(reason))


def _clock(proposal: Proposal) -> dict[str, str | int] | None:
    """Return the timekeeper's name and the time limits in milliseconds, or None without a clock."""
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    if keeper is None or limits is None:
        return None
    return {"keeper": keeper.name, "move": limits.move, "bank": limits.bank}
