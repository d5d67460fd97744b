"""The options that several commands have. An option whose meaning differs is declared by its command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nodealer.cli.completion import games, protocols

# --- What is played ---

GameName = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="GAME",
        help="Name of an installed game (see below), or MODULE:ATTRIBUTE of your own.",
        autocompletion=games,
    ),
]
#: For commands that load the game which a log or a host names, unless the person gives its place.
LogGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Load a game that is not installed from MODULE:ATTRIBUTE."),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        metavar="PROTOCOL",
        help="Card protocol; see `nodealer protocols`. Default: the game's own.",
        autocompletion=protocols,
    ),
]
Hands = Annotated[
    int | None,
    typer.Option("--hands", min=1, max=10_000, metavar="N", help="Number of hands. Default: the game's own."),
]
Parameters = Annotated[
    str | None,
    typer.Option(
        "--parameters",
        metavar="JSON",
        help='Parameters of the card protocol as JSON without spaces, such as {"proven":false} for chain.',
    ),
]

# --- Who plays, and where the table is shown ---

#: The name of a person at a table on the network.
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Your name at the table. Default: your name in `nodealer whoami`."),
]
Terminal = Annotated[bool, typer.Option("--terminal", help="Use the terminal even if a browser is available.")]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address of the page instead of opening a browser.")
]

# --- Output ---

LogCopyFile = Annotated[
    Path | None, typer.Option("--log", metavar="FILE", help="Also write the log to FILE. Fails if FILE exists.")
]
JsonEvents = Annotated[bool, typer.Option("--json", help="One JSON object per event.")]
#: For a seat that a program can play. `play` says more, because the other commands refer to it.
JsonSeat = Annotated[
    bool,
    typer.Option(
        "--json", help="One JSON object per event. Unless --auto is given, a program plays your seat, as in play."
    ),
]
JsonDocument = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
