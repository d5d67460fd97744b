"""`nodealer demo`."""

from __future__ import annotations

import typer


def demo() -> None:
    """Watch a bot cheat at cards and be caught: by the others at the table, and by somebody who only has the log.

    It ends by itself after some seconds, with 0 when the cheater was named.
    """
    from nodealer.cli.demonstration import show  # late: no other command should wait for sockets

    raise typer.Exit(show())
