"""`nodealer show --browser`: a saved log on the page, hand by hand, with its verdict."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nodealer.cli.display import Display
from nodealer.cli.page import serve_page
from nodealer.client.entropy import system_entropy
from nodealer.games.package import GamePackage
from nodealer.web.controller import PageController


def show_in_browser(file: Path, game: GamePackage | None, at: Display) -> int:
    """Verify the log, then show it until no page is open. Return the exit code of the verification."""
    page = PageController(system_entropy)
    report = page.show_log(file, game)

    async def run() -> None:
        """Serve the page until the person closes it."""
        async with serve_page(page, at, "log"):
            await page.until_left()

    asyncio.run(run())
    return report.exit_code
