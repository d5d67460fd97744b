"""The page of a person at this machine, served and opened in the browser: a table, or a saved log."""

from __future__ import annotations

import asyncio
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.display import Display
from nodealer.cli.output import err, escape_markup
from nodealer.client.entropy import system_entropy
from nodealer.client.game_loader import installed_games
from nodealer.games.package import GamePackage
from nodealer.web.controller import PageController

#: Bytes of the name of a page's table, which is in its cookie.
_NAME_BYTES: Final = 8


@asynccontextmanager
async def serve_page(page: PageController, at: Display, what: str = "table") -> AsyncIterator[str]:
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


def show_in_browser(file: Path, game: GamePackage | None, at: Display) -> int:
    """Verify a log, then show it until no page is open. Return the exit code of the verification."""
    page = PageController(system_entropy)
    report = page.show_log(file, game)

    async def run() -> None:
        """Serve the page until the person closes it."""
        async with serve_page(page, at, "log"):
            await page.until_left()

    asyncio.run(run())
    return report.exit_code
