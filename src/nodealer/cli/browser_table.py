"""A person's table in the browser: serves the page and plays one game after another on it."""

from __future__ import annotations

import asyncio
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.cli import text as phrases
from nodealer.cli.display import Display
from nodealer.cli.output import err, escape_markup
from nodealer.cli.screen import Screen
from nodealer.client.entropy import system_entropy
from nodealer.client.event_json import event_json
from nodealer.client.events import ConnectionChanged, TableEvent, TableLinks
from nodealer.client.game_loader import installed_games
from nodealer.engine.frame_result import Received
from nodealer.engine.participant import Participant
from nodealer.games.package import GamePackage
from nodealer.log.control_characters import escape_controls
from nodealer.web import messages as doc
from nodealer.web.hub import Hub
from nodealer.web.lobby import PageLobby, PageQuestions
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat
from nodealer.wire import encode

#: A table that has ended is closed when no page has been open for this many seconds.
LEFT_AFTER: Final = 10.0
#: Bytes of the name of a page's table, which is in its cookie.
_NAME_BYTES: Final = 8


#: The events that a person should see as notices, with their style. The page has the texts.
NOTICES: Final = {
    "dropout": "bad",
    "stuck": "bad",
    "declined": "note",
    "missing": "bad",
    "drift": "note",
    "asks": "note",
    "seated": "good",
    "key": "note",
    "removed": "bad",
}
CONNECTION: Final = {"found": "good", "lost": "note", "unheard": "bad", "locked": "bad", "behind": "bad"}


class PageScreen(Screen):
    """Sends to the page what a terminal would show."""

    def __init__(self, page: Page, at: Display = Display.ADDRESS) -> None:
        """Create a screen for the page. `at` says whether to open a browser or print the address."""
        super().__init__(json=True)
        self.page = page
        self.at = at

    def say(self, text: str) -> None:
        """Do nothing: pages have their own texts."""

    def follow(self, participant: Participant, *, you: bool = False) -> Callable[[Received], list[bytes]]:
        """Send what the participant sees to its pages."""
        see = self.page.person.observer_of(participant)

        def watch(step: Received) -> list[bytes]:
            """Keep the participant's replica for the page, then pass the step on."""
            if participant.has_session:
                self.replica = participant.replica
            return see(step)

        return watch

    def emit(self, event: TableEvent) -> None:
        """Show an event on the page: as a notice, or as the lobby's links.

        Other events reach the page in another way.
        """
        match event:
            case ConnectionChanged(what):
                self.page.seat.notify(CONNECTION[what], what, "connection")
            case TableLinks(link, watch):
                self.page.lobby.link, self.page.lobby.watch = link, watch
            case _:
                self._notify(event_json(event) or {})

    def _notify(self, line: dict[str, Any]) -> None:
        """Show the line of an event as a notice, if it is one."""
        name = line.pop("event", None)
        if name in NOTICES:
            details = {key: escape_controls(value) if isinstance(value, str) else value for key, value in line.items()}
            # A player who has a seat is no longer waiting for one.
            about = "seat" if name in ("asks", "seated") else f"{name} {line.get('name', '')}".strip()
            self.page.seat.notify(NOTICES[name], name, about, **details)


