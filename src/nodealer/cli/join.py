"""`nodealer join` and `nodealer watch`."""

from __future__ import annotations

from typing import Annotated

import typer

from nodealer.cli.display import choose_display
from nodealer.cli.options import JsonEvents, JsonSeat, LogCopyFile, LogGame, Name, NoBrowser, Terminal
from nodealer.cli.terminal.input import read_argument

Invited = Annotated[
    str,
    typer.Argument(
        metavar="INVITATION",
        help="The link from your host, or a pairing code such as 7-crater-lemon; - reads it from standard input.",
    ),
]
Relay = Annotated[str | None, typer.Option(metavar="URL", help="The host's relay. Required with a pairing code.")]


def join(
    invitation: Invited,
    name: Name = None,
    relay: Relay = None,
    game: LogGame = None,
    log: LogCopyFile = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for a seat if the game has already begun.")] = False,
    auto: Annotated[
        bool, typer.Option("--auto", help="A bot plays your seat and accepts any game it can play.")
    ] = False,
    json: JsonSeat = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Join a table on the network and play.

    The host has to let you sit down. You see the proposed game before you agree to it. Then everyone sees the same
    three words: if yours differ, someone is intercepting the connection. If you were at this table before, you continue
    there with the same cards.

    Exit codes: as for play; 2 if there is neither a browser nor a terminal for you, 4 also if there is no relay.
    """
    from nodealer.cli.network import Presence, join_table  # late: no other command should wait for sockets

    at = choose_display(terminal=terminal, no_browser=no_browser, by_hand=not (auto or json))
    presence = Presence(at, json, auto, ask)
    text = read_argument(invitation)
    raise typer.Exit(join_table(text, relay=relay, name=name, game=game, presence=presence, log=log))


def watch(
    invitation: Annotated[
        str,
        typer.Argument(metavar="INVITATION", help="The link from your host; - reads it from standard input."),
    ],
    game: LogGame = None,
    log: LogCopyFile = None,
    json: JsonEvents = False,
    terminal: Terminal = False,
    no_browser: NoBrowser = False,
) -> None:
    """Watch a table on the network.

    You see everything that is public, and your program checks every proof.

    Exit codes: as for play; 4 also if there is no relay.
    """
    from nodealer.cli.network import Presence, watch_table  # late: no other command should wait for sockets
    from nodealer.relay.invitations import parse_link

    presence = Presence(choose_display(terminal=terminal, no_browser=no_browser, by_hand=not json), json)
    raise typer.Exit(watch_table(parse_link(read_argument(invitation)), game=game, presence=presence, log=log))
