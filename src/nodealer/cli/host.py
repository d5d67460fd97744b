"""`nodealer host`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from nodealer.cli.completion import games, protocols
from nodealer.cli.display import NoBrowser, Terminal, where
from nodealer.cli.games import game_of, settings_of
from nodealer.cli.play import PlayCommand
from nodealer.client.time_limits import MOVE, limits_of
from nodealer.errors import BadParameter
from nodealer.games.registry import FIRST

#: How it is made a command: it takes the settings of games, like play.
COMMAND: Final = PlayCommand


def host(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Option(
            metavar="GAME",
            help="The game: one that is installed (see below), or where one is, as module:attribute.",
            autocompletion=games,
        ),
    ] = FIRST,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL",
            help="The card protocol; see `nodealer protocols`. Default: the game's own.",
            autocompletion=protocols,
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option(min=2, max=9, metavar="N", help="How many players, you too. Default: the game's own.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1, max=10_000, metavar="N", help="How many hands. Default: the game's own.")
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help='What is set for the card protocol, as JSON without spaces; for chain such as {"proven":false}.',
        ),
    ] = None,
    relay: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="The relay that carries the table, such as wss://relay.example; up to four that have the same tables. "
            "Default: one of your own, for your network.",
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where your own relay listens, as others reach it. Default: found out."),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where guests with nothing installed can play in a browser, such as https://cards.example; or a "
            "folder of `make web`, which your machine then serves to its network, without encryption.",
        ),
    ] = None,
    clock: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Where somebody keeps the time: so many seconds for a move, and twice as many in the bank. From three "
            "seats on your machine does, with a key of its own; or somebody joins with `nodealer timekeeper`.",
        ),
    ] = MOVE,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="Nobody keeps the time.")] = False,
    timekeeper: Annotated[
        bool,
        typer.Option(
            "--timekeeper",
            help="Somebody else keeps the time: begin when one has come with `nodealer timekeeper`. With --auto the "
            "first one who comes is taken.",
        ),
    ] = False,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Your name at the table. Default: as in `nodealer whoami`.")
    ] = None,
    code: Annotated[bool, typer.Option("--code", help="Also give a code that can be spoken, for one guest.")] = False,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the log here too. Never over a file.")] = None,
    auto: Annotated[
        bool, typer.Option("--auto", help="A bot plays your seat, and everybody may sit until the table is full.")
    ] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object an event. Without --auto a program plays your seat, as in play."),
    ] = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Open a table that others come to over the network, and play there.

    Prints a link, for those who may sit down, and one for those who may only watch. You are asked who may sit; when the
    table is full, or when you type start, the game begins. The relay carries what everybody says and can neither read
    nor change it. When you all see the same three words, nobody is in between.

    What happens at the table is kept: after a crash, or Ctrl-C, `nodealer resume` goes on, with the same cards. Ends
    like play; with 4 when there is no relay.
    """
    settings = settings_of(game_of(game), context.args)
    from nodealer.cli.network_game import host_table  # late: no other command should wait for protocols and sockets
    from nodealer.cli.plan import plan_of
    from nodealer.cli.webpage import folder_of, page_for_guests

    if timekeeper and no_clock:
        raise BadParameter("--timekeeper and --no-clock exclude each other")
    said, limits = None if parameters is None else parameters.encode(), None if no_clock else limits_of(clock)
    plan = plan_of(game, settings, protocol=protocol, seats=seats, hands=hands, parameters=said, clock=limits)
    with page_for_guests(page) as guests:
        code_of_exit = host_table(
            plan,
            len(plan.names),
            relays=relay or (),
            listen=listen,
            name=name,
            auto=auto,
            json=json,
            log=log,
            code=code,
            timekeeper=timekeeper,
            page=guests,
            page_folder=folder_of(page),
            at=where(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json)),
        )
    raise typer.Exit(code_of_exit)
