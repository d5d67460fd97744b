"""A person's table in the browser: the page is served here, and one game after the other is played on it."""

from __future__ import annotations

import asyncio
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import segno

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.games import games_here
from nodealer.cli.lobbying import Asked, LobbyQuestion
from nodealer.cli.output import err, shown, visible
from nodealer.cli.screen import Screen
from nodealer.cli.where import Where
from nodealer.drive.patience import Looks
from nodealer.games.package import GamePackage
from nodealer.play.participant import Participant, Step
from nodealer.web import documents as doc
from nodealer.web.hub import Hub
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat
from nodealer.wire import encode

#: For how many seconds no page must be open before a table that has ended is closed.
LEFT_AFTER: Final = 10.0
#: Bytes of the name of a page's table, in its cookie.
_NAME_BYTES: Final = 8


#: What a person should read of what programs are told, and how it is marked. The page has the words.
NOTICES: Final = {
    "dropout": "bad",
    "stuck": "bad",
    "declined": "note",
    "missing": "bad",
    "code": "note",
    "drift": "note",
    "asks": "note",
    "seated": "good",
    "key": "note",
    "removed": "bad",
}
CONNECTION: Final = {"found": "good", "lost": "note", "unheard": "bad", "locked": "bad"}
#: What can be answered to a question of a lobby, the likely one first.
ANSWERS: Final = {
    Asked.SIT: ("y", "n"),
    Asked.KEEP_TIME: ("y", "n"),
    Asked.GUESTS: ("start", "code"),
    Asked.UNANSWERED: ("n", "y"),
    Asked.PROPOSAL: ("y", "n"),
    Asked.ANOTHER: ("y", "n"),
}


class PageScreen(Screen):
    """Tells pages what a terminal would be told."""

    def __init__(self, page: Page, at: Where = Where.ADDRESS) -> None:
        super().__init__(json=True)
        self.page = page
        self.at = at

    def say(self, text: str) -> None:
        """Pages have words of their own."""

    def follow(self, participant: Participant, *, you: bool = False) -> Callable[[Step], list[bytes]]:
        """What a participant sees happen goes to its pages."""
        see = self.page.person.watch(participant)

        def watch(step: Step) -> list[bytes]:
            if participant.begun:
                self.replica = participant.replica
            return see(step)

        return watch

    def emit(self, event: dict[str, Any]) -> None:
        """What is no document by itself."""
        name = event["event"]
        if name in NOTICES:
            of = {
                key: visible(said) if isinstance(said, str) else said for key, said in event.items() if key != "event"
            }
            # Who has a seat does not wait for one any more.
            about = "seat" if name in ("asks", "seated") else f"{name} {event.get('name', '')}".strip()
            self.page.seat.notice(NOTICES[name], name, about, **of)
        match name:
            case "connection":
                self.page.seat.notice(CONNECTION[event["what"]], event["what"], "connection")
            case "table":
                self.page.lobby.link, self.page.lobby.watch = event["link"], event["watch"]
            case "player":
                key = bytes.fromhex(event["key"])
                self.page.lobby.sights[key] = self.page.seat.sights[key] = event["sight"]
            case "proposal":
                self.page.lobby.proposal = proposal_of(event)


def proposal_of(event: dict[str, Any]) -> doc.LobbyProposal:
    """All that the person agrees to, with what is set for it: a host could have set what a guest would not play."""
    game, protocol = event["told"]
    clock, names = event["clock"], tuple(map(visible, event["players"]))
    kept = None if clock is None else doc.LobbyClock(visible(clock["keeper"]), clock["move"], clock["bank"])
    return doc.LobbyProposal(visible(game), visible(protocol), event["hands"], names, event["warning"], kept)


@dataclass
class LobbyKnows:
    """What a lobby shows beside those who have come."""

    link: str | None = None
    watch: str | None = None
    proposal: doc.LobbyProposal | None = None
    question: doc.LobbyQuestion | None = None
    #: Key to how it stands to those who are known.
    sights: dict[bytes, str] = field(default_factory=dict)


class PageLobby:
    """Looks on in a lobby, and shows it: after whoever has something to say there."""

    def __init__(self, page: Page, inner: Looks | None, seats: int) -> None:
        self._page = page
        self._inner = inner
        self._seats = seats
        self._shown: doc.Lobby | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """What to say now."""
        said = [] if self._inner is None else self._inner.look(participant, now)
        lobby = self._lobby(participant)
        if lobby != self._shown and not participant.begun:
            self._shown = lobby
            self._page.seat.tell(lobby)
        return said

    def _lobby(self, participant: Participant) -> doc.Lobby:
        knows, me, proposal = self._page.lobby, participant.home.identity.public, participant.lobby.proposal
        asked = {member.key for member in proposal.roster.members} if proposal is not None else set()
        awaited = set(participant.lobby.awaited)
        people = tuple(
            doc.LobbyPerson(
                offer.name,
                "here" if offer.key not in asked else "asked" if offer.name in awaited else "agreed",
                offer.key == me,
                knows.sights.get(offer.key, ""),
                knows.sights.get(offer.key) in ("other key", "two keys"),
            )
            for offer in participant.offers
        )
        qr = () if knows.link is None else qr_rows(knows.link)
        seats = max(self._seats, len(people)) if proposal is None else len(proposal.roster.members)
        return doc.Lobby(people, seats, knows.link, knows.watch, qr, knows.proposal, knows.question)


