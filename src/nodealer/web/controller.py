"""The pages of one person, table after table: for the local page, and for the page in a tab."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from nodealer.audit.report import Report
from nodealer.audit.verify import Observe, verify_file
from nodealer.client.events import LogVerified
from nodealer.engine.replica import Replica
from nodealer.engine.store import PlayerStore
from nodealer.games.package import GamePackage
from nodealer.proofs.checks import Entropy
from nodealer.web import messages as doc
from nodealer.web.hub import Hub
from nodealer.web.page_ui import PageUI
from nodealer.wire import encode

#: A table that has ended is closed when no page has been open for this many seconds.
LEFT_AFTER: Final = 10.0


class PageController:
    """All open pages of one person, and the table that they show: `ui`.

    Answers what pages ask about the log: to save it, to verify it, and to see a hand again.
    """

    def __init__(
        self,
        entropy: Entropy,
        *,
        scratch: Path | None = None,
        on_deal: Callable[[doc.Deal], None] | None = None,
    ) -> None:
        """Serve pages that show no table yet.

        `scratch` is where the log of a table without a file of its own is written to be verified. `on_deal` starts the
        game that a page asks for; without it, `next_deal` returns these requests.
        """
        self._entropy = entropy
        self._scratch = scratch
        self._deals: asyncio.Queue[doc.Deal] = asyncio.Queue()
        self._on_deal = self._deals.put_nowait if on_deal is None else on_deal
        #: Questions are numbered through all tables, so that no late answer counts at another table.
        self._numbers = count(1)
        self._log: Path | None = None
        #: The game package of the table, if the caller has chosen one that may not be installed.
        self.game: GamePackage | None = None
        self._verifying: asyncio.Task[Report | None] | None = None
        self.hub = Hub(self._snapshot, self._on_message)
        self.ui = PageUI(self.hub.broadcast, time.monotonic, numbers=self._numbers)

    def _snapshot(self) -> Iterator[doc.ServerMessage]:
        """Return everything that a newly connected page needs."""
        return self.ui.presenter.snapshot()

    def start(
        self,
        role: str,
        name: str | None,
        *standing: doc.ServerMessage,
        network: bool = False,
        store: PlayerStore | None = None,
        log: Path | None = None,
        game: GamePackage | None = None,
    ) -> PageUI:
        """Start another table, and return its front end. All open pages start over.

        `store` is this player's, `log` the file of the table's log, and `game` the package of its game, if they are
        known already. `standing` are messages that every page gets. On the network, the lobby is shown too.
        """
        self._log, self.game = log, game
        self.ui = PageUI(
            self.hub.broadcast,
            time.monotonic,
            role=role,
            name=name,
            network=network,
            store=store,
            standing=standing,
            numbers=self._numbers,
        )
        self.hub.resend_snapshot()
        return self.ui

    async def next_deal(self) -> doc.Deal:
        """Return the game that the person wants to play next. Requests made during an earlier table are dropped."""
        while not self._deals.empty():
            self._deals.get_nowait()
        return await self._deals.get()

    def _on_message(self, message: doc.AnyClientMessage) -> None:
        """Handle a message from a page."""
        match message:
            case doc.Deal():
                self._on_deal(message)
            case doc.Save(what=what):
                self._save(what)
            case doc.Verify():
                # One at a time: a page that asks without end does not fill the process with audits.
                if self._verifying is None or self._verifying.done():
                    self._verifying = asyncio.ensure_future(self.verify())
            case _:
                self.ui.receive(message)

    # --- The log ---

    def _save(self, what: str) -> None:
        """Send the log, or the evidence of a fault, to the page as a file."""
        replica = self.ui.replica
        if replica is None:
            self.ui.presenter.refuse("no log")
            return
        fault = replica.state.fault if what == "evidence" else None
        name = f"{'game' if fault is None else 'evidence'}-{replica.config.session.id.hex()[:8]}.jsonl"
        lines = _log_lines(replica, None if fault is None else fault.entry + 1)
        self.hub.reply(doc.File(name, "".join(line.decode() + "\n" for line in lines)))

    async def verify(self, log: Path | None = None) -> Report | None:
        """Verify the log from its file alone, show the verdict on the page, and return the report.

        `log` is the file from now on, if it is another one. Return None if there is no log.
        """
        self._log = log or self._log
        ui, replica, path = self.ui, self.ui.replica, self._log or self._scratch
        if replica is None or path is None:
            ui.presenter.refuse("no log")
            return None
        if self._log is None:
            path.write_bytes(b"".join(line + b"\n" for line in _log_lines(replica)))
        began = time.perf_counter()
        check = partial(verify_file, path, entropy=self._entropy, game=self.game)
        report = await asyncio.get_running_loop().run_in_executor(None, check)
        ui.show(LogVerified(str(path), report, seconds=time.perf_counter() - began))
        return report

    def show_log(self, log: Path, game: GamePackage | None = None) -> Report:
        """Verify a saved log and show its hands. If it cannot be read, the pages say why. Return the report."""
        ui, began = self.start("replay", None, log=log, game=game), time.perf_counter()

        def watch(replica: Replica) -> Observe:
            """Open the table on the pages, and return a function that shows each entry there."""
            ui.open_log(replica)
            self.game = replica.config.package
            return lambda applied: ui.presenter.show_entry(applied, replica)

        report = verify_file(log, entropy=self._entropy, watch=watch, game=game)
        ui.show(LogVerified(str(log), report, seconds=time.perf_counter() - began))
        if ui.replica is None:
            ui.presenter.send(doc.TableOver(again=False, reason=report.reason))
        return report

    # --- The end ---

    def end(self, *, again: bool) -> None:
        """Tell the pages that the table is finished, and whether another can be started."""
        self.ui.presenter.send(doc.TableOver(again=again))

    async def until_left(self) -> None:
        """Wait until a page has been opened and then no page has been open for a while.

        Until then the person can save the log and read the verdict.
        """
        was_open, closed_for = bool(self.hub.page_count), 0.0
        while not was_open or closed_for < LEFT_AFTER:
            await asyncio.sleep(0.5)
            was_open = was_open or bool(self.hub.page_count)
            closed_for = 0.0 if self.hub.page_count else closed_for + 0.5


def _log_lines(replica: Replica, up_to: int | None = None) -> list[bytes]:
    """Return the lines of the log, up to this entry."""
    return [encode(replica.config.session), *replica.entries[:up_to]]
