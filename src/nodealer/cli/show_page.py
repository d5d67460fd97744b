"""`nodealer show --browser`: a saved log on the page, hand by hand, with its verdict."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from nodealer.audit.report import Report
from nodealer.audit.verify import Append, verify_file
from nodealer.cli.browser_table import Page, serve_page
from nodealer.cli.display import Display
from nodealer.client.entropy import system_entropy
from nodealer.engine.replica import Applied, Replica
from nodealer.games.package import GamePackage
from nodealer.web import messages as doc


def show_in_browser(file: Path, game: GamePackage | None, at: Display) -> int:
    """Verify the log, then show it until no page is open. Return the exit code of the verification."""
    page, began = Page(), time.perf_counter()
    page.sit("replay", None)
    report = _read(page, file, game)
    page.show_report(report, time.perf_counter() - began)
    if page.person.replica is None:
        page.seat.send(doc.TableOver(again=False, reason=report.reason))

    async def run() -> None:
        """Serve the page until the person closes it."""
        async with serve_page(page, at, "log"):
            await page.until_left()

    asyncio.run(run())
    return report.exit_code


def _read(page: Page, file: Path, game: GamePackage | None) -> Report:
    """Verify the log, and record it for the page on the way."""

    def watch(replica: Replica) -> Append:
        """Open the replica on the page, and return a function that shows each entry it appends."""
        page.seat.open_table(replica, None)
        page.person.replica, page.log = replica, file
        page.game = replica.config.package

        def append(entry: bytes) -> Applied:
            """Append an entry to the replica and show it on the page."""
            applied = replica.append(entry)
            page.seat.show_entry(applied, replica)
            return applied

        return append

    return verify_file(file, entropy=system_entropy, watch=watch, game=game)
