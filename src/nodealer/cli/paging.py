"""A person's table in the browser: the page is served here, and one game after the other is played on it."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.games import games_here
from nodealer.cli.output import err, shown
from nodealer.cli.screen import Screen
from nodealer.games.package import GamePackage
from nodealer.web import documents as doc
from nodealer.web.hub import Hub
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat
from nodealer.web.server import Door, serve
from nodealer.wire import encode

#: Bytes of the name of a page's table, in its cookie.
_NAME_BYTES: Final = 8


def has_browser() -> bool:
    """Whether a browser can be opened here: there is one, and a display to open it on."""
    seen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not seen:
        return False
    try:
        return webbrowser.get() is not None
    except webbrowser.Error:
        return False


def in_browser(*, terminal: bool, no_browser: bool, by_hand: bool) -> bool:
    """Whether a person's table is a page: where it was asked for, and where a browser is. Bots have none."""
    return by_hand and not terminal and (no_browser or has_browser())


class PageScreen(Screen):
    """Tells pages what a terminal would be told."""

    def __init__(self, page: Page) -> None:
        super().__init__(json=True)
        self._page = page

    def say(self, text: str) -> None:
        """Pages have words of their own."""

    def emit(self, event: dict[str, Any]) -> None:
        """What is no document by itself."""
        seat = self._page.seat
        match event["event"]:
            case "dropout":
                seat.notice("bad", f"{event['name']} has dropped out: {event['reason']}.", f"dropout {event['name']}")
            case "stuck":
                seat.notice("bad", f"The game stops: {event['reason']}.", "stuck")
            case "connection":
                kinds = {"found": "good", "lost": "note", "unheard": "bad"}
                texts = {
                    "found": "Connected again.",
                    "lost": "No connection to the relay. Trying again.",
                    "unheard": "The relay does not take what you say.",
                }
                seat.notice(kinds[event["what"]], texts[event["what"]], "connection")


class Page:
    """What is served: the hub of its pages, and whose seat they show now."""

    def __init__(self, address: str = "") -> None:
        self.hub = Hub()
        self.address = address
        self.seat = PageSeat(self.hub.tell, time.monotonic)
        self.person: PagePerson | None = None
        #: Where the log is that pages can save and verify.
        self.log: Any = None
        self.game: GamePackage | None = None
        self._asked: asyncio.Queue[doc.Deal | doc.Answer] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Report | None]] = set()
        self.hub.everything = lambda: self.seat.everything()
        self.hub.hear = self._hear

    def sit(self, role: str, name: str | None, *standing: doc.Document) -> PagePerson:
        """A new table. Pages begin anew."""
        self.seat = PageSeat(self.hub.tell, time.monotonic, role, name)
        self.person = PagePerson(self.seat, lambda: int(time.time() * 1000))
        for document in standing:
            self.seat.tell(document)
        self.hub.begin_anew()
        return self.person

    async def next_deal(self) -> doc.Deal:
        """What the person wants to play next."""
        while True:
            asked = await self._asked.get()
            if isinstance(asked, doc.Deal):
                return asked

    def answered(self) -> str | None:
        """What the person has said to a question of the lobby, if it has."""
        while not self._asked.empty():
            asked = self._asked.get_nowait()
            if isinstance(asked, doc.Answer):
                return asked.text
        return None

    def _hear(self, said: doc.Said_) -> None:
        if isinstance(said, doc.Deal | doc.Answer):
            self._asked.put_nowait(said)
        elif isinstance(said, doc.Save):
            self._save(said.what)
        elif isinstance(said, doc.Verify):
            task = asyncio.ensure_future(self.verify())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif self.person is not None:
            self.person.hear(said)

    def _save(self, what: str) -> None:
        replica = None if self.person is None else self.person.replica
        if replica is None:
            self.seat.tell(doc.Refused("there is no log yet"))
            return
        entries, name = replica.entries, "game"
        if what == "evidence" and replica.state.fault is not None:
            entries, name = entries[: replica.state.fault.entry + 1], "evidence"
        lines = [encode(replica.config.session), *entries]
        text = "".join(line.decode() + "\n" for line in lines)
        self.seat.tell(doc.File(f"{name}-{replica.config.session.id.hex()[:8]}.jsonl", text))

    async def verify(self) -> Report | None:
        """Audit the log as anybody could, from the file alone, in front of the person."""
        if self.log is None or self.person is None or self.person.replica is None:
            self.seat.tell(doc.Refused("there is no log yet"))
            return None
        began = time.perf_counter()
        check = partial(verify_file, self.log, entropy=system_entropy, game=self.game)
        report = await asyncio.get_running_loop().run_in_executor(None, check)
        self.show_report(report, time.perf_counter() - began)
        return report

    def show_report(self, report: Report, seconds: float) -> None:
        """What an audit found."""
        self.seat.tell(doc.Verdict(report.verdict, sentence_of(report), report.as_json(), round(seconds * 1000, 1)))


def sentence_of(report: Report) -> str:
    """A verdict for people."""
    proofs = sum(report.checks.values())
    if report.verdict == "clean":
        return f"Clean: {report.entries} signed entries and {proofs} proofs checked, and everything is as it should be."
    if report.verdict == "incomplete":
        return f"Clean so far: {report.entries} signed entries and {proofs} proofs checked; the game has not ended."
    if report.verdict == "fault":
        fault = report.fault
        who = "Nobody can be named" if fault is None else report.who(fault.seat)
        return f"{who} cheated: {'' if fault is None else fault.reason}."
    return f"This log is {report.verdict}: {report.reason}."


@asynccontextmanager
async def served(page: Page, *, no_browser: bool) -> AsyncIterator[str]:
    """The page, opened in the browser or with its address printed."""
    door = Door(system_entropy(_NAME_BYTES).hex(), system_entropy)
    games = {game.name: game for game in games_here()}

    def game_of(name: str) -> GamePackage | None:
        return page.game if page.game is not None and page.game.name == name else games.get(name)

    async with serve(page.hub, door, game_of) as address:
        if no_browser:
            err().print(f"Your table is at [bold]{shown(address)}[/bold]", soft_wrap=True)
            err().print("[dim]The address opens once. Ctrl-C ends the table.[/dim]")
        else:
            err().print(f"Your table opens in the browser; if it does not: {shown(address)}", soft_wrap=True)
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield address
