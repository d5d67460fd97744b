"""The command and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

import nodealer
from nodealer.cli import bench, doctor, export, play, protocols, show, verify

app = typer.Typer(
    name="nodealer",
    help="Cards without a dealer: shuffle, deal and play with people you need not trust.",
    no_args_is_help=True,
    add_completion=False,
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


app.command("doctor", epilog="Example: [bold]nodealer doctor --json[/bold]")(doctor.doctor)
app.command("bench", epilog="Example: [bold]nodealer bench core --strict[/bold]")(bench.bench)
app.command("protocols", epilog="Example: [bold]nodealer protocols --json[/bold]")(protocols.protocols)
app.command("play", epilog="Example: [bold]nodealer play --auto --seats 4 --hands 3 --log game.jsonl[/bold]")(play.play)
app.command("verify", epilog="Example: [bold]nodealer verify game.jsonl[/bold]")(verify.verify)
app.command("show", epilog="Example: [bold]nodealer show game.jsonl[/bold]")(show.show)
app.command("export", epilog="Example: [bold]nodealer export game.jsonl --format phh --out game.phhs[/bold]")(
    export.export
)
