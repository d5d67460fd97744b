"""The command and its subcommands."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import typer

import nodealer
from nodealer.cli.commands import Commands, Place, example

#: Where commands are that are not in this package.
_LAB: Final = "nodealer-lab"


class _All(Commands):
    group: ClassVar = "nodealer.commands"
    elsewhere: ClassVar = {"lab": _LAB, "bench": _LAB}
    places: ClassVar = {
        "play": Place("play", "play", "play --auto --seats 4 --hands 3 --log game.jsonl"),
        "host": Place("host", "host", "host --seats 3 --name Ada"),
        "join": Place("join", "join", "join 'nodealer:#AQ...' --name Ben"),
        "watch": Place("join", "watch", "watch 'nodealer:#AQ...'"),
        "timekeeper": Place("timekeeper", "timekeeper", "timekeeper 'nodealer:#AQ...'"),
        "demo": Place("demo", "demo", "demo"),
        "verify": Place("verify", "verify", "verify game.jsonl"),
        "show": Place("show", "show", "show game.jsonl"),
        "export": Place("export", "export", "export game.jsonl --format phh --out game.phhs"),
        "games": Place("keeping", "games", "games --json"),
        "resume": Place("keeping", "resume", "resume"),
        "whoami": Place("whoami", "whoami", "whoami --name Ada"),
        "relay": Place("relay", "relay", "relay --listen 0.0.0.0:7777 --store sqlite:relay.db"),
        "protocols": Place("protocols", "protocols", "protocols --json"),
        "doctor": Place("doctor", "doctor", "doctor --json"),
    }


class _OfGames(Commands):
    places: ClassVar = {
        "check": Place("game", "check", "game check mygame:GAME"),
        "list": Place("game", "list_games", "game list --json"),
    }


class _OfPages(Commands):
    places: ClassVar = {
        "serve": Place("webpage", "serve", "web serve dist/web"),
        "check": Place("webpage", "check", "web check https://cards.example"),
    }


app = typer.Typer(
    name="nodealer",
    cls=_All,
    help="Cards without a dealer: shuffle, deal and play with people you need not trust.",
    epilog=example("play"),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"nodealer {nodealer.__version__}")
        raise typer.Exit


@app.callback()
def nodealer_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Cards without a dealer: shuffle, deal and play with people you need not trust."""


games = typer.Typer(
    name="game",
    cls=_OfGames,
    help="The games that are here, and those that you write.",
    epilog=example("game check mygame:GAME"),
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@games.callback()
def game_command() -> None:
    """The games that are here, and those that you write."""


app.add_typer(games)

pages = typer.Typer(
    name="web", cls=_OfPages, help="The page for players who have nothing installed.", no_args_is_help=True
)


@pages.callback()
def web_command() -> None:
    """The page for players who have nothing installed."""


app.add_typer(pages)
