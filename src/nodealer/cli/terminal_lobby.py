"""A lobby in a terminal: its questions, and what there is to say, in words or as events for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from nodealer.cli.line_input import Lines
from nodealer.cli.output import shown
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
#: Nothing where the person is not asked, and may say what it wants.
_PROMPTS: Final[dict[Asked, Callable[[str], str]]] = {
    Asked.SIT: lambda name: f"Let {name} sit? [Y/n] ",
    Asked.KEEP_TIME: lambda name: f"Let {name} keep the time? [Y/n] ",
    Asked.GUESTS: lambda name: "",
    Asked.UNANSWERED: lambda name: f"{name} has not answered. Go on without {name}? [y/N] ",
    Asked.PROPOSAL: lambda name: "Sit down to this? [Y/n] ",
    Asked.ANOTHER: lambda name: "This is ANOTHER proposal. Sit down to it? [y/n] ",
}
_REMARKS: Final = {
    Remark.KEEPER_AWAITED: "All who play are here; the game begins when somebody comes to keep the time.",
    Remark.NOBODY_SITS: "Nobody sits but you.",
    Remark.NO_SUCH_WORD: "Type start to begin with those who sit, code for a spoken code, without NAME, or quit.",
    Remark.ASKED_FOR_A_SEAT: "You have asked for a seat. The host lets people sit, and begins the game when all are "
    "there; then you see what is played, and agree to it or not.",
    Remark.LEFT_OUT: "The host proposes a game without you; perhaps there is no seat left.",
}


class Questions:
    """Asks the person one question at a time, while the table goes on."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._asked: LobbyQuestion | None = None
        self._line: asyncio.Future[str] | None = None

    def answer(self, question: LobbyQuestion) -> str | None:
        """The answer to this question, once it has come. Another question before it is asked no more: what was typed
        for one does not answer another, in whatever words it is asked."""
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
            # Whatever was meant, it was no "no": that would send somebody away. It is asked again.
            return None
        return line.strip()

    def forget(self) -> None:
        """Nobody is asked any more."""
        if self._line is not None:
            self._line.cancel()
            self._line = None


class ScreenTells:
    """Says on a screen what there is to say in a lobby."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def __call__(self, news: News | CodeNews) -> None:
        match news:
            case Came():
                self._came(news)
            case CheckedContact():
                self._looked(news)
            case Proposed():
                self._proposed(news)
            case Here():
                self._here(news)
            case MaySit(name, keeps_time, taken, seats):
                self._say(f"{shown(name)} may {'keep the time.' if keeps_time else f'sit ({taken} of {seats}).'}")
            case NotSitting(name, found):
                self._say(f"{shown(name)} does not sit." if found else f"Nobody here is called {shown(name)}.")
            case CannotBegin(reason):
                self._say(f"[magenta]With those who sit it cannot begin:[/magenta] {shown(reason)}.")
            case Remark():
                if news is Remark.ASKED_FOR_A_SEAT:
                    self._screen.emit({"event": "lobby"})
                self._say(_REMARKS[news])
            case _:
                self._of_code(news)

    def _say(self, text: str) -> None:
        if not self._screen.json:
            self._screen.say(text)

    def _came(self, came: Came) -> None:
        self._screen.emit({"event": "offer", "name": came.name, "key": came.key.hex()})
        what = "keep the time" if came.keeps_time else "sit"
        self._say(f"[bold]{shown(came.name)}[/bold] would like to {what}.")

    def _looked(self, looked: CheckedContact) -> None:
        """What this user knows of somebody; loudly, where a name has come with another key."""
        event = {"event": "player", "name": looked.name, "key": looked.key.hex(), "sight": looked.status.value}
        self._screen.emit(event)
        self._say(f"  [{'bold red' if looked.needs_warning else 'dim'}]{shown(looked.text)}[/]")

    def _here(self, here: Here) -> None:
        self._screen.emit({"event": "lobby", "players": list(here.names)})
        names = shown(", ".join(here.names)) or "nobody yet"
        begun = "The game has not begun; you wait for it. " if here.first else ""
        self._say(f"{begun}At the table: {names}.")

    def _proposed(self, told: Proposed) -> None:
        proposal = told.proposal
        names = [member.name for member in proposal.roster.members]
        self._screen.emit(
            {"event": "proposal", "game": proposal.game.name, "protocol": proposal.protocol.name, "players": names}
            | {"hands": proposal.hands, "told": [told.game, told.protocol], "warning": told.warning}
            | {"clock": _clock(proposal)}
        )
        hands = f", {proposal.hands} hand{'s'[: proposal.hands > 1]}" if proposal.hands else ""
        listed = shown(", ".join(names))
        self._say(f"Proposed: [bold]{shown(told.game)}[/bold] on {shown(told.protocol)}{hands}, with {listed}.")
        if not self._screen.json:
            self._screen.say_time(proposal, told.words, "  ")
        if told.warning is not None:
            self._say(f"  [bold red]{shown(told.warning)}[/]")

    def _of_code(self, news: CodeNews) -> None:
        match news:
            case CodeGiven(code, relay):
                self._screen.emit({"event": "code", "code": code, "relay": relay})
                self._say(f"Say this to one guest, within ten minutes: [bold]{code}[/bold]")
                self._say(f"  [dim]Typed as: {shown(f'nodealer join {code} --relay {relay} --name NAME')}[/dim]")
            case CodeUsed(name):
                self._screen.emit({"event": "code-used"})
                self._say(f"{shown(name)} has used the code, and may sit.")
            case CodeDied(reason, given, more):
                self._screen.emit({"event": "code-dead"})
                now = "" if not given else f" {shown(more)}." if more else " Type code for another."
                why = "No guest came by that code" if given else "There is no code"
                self._say(f"[red]{why}:[/red] {shown(reason)}.{now}")


def _clock(proposal: Proposal) -> dict[str, str | int] | None:
    """Who keeps the time, and how much of it there is, in milliseconds."""
    keeper, limits = proposal.roster.timekeeper, proposal.clock
    if keeper is None or limits is None:
        return None
    return {"keeper": keeper.name, "move": limits.move, "bank": limits.bank}
