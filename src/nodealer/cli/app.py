"""The command and its subcommands."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import typer

import nodealer
from nodealer.cli.commands import CommandEntry, Commands, example

#: Where commands are that are not in this package.
_LAB: Final = "nodealer-lab"


class _All(Commands):
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
        "games": CommandEntry("saved_games_command", "games", "games --json"),
        "resume": CommandEntry("saved_games_command", "resume", "resume"),
        "whoami": CommandEntry("whoami", "whoami", "whoami --name Ada"),
        "relay": CommandEntry("relay", "relay", "relay --listen 0.0.0.0:7777 --store sqlite:relay.db"),
        "protocols": CommandEntry("protocols", "protocols", "protocols --json"),
        "doctor": CommandEntry("doctor", "doctor", "doctor --json"),
    }


class _OfGames(Commands):
    places: ClassVar = {
        "check": CommandEntry("game", "check", "game check mygame:GAME"),
        "list": CommandEntry("game", "list_games", "game list --json"),
    }


class _OfPages(Commands):
    places: ClassVar = {
        "serve": CommandEntry("webpage", "serve", "web serve dist/web"),
        "check": CommandEntry("webpage", "check", "web check https://cards.example"),
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
