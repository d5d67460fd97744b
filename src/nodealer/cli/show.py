"""`nodealer show`: replay a saved game entry by entry, with its proofs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nodealer.audit.verify import Observe, verify_file
from nodealer.cli.display import Display
from nodealer.cli.json_ui import JsonUI
from nodealer.cli.options import JsonEvents, LogGame, NoBrowser
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.cli.verify import find_log
from nodealer.client.entropy import system_entropy
from nodealer.client.events import LogVerified
from nodealer.client.game_loader import load_game_or_none
from nodealer.client.narrator import Narrator, session_opened
from nodealer.engine.replica import Applied, Replica


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A log file, or a name from `nodealer games`.")],
    json: JsonEvents = False,
    game: LogGame = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Open the replay in the browser, where you can step back and forth.")
    ] = False,
    no_browser: NoBrowser = False,
) -> None:
    """Replay a log: public cards, bets, and who proved what. Every proof is checked on the way.

    Each card operation is shown with its entry number, player, size and proofs.

    Exit codes: 0 the game is clean, 1 a fault or a broken log, 2 the file cannot be verified, 3 the game is incomplete.
    """
    file = find_log(file)
    # A missing file needs no page.
    if (browser or no_browser) and file.exists():
        from nodealer.cli.page import show_in_browser  # late: a terminal should not wait for a server

        raise typer.Exit(
            show_in_browser(file, load_game_or_none(game), Display.ADDRESS if no_browser else Display.BROWSER)
        )
    ui = JsonUI() if json else TerminalUI(name=None, network=False, proofs=True)

    def watch(replica: Replica) -> Observe:
        """Show the session, and return a function that shows each entry."""
        narrator = Narrator.for_table(replica.config)
        ui.show(session_opened(replica))

        def show_entry(applied: Applied) -> None:
            """Show what an entry did."""
            for event in narrator.describe(applied):
                ui.show(event)

        return show_entry

    report = verify_file(file, entropy=system_entropy, watch=watch, game=load_game_or_none(game))
    ui.show(LogVerified(None, report))
    raise typer.Exit(report.exit_code)
