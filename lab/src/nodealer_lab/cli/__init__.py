"""The commands that the lab adds to nodealer through the entry-point group `nodealer.commands`: `lab` and `bench`."""

from __future__ import annotations

from typing import ClassVar, Final

import typer

from nodealer.cli.commands import CommandEntry, Commands, example

_HERE: Final = "nodealer_lab.cli"


class _LabCommands(Commands):
    """The subcommands of `nodealer lab`."""

    places: ClassVar = {
        "list": CommandEntry("attacks", "list_attacks", "lab list", _HERE),
        "run": CommandEntry("attacks", "run", "lab run double --protocol chain", _HERE),
        "sim": CommandEntry("simulate", "simulate", "lab sim --games 200 --cores 2", _HERE),
    }


#: `nodealer bench`.
BENCH: Final = CommandEntry("bench", "bench", "bench core --strict", _HERE)
#: `nodealer lab`.
LAB: Final = typer.Typer(
    name="lab",
    cls=_LabCommands,
    help="Carry out attacks on the program, and play simulated games.",
    epilog=example("lab run double --protocol chain"),
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@LAB.callback()
def lab_command() -> None:
    """Carry out attacks on the program, and play simulated games."""
