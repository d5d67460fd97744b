"""`nodealer demo`."""

from __future__ import annotations

import typer


def demo() -> None:
    """Watch a bot cheat and get caught, by the other players and by a program that only has the log.

    Takes a few seconds.

    Exit codes: 0 the cheater was named, 1 otherwise.
    """
    from nodealer.cli.demonstration import run_demo  # late: no other command should wait for sockets

    raise typer.Exit(run_demo())
