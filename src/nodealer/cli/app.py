"""The command `nodealer` and its subcommands."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import typer

import nodealer
from nodealer.cli.commands import CommandEntry, Commands, example

#: The distribution that provides the commands which are not in this package.
_LAB: Final = "nodealer-lab"


class _TopLevelCommands(Commands):
    group: ClassVar = "nodealer.commands"
    elsewhere: ClassVar = {"lab": _LAB, "bench": _LAB}
    places: ClassVar = {
        "play": CommandEntry("play", "play", "play --auto --seats 4 --hands 3 --log game.jsonl"),
        "host": CommandEntry("host", "host", "host --seats 3 --name Ada"),
        "join": CommandEntry("join", "join", "join 'nodealer:#AQ...' --name Ben"),
        "watch": CommandEntry("join", "watch", "watch 'nodealer:#AQ...'"),
        "timekeeper": CommandEntry("timekeeper", "timekeeper", "timekeeper 'nodealer:#AQ...'"),
        "demo": CommandEntry("demo", "demo", "demo"),
        "verify": CommandEntry("verify", "verify", "verify game.jsonl"),
        "show": CommandEntry("show", "show", "show game.jsonl"),
        "export": CommandEntry("export", "export", "export game.jsonl --format phh --out game.phhs"),
        "games": CommandEntry("games", "games", "games --json"),
        "resume": CommandEntry("games", "resume", "resume"),
        "whoami": CommandEntry("whoami", "whoami", "whoami --name Ada"),
        "relay": CommandEntry("relay", "relay", "relay --listen 0.0.0.0:7777 --store sqlite:relay.db"),
        "protocols": CommandEntry("protocols", "protocols", "protocols --json"),
        "doctor": CommandEntry("doctor", "doctor", "doctor --json"),
    }


class _GameCommands(Commands):
    places: ClassVar = {
        "check": CommandEntry("game", "check", "game check mygame:GAME"),
        "list": CommandEntry("game", "list_games", "game list --json"),
    }


class _WebCommands(Commands):
    places: ClassVar = {
        "serve": CommandEntry("webpage", "serve", "web serve dist/web"),
        "check": CommandEntry("webpage", "check", "web check https://cards.example"),
    }


app = typer.Typer(
    name="nodealer",
    cls=_TopLevelCommands,
    help="Play cards without a dealer, with people you do not have to trust.",
    epilog=example("play"),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(requested: bool) -> None:
    """If `--version` was given (`requested`), print the version and exit."""
    if requested:
        typer.echo(f"nodealer {nodealer.__version__}")
        raise typer.Exit


@app.callback()
def nodealer_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Play cards without a dealer, with people you do not have to trust."""


games = typer.Typer(
    name="game",
    cls=_GameCommands,
    help="List installed games, and test a game that you are writing.",
    epilog=example("game check mygame:GAME"),
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@games.callback()
def game_command() -> None:
    """List installed games, and test a game that you are writing."""


app.add_typer(games)

pages = typer.Typer(
    name="web",
    cls=_WebCommands,
    help="Serve and check the page for players who have nothing installed.",
    epilog=example("web serve dist/web"),
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@pages.callback()
def web_command() -> None:
    """Serve and check the page for players who have nothing installed."""


app.add_typer(pages)
