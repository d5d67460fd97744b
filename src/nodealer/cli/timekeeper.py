"""`nodealer timekeeper`."""

from __future__ import annotations

from typing import Annotated

import typer

from nodealer.cli.games import LogGame
from nodealer.cli.line_input import given
from nodealer.client.time_limits import KEEPER


def timekeeper(
    invitation: Annotated[
        str,
        typer.Argument(
            metavar="INVITATION", help="The link to play that the host gave you; - to read it from standard input."
        ),
    ],
    name: Annotated[str, typer.Option(metavar="NAME", help="What you are called at the table.")] = KEEPER,
    game: LogGame = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object an event.")] = False,
) -> None:
    """Keep the time of somebody's table, over the network.

    You do not play, and see no hidden card. You say how much time has passed when somebody is slow, and nothing else.
    Who is late is decided by the limits that the players agreed on, and what comes of it by the players. No player
    should keep the time, and at two seats no player's machine.

    Started again, it goes on where it was. Ends with 0 when the table has ended, 4 when there is no relay.
    """
    from nodealer.cli.timekeeper_run import keep_the_time  # late: no other command should wait for sockets

    raise typer.Exit(keep_the_time(given(invitation), name=name, game=game, json=json))