class PageQuestions:
    """Asks the person one question at a time, on the page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._asked: LobbyQuestion | None = None
        self._number = 0

    def answer(self, question: LobbyQuestion) -> str | None:
        """The answer to this question, once it has come."""
        if question != self._asked:
            self.forget()
            self._asked, self._number = question, self._page.next_question()
            code, answers = question.asked.value, ANSWERS[question.asked]
            self._page.lobby.question = doc.LobbyQuestion(self._number, code, question.name, answers)
        answer = self._page.answered(self._number)
        if answer is not None:
            self.forget()
        return answer

    def forget(self) -> None:
        """Nobody is asked any more."""
        self._asked = None
        self._page.lobby.question = None


def qr_rows(link: str) -> tuple[str, ...]:
    """A QR code for a page: rows of "1" for dark."""
    code = segno.make_qr(link, error="l", boost_error=False)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)


class Page:
    """What is served: the hub of its pages, and whose seat they show now."""

    def __init__(self, address: str = "") -> None:
        self.hub = Hub()
        self.address = address
        self.seat = PageSeat(self.hub.tell, time.monotonic)
        self.person = PagePerson(self.seat, _wall)
        self.lobby = LobbyKnows()
        #: Where the log is that pages can save and verify.
        self.log: Any = None
        self.game: GamePackage | None = None
        self._asked: asyncio.Queue[doc.Deal | doc.Answer] = asyncio.Queue()
        #: The number of the last question of a lobby. No table begins anew: a late answer is to none of the next one.
        self._questions = 0
        self._tasks: set[asyncio.Task[Report | None]] = set()
        self.hub.everything = lambda: self.seat.everything()
        self.hub.hear = self._hear

    def sit(self, role: str, name: str | None, *standing: doc.Document) -> PagePerson:
        """A new table. Pages begin anew."""
        self.seat = PageSeat(self.hub.tell, time.monotonic, role, name, asked=self.seat.asked)
        self.person = PagePerson(self.seat, _wall)
        for document in standing:
            self.seat.tell(document)
        self.hub.begin_anew()
        return self.person

    def next_question(self) -> int:
        """The number of a new question of a lobby."""
        self._questions += 1
        return self._questions

    async def next_deal(self) -> doc.Deal:
        """What the person wants to play next. What was said during another table was not meant for now."""
        while not self._asked.empty():
            self._asked.get_nowait()
        while True:
            asked = await self._asked.get()
            if isinstance(asked, doc.Deal):
                return asked

    def answered(self, number: int) -> str | None:
        """What the person has said to this question of the lobby, if it has. Answers to others are forgotten: a yes to
        what was proposed before is none to what is proposed now."""
        while not self._asked.empty():
            asked = self._asked.get_nowait()
            if isinstance(asked, doc.Answer) and asked.ask == number:
                return asked.text
        return None

    def _hear(self, said: doc.Said_) -> None:
        if isinstance(said, doc.Deal | doc.Answer):
            self._asked.put_nowait(said)
        elif isinstance(said, doc.Save):
            self._save(said.what)
        elif isinstance(said, doc.Verify):
            if self._tasks:
                return
            task = asyncio.ensure_future(self.verify())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self.person.hear(said)

    def _save(self, what: str) -> None:
        replica = self.person.replica
        if replica is None:
            self.seat.refuse("no log")
            return
        entries, name = replica.entries, "game"
        if what == "evidence" and replica.state.fault is not None:
            entries, name = entries[: replica.state.fault.entry + 1], "evidence"
        lines = [encode(replica.config.session), *entries]
        text = "".join(line.decode() + "\n" for line in lines)
        self.seat.tell(doc.File(f"{name}-{replica.config.session.id.hex()[:8]}.jsonl", text))

    async def verify(self) -> Report | None:
        """Audit the log as anybody could, from the file alone, in front of the person."""
        if self.log is None or self.person.replica is None:
            self.seat.refuse("no log")
            return None
        began = time.perf_counter()
        check = partial(verify_file, self.log, entropy=system_entropy, game=self.game)
        report = await asyncio.get_running_loop().run_in_executor(None, check)
        self.show_report(report, time.perf_counter() - began)
        return report

    def show_report(self, report: Report, seconds: float) -> None:
        """What an audit found."""
        self.seat.tell(doc.Verdict(report.verdict, report.as_json(), round(seconds * 1000, 1)))

    async def until_left(self) -> None:
        """Until no page has been open for a while: there is a log to be saved, and a verdict to be read."""
        came, gone = bool(self.hub.pages), 0.0
        while not came or gone < LEFT_AFTER:
            await asyncio.sleep(0.5)
            came = came or bool(self.hub.pages)
            gone = 0.0 if self.hub.pages else gone + 0.5


def _wall() -> int:
    return int(time.time() * 1000)


@asynccontextmanager
async def served(page: Page, at: Where) -> AsyncIterator[str]:
    """The page, opened in the browser or with its address printed."""
    from nodealer.web.server import Door, serve  # late: a terminal should not wait for a server

    door = Door(system_entropy(_NAME_BYTES).hex(), system_entropy)
    games = {game.name: game for game in games_here()}

    def game_of(name: str) -> GamePackage | None:
        return page.game if page.game is not None and page.game.name == name else games.get(name)

    async with serve(page.hub, door, game_of) as address:
        if at is Where.ADDRESS:
            err().print(f"Your table is at [bold]{shown(address)}[/bold]", soft_wrap=True)
            err().print("[dim]The address opens once. Ctrl-C ends the table.[/dim]")
        else:
            err().print(f"Your table opens in the browser; if it does not: {shown(address)}", soft_wrap=True)
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield address


def screen_at(at: Where, *, json: bool, role: str, name: str | None) -> Screen:
    """The screen of somebody who plays or watches there."""
    if at is Where.TERMINAL:
        return Screen(json)
    page = Page()
    page.sit(role, name)
    return PageScreen(page, at)
