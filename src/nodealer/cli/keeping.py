"""`nodealer games` and `nodealer resume`: kept games."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from nodealer.cli.output import out, print_json, shown, visible
from nodealer.errors import HomeUnusable


def games(
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """List the games that were played on this machine, the newest first.

    Each is a folder; the list says below which one. Nothing in it is ever deleted by this program: to forget a game,
    delete its folder. It holds the keys of its players, and should go nowhere else; its log may.
    """
    from nodealer.cli.kept import KeptGame, games_folder, kept_games  # late: no other command should wait for homes

    rows = [_told(game) if isinstance(game, KeptGame) else _unread(*game) for game in kept_games()]
    if json:
        print_json(rows)
        return
    console = out()
    if not rows:
        console.print(f"No game is kept in {shown(games_folder())} yet; `nodealer play` begins one.", soft_wrap=True)
        return
    table = Table(Column("game", no_wrap=True), "what", "players", "hands", "how it is")
    for row in rows:
        hands = "" if row["hands"] is None else f"{row['hands']} of {row['of_hands']}"
        how = str(row["reason"] if row["state"] == "unreadable" else row["verdict"] or row["state"])
        table.add_row(*map(shown, (row["game"], row["what"] or "", ", ".join(row["players"]), hands, how)))
    console.print(table)
    console.print(f"They are in {shown(games_folder())}.", soft_wrap=True)


def _told(game: Any) -> dict[str, Any]:
    try:
        return _looked_into(game)
    except HomeUnusable as error:
        return _unread(game.folder, str(error))


def _looked_into(game: Any) -> dict[str, Any]:
    what, ended = game.what, game.ended
    state = "ended" if ended is not None else "being played" if game.in_use else "interrupted"
    reached = game.reached
    return {
        "game": game.name,
        "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(what.begun)),
        "what": what.place if what.seed is None else f"{what.place} (rehearsal)",
        "players": list(what.names),
        "person": what.person,
        "hands": min(reached or 0, what.hands) if ended is None else ended.hands,
        "of_hands": what.hands,
        "state": state if ended is not None or reached is not None else f"{state}, before the first hand",
        "verdict": None if ended is None else ended.verdict,
        "log": visible(game.log),
        "reason": None,
    }


def _unread(folder: Path, reason: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("begun", "what", "person", "hands", "of_hands", "verdict", "log"))
    return {"game": folder.name, "players": [], "state": "unreadable", "reason": reason} | nothing


def resume(
    game: Annotated[
        str | None,
        typer.Argument(help="Which game, as `nodealer games` calls it, or the beginning of that. Default: the newest."),
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="A bot plays on for the person.")] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object an event. Without --auto a program plays your seat, as in play."),
    ] = False,
) -> None:
    """Go on with a game of this machine that was interrupted: with the same players, cards and log.

    Ends like play.
    """
    from nodealer.cli.playing import go_on  # late: no other command should wait for sockets

    raise typer.Exit(go_on(game, auto=auto, json=json))
