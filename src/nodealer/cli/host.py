"""`nodealer host`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from nodealer.cli import text as phrases
from nodealer.cli.commands import option_names
from nodealer.cli.display import choose_display
from nodealer.cli.options import GameName, Hands, JsonSeat, LogCopyFile, Name, NoBrowser, Parameters, Protocol, Terminal
from nodealer.cli.play import PlayCommand
from nodealer.cli.settings import parse_settings
from nodealer.client.game_loader import load_game
from nodealer.client.time_limits import MOVE, limits_for_people
from nodealer.errors import BadParameter
from nodealer.games.registry import DEFAULT_GAME

#: The class of this command: it accepts the settings of games, like play.
COMMAND: Final = PlayCommand


def host(
    context: typer.Context,
    game: GameName = DEFAULT_GAME,
    protocol: Protocol = None,
    seats: Annotated[
        int | None,
        typer.Option(min=2, max=9, metavar="N", help="Number of players, including you. Default: the game's own."),
    ] = None,
    hands: Hands = None,
    parameters: Parameters = None,
    relay: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Relay that carries the table, such as wss://relay.example. Repeat for up to four relays that share "
            "their tables. Default: start a relay on this machine, for your local network.",
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Address of your own relay, as others reach it. Default: detected."),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option(
            metavar="URL|DIR",
            help="Page on which guests play in a browser without installing anything, such as https://cards.example; "
            "or a folder built by `make web`, which your machine serves to its local network without encryption.",
        ),
    ] = None,
    clock: Annotated[
        float | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Shot clock: SECONDS per move, plus a time bank of twice that. With three or more seats your machine "
            "runs the clock, under a key of its own; otherwise it needs a guest who joins with `nodealer timekeeper`. "
            f"Default: {MOVE:g}.",
        ),
    ] = None,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="No shot clock.")] = False,
    timekeeper: Annotated[
        bool,
        typer.Option(
            "--timekeeper",
            help="Wait for an independent timekeeper, who joins with `nodealer timekeeper`. With --auto the first one "
            "to come is accepted.",
        ),
    ] = False,
    name: Name = None,
    code: Annotated[
        bool, typer.Option("--code", help="Also print a pairing code that you can read out to one guest.")
    ] = False,
    log: LogCopyFile = None,
    auto: Annotated[
        bool, typer.Option("--auto", help="A bot plays your seat and accepts guests until the table is full.")
    ] = False,
    json: JsonSeat = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Open a table on the network and play with your guests.

    Prints a link for players and a link for spectators. You are asked about each guest who wants to sit down. The game
    begins when the table is full or when you type start. The relay carries all messages and can neither read nor change
    them. If everyone at the table sees the same three words, no one is intercepting the connection.

    The table is saved: after a crash or Ctrl-C, `nodealer resume` continues with the same cards.

    Exit codes: as for play; 2 if there is neither a browser nor a terminal for you, 4 also if there is no relay.
    """
    package = load_game(game)
    settings = parse_settings(package, context.args, option_names(context))
    from nodealer.cli.network import (  # late: no other command should wait for protocols and sockets
        Presence,
        host_table,
    )
    from nodealer.cli.webpage import folder_of, serve_guest_page
    from nodealer.client.setup import refuse_without_bots, table_setup

    if no_clock and (timekeeper or clock is not None):
        raise BadParameter(phrases.cannot_combine("--timekeeper" if timekeeper else "--clock", "--no-clock"))
    refuse_without_bots(package)
    setup = table_setup(
        package,
        settings,
        place=game,
        protocol=protocol,
        parameters=None if parameters is None else parameters.encode(),
        seats=seats,
        hands=hands,
        clock=None if no_clock else limits_for_people(MOVE if clock is None else clock),
    )
    at = choose_display(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json))
    with serve_guest_page(page) as guests:
        code_of_exit = host_table(
            setup,
            relays=relay or (),
            listen=listen,
            name=name,
            presence=Presence(at, json, auto),
            log=log,
            code=code,
            timekeeper=timekeeper,
            page=guests,
            page_folder=folder_of(page),
        )
    raise typer.Exit(code_of_exit)