class Page:
    """The served page: the hub of all open pages, and the seat that they show."""

    def __init__(self, address: str = "") -> None:
        """Create a page that shows no table yet."""
        self.hub = Hub()
        self.address = address
        self.seat = PageSeat(self.hub.broadcast, time.monotonic)
        self.person = PagePerson(self.seat, _wall_clock_ms)
        self.questions = PageQuestions()
        self.lobby = PageLobby(self.seat, self.questions)
        #: The log that pages can save and verify.
        self.log: Any = None
        self.game: GamePackage | None = None
        self._asked: asyncio.Queue[doc.Deal] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Report | None]] = set()
        self.hub.snapshot = lambda: self.seat.snapshot()
        self.hub.on_message = self._on_message

    def sit(self, role: str, name: str | None, *standing: doc.ServerMessage) -> PagePerson:
        """Start a new table and reset all open pages."""
        self.seat = PageSeat(self.hub.broadcast, time.monotonic, role, name, question_number=self.seat.question_number)
        self.person = PagePerson(self.seat, _wall_clock_ms)
        self.questions.forget()
        self.lobby = PageLobby(self.seat, self.questions)
        for document in standing:
            self.seat.send(document)
        self.hub.resend_snapshot()
        return self.person

    async def next_deal(self) -> doc.Deal:
        """Return the game that the person wants to play next. Requests made during an earlier table are dropped."""
        while not self._asked.empty():
            self._asked.get_nowait()
        return await self._asked.get()

    def _on_message(self, said: doc.AnyClientMessage) -> None:
        """Handle a message from a page."""
        if isinstance(said, doc.Deal):
            self._asked.put_nowait(said)
        elif isinstance(said, doc.Answer):
            self.questions.receive(said)
        elif isinstance(said, doc.Save):
            self._save(said.what)
        elif isinstance(said, doc.Verify):
            if self._tasks:
                return
            task = asyncio.ensure_future(self.verify())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self.person.receive(said)

    def _save(self, what: str) -> None:
        """Send the log, or the evidence of a fault, to the page as a file."""
        replica = self.person.replica
        if replica is None:
            self.seat.refuse("no log")
            return
        entries, name = replica.entries, "game"
        if what == "evidence" and replica.state.fault is not None:
            entries, name = entries[: replica.state.fault.entry + 1], "evidence"
        lines = [encode(replica.config.session), *entries]
        text = "".join(line.decode() + "\n" for line in lines)
        self.hub.reply(doc.File(f"{name}-{replica.config.session.id.hex()[:8]}.jsonl", text))

    async def verify(self) -> Report | None:
        """Verify the log from its file alone, show the verdict on the page, and return the report."""
        if self.log is None or self.person.replica is None:
            self.seat.refuse("no log")
            return None
        began = time.perf_counter()
        check = partial(verify_file, self.log, entropy=system_entropy, game=self.game)
        report = await asyncio.get_running_loop().run_in_executor(None, check)
        self.show_report(report, time.perf_counter() - began)
        return report

    def show_report(self, report: Report, seconds: float) -> None:
        """Show the result of a verification on the page."""
        self.seat.send(doc.Verdict(report.verdict, report.as_json(), round(seconds * 1000, 1)))

    async def until_left(self) -> None:
        """Wait until a page has been opened and then no page has been open for a while.

        Until then the person can save the log and read the verdict.
        """
        was_open, closed_for = bool(self.hub.page_count), 0.0
        while not was_open or closed_for < LEFT_AFTER:
            await asyncio.sleep(0.5)
            was_open = was_open or bool(self.hub.page_count)
            closed_for = 0.0 if self.hub.page_count else closed_for + 0.5


def _wall_clock_ms() -> int:
    """Return the time of day in milliseconds."""
    return int(time.time() * 1000)


@asynccontextmanager
async def serve_page(page: Page, at: Display, what: str = "table") -> AsyncIterator[str]:
    """Serve the page, open it in the browser or print its address, and yield the address.

    `what` names what it shows: a table or a log.
    """
    from nodealer.web.server import TokenGate, serve  # late: a terminal should not wait for a server

    door = TokenGate(system_entropy(_NAME_BYTES).hex(), system_entropy)
    games = {game.name: game for game in installed_games()}

    def game_of(name: str) -> GamePackage | None:
        """Return the game of this name, the page's own first, or None if it is not known."""
        return page.game if page.game is not None and page.game.name == name else games.get(name)

    async with serve(page.hub, door, game_of) as address:
        if at is Display.ADDRESS:
            err().print(phrases.page_at(what, escape_markup(address)), soft_wrap=True)
            err().print(phrases.PAGE_STOPS_TABLE if what == "table" else phrases.PAGE_STOPS_LOG)
        else:
            err().print(phrases.page_opens(what, escape_markup(address)), soft_wrap=True)
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield address


def create_screen(at: Display, *, json: bool, role: str, name: str | None) -> Screen:
    """Create the screen on which a player or spectator sees the table: the terminal, or a page."""
    if at is Display.TERMINAL:
        return Screen(json)
    page = Page()
    page.sit(role, name)
    return PageScreen(page, at)
