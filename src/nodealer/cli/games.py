"""`nodealer games` and `nodealer resume`: saved games."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from nodealer.cli import text as phrases
from nodealer.cli.display import choose_display
from nodealer.cli.options import JsonDocument, JsonSeat, NoBrowser, Terminal
from nodealer.cli.output import escape_markup, out, print_json, print_line
from nodealer.errors import HomeUnusable
from nodealer.log.control_characters import escape_controls

if TYPE_CHECKING:
    from nodealer.client.game_catalogue import SavedFolder
    from nodealer.client.saved_games import SavedGame
    from nodealer.client.table_folders import TableFolder


def games(
    json: JsonDocument = False,
) -> None:
    """List the games that you played or watched on this machine, newest first.

    Each game is a folder that contains its players' keys: do not give it away. Its log can be shared. The list says
    where the folders are. nodealer never deletes one; to remove a game, delete its folder.
    """
    from nodealer.client.game_catalogue import list_saved_games
    from nodealer.client.saved_games import games_folder  # late: no other command should wait for homes

    rows = [_unreadable_row(*game) if isinstance(game, tuple) else _row_of(game) for game in list_saved_games()]
    if json:
        print_json(rows)
        return
    console = out()
    if not rows:
        print_line(console, phrases.no_saved_games(escape_markup(games_folder())))
        return
    first, *others = phrases.GAMES_COLUMNS
    table = Table(Column(first, no_wrap=True), *others)
    for row in rows:
        total = "" if row["of_hands"] is None else f" of {row['of_hands']}"
        hands = "" if row["hands"] is None else f"{row['hands']}{total}"
        status = str(row["reason"] if row["state"] == "unreadable" else row["verdict"] or row["state"])
        table.add_row(*map(escape_markup, (row["game"], row["what"] or "", ", ".join(row["players"]), hands, status)))
    console.print(table)
    print_line(console, phrases.games_folder(escape_markup(games_folder())))


def _row_of(game: SavedFolder) -> dict[str, Any]:
    """Return the row that lists a saved game. If its files cannot be read, the row says so and gives the reason."""
    from nodealer.client.saved_games import SavedGame

    try:
        return _local_row(game) if isinstance(game, SavedGame) else _network_row(game)
    except HomeUnusable as error:
        return _unreadable_row(game.folder, str(error))


def _local_row(game: SavedGame) -> dict[str, Any]:
    """Return the row of a game that was played on this machine only."""
    record = game.record
    what = record.place if record.seed is None else f"{record.place} (rehearsal)"
    reached = min(game.reached or 0, record.hands)
    return _row(game, what, record.names, record.person, reached, record.hands)


def _network_row(table: TableFolder) -> dict[str, Any]:
    """Return the row of a table on the network. Its game and players are read from its log."""
    record, agreed = table.record, table.agreed
    hosted, place, hands = record.hosted, record.place, None
    if agreed is not None:
        # None also if the players agreed on an unlimited number.
        place, hands = place or agreed.game.name, agreed.hands or None
    role = "watched" if record.name is None else "joined" if hosted is None else "hosted"
    what, hands = role if place is None else f"{place} ({role})", hands if hosted is None else hosted.hands
    return _row(table, what, table.names, record.name, table.reached, hands)


def _row(
    game: SavedFolder, what: str, players: Sequence[str], person: str | None, hands: int | None, of_hands: int | None
) -> dict[str, Any]:
    """Return a row. `hands` is how far the game has come, unless it has ended."""
    ended = game.ended
    state = "ended" if ended is not None else "being played" if game.in_use else "interrupted"
    return {
        "game": game.name,
        "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(game.record.begun)),
        "what": what,
        "players": list(players),
        "person": person,
        "hands": hands if ended is None else ended.hands,
        "of_hands": of_hands,
        "state": state if ended is not None or game.reached is not None else f"{state}, before the first hand",
        "verdict": None if ended is None else ended.verdict,
        "log": escape_controls(game.log),
        "reason": None,
    }


def _unreadable_row(folder: Path, reason: str) -> dict[str, Any]:
    """Return the row of a game that cannot be read: its folder and the reason, and no other facts."""
    nothing = dict.fromkeys(("begun", "what", "person", "hands", "of_hands", "verdict", "log"))
    return {"game": folder.name, "players": [], "state": "unreadable", "reason": reason} | nothing


def resume(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="Name from `nodealer games`, or its beginning. Default: the latest interrupted game."
        ),
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="A bot takes over your seat.")] = False,
    json: JsonSeat = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Continue an interrupted game, local or on the network, with the same players, cards and log.

    Exit codes: as for play.
    """
    from nodealer.client.game_catalogue import find_game  # late: no other command should wait for homes and sockets
    from nodealer.client.saved_games import SavedGame

    kept = find_game(game)
    at = choose_display(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json))
    if isinstance(kept, SavedGame):
        from nodealer.cli.local_game import resume_game

        raise typer.Exit(resume_game(kept, auto=auto, json=json, at=at))
    from nodealer.cli.network import Presence, resume_table

    raise typer.Exit(resume_table(kept, Presence(at, json, auto)))
