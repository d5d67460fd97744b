"""`nodealer join` and `nodealer watch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nodealer.cli.display import NoBrowser, Terminal, where
from nodealer.cli.games import LogGame
from nodealer.cli.line_input import given

Invited = Annotated[
    str,
    typer.Argument(
        metavar="INVITATION",
        help="The link that the host gave you, or a code such as 7-crater-lemon; - to read it from standard input.",
    ),
]
Relay = Annotated[
    str | None, typer.Option(metavar="URL", help="Where a spoken code is heard: the relay that the host uses.")
]
Log = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the log here too. Never over a file.")]


def join(
    invitation: Invited,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Your name at the table. Default: as in `nodealer whoami`.")
    ] = None,
    relay: Relay = None,
    game: LogGame = None,
    log: Log = None,
    ask: Annotated[bool, typer.Option("--ask", help="If they play already, ask them for a seat.")] = False,
    auto: Annotated[
        bool, typer.Option("--auto", help="A bot plays your seat, and agrees to what it can play.")
    ] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object an event. Without --auto a program plays your seat, as in play."),
    ] = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Sit down at somebody's table, over the network.

    The host lets you sit; you see what is proposed before you agree. Then everybody sees the same three words: if yours
    are others, somebody is in between. Whoever was at this table before goes on there, with the same cards.

    Ends like play; with 4 when there is no relay.
    """
    from nodealer.cli.network_game import join_table  # late: no other command should wait for sockets

    at, text = where(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json)), given(invitation)
    raise typer.Exit(join_table(text, relay=relay, name=name, game=game, auto=auto, json=json, log=log, ask=ask, at=at))


def watch(
    invitation: Annotated[
        str,
        typer.Argument(metavar="INVITATION", help="The link that the host gave you; - to read it from standard input."),
    ],
    game: LogGame = None,
    log: Log = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object an event.")] = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Look on at somebody's table, over the network.

    You see what is public, and check every proof yourself. Ends like play; with 4 when there is no relay.
    """
    from nodealer.cli.network_game import watch_table  # late: no other command should wait for sockets
    from nodealer.relay.invitations import read_link

    at = where(terminal=terminal, no_browser=no_browser, by_hand=not json)
    raise typer.Exit(watch_table(read_link(given(invitation)), game=game, json=json, log=log, at=at))
