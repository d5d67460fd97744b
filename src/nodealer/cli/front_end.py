"""The front end of a table in this terminal: for a person, or for a program."""

from __future__ import annotations

from nodealer.cli.json_ui import JsonUI
from nodealer.cli.terminal.ui import TerminalUI


def create_ui(*, json: bool, name: str | None, network: bool) -> TerminalUI | JsonUI:
    """Return the front end for this terminal. `name` is the player who decides here; None for bots and spectators."""
    return JsonUI(name=name, network=network) if json else TerminalUI(name=name, network=network)
