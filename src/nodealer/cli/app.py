"""The command and its subcommands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

import nodealer
from nodealer.cli import bench, demo, doctor, export, keeping, play, protocols, show, verify

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


def _flowing(command: Callable[..., None]) -> str:
    """What a command says of itself, each paragraph as one line: the terminal knows where lines end."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in (command.__doc__ or "").split("\n\n"))


for _command, _example in (
    (doctor.doctor, "doctor --json"),
    (bench.bench, "bench core --strict"),
    (protocols.protocols, "protocols --json"),
    (play.play, "play --auto --seats 4 --hands 3 --log game.jsonl"),
    (keeping.resume, "resume"),
    (keeping.games, "games --json"),
    (demo.demo, "demo"),
    (verify.verify, "verify game.jsonl"),
    (show.show, "show game.jsonl"),
    (export.export, "export game.jsonl --format phh --out game.phhs"),
):
    # What `play` does not know itself, the game that is played may.
    _open = _command is play.play
    app.command(
        _command.__name__,
        cls=play.PlayCommand if _open else None,
        context_settings={"allow_extra_args": _open, "ignore_unknown_options": _open},
        help=_flowing(_command),
        epilog=f"Example: [bold]nodealer {_example}[/bold]",
    )(_command)
