"""`nodealer timekeeper`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from nodealer.cli import text as phrases
from nodealer.cli.options import JsonEvents, LogGame
from nodealer.cli.output import err, out, print_line
from nodealer.cli.terminal.input import read_argument
from nodealer.client.time_limits import KEEPER
from nodealer.relay.invitations import parse_link


def timekeeper(
    invitation: Annotated[
        str,
        typer.Argument(metavar="INVITATION", help="The player link from your host; - reads it from standard input."),
    ],
    name: Annotated[str, typer.Option(metavar="NAME", help="Your name at the table.")] = KEEPER,
    game: LogGame = None,
    json: JsonEvents = False,
) -> None:
    """Run the shot clock of a table on the network.

    You do not play and see no hidden cards. You only report how much time has passed while a player is slow. The limits
    that the players agreed on decide who is late, and the players decide what follows. No player should be the
    timekeeper, and at a table for two it must not run on a player's machine.

    If you restart it, it continues where it stopped.

    Exit codes: 0 the table has ended, 4 there is no relay.
    """
    from nodealer.cli.timekeeper_ui import TimekeeperUI  # late: no other command should wait for sockets
    from nodealer.client.timekeeper_process import keep_time, timekeeper_config

    config = timekeeper_config(parse_link(read_argument(invitation)), name=name, game=game)
    try:
        asyncio.run(keep_time(config, TimekeeperUI(json=json)))
    except KeyboardInterrupt:
        print_line(err(), phrases.TIMEKEEPER_STOPPED)
        raise
    if not json:
        print_line(out(), phrases.TABLE_ENDED)
