"""Cards without a dealer.

table = nodealer.table(["Ada", "Ben", "Cleo"])    # README.md shows the rest
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nodealer import errors, events, game
    from nodealer.api import Face, Player, Question, Report, Table, Timekeeper, Watcher, table, verify

__all__ = [
    "Face",
    "Player",
    "Question",
    "Report",
    "Table",
    "Timekeeper",
    "Watcher",
    "__version__",
    "errors",
    "events",
    "game",
    "table",
    "verify",
]
__version__ = "1.0.0.dev0"

_MODULES = ("errors", "events", "game")


def __getattr__(name: str) -> Any:
    """Import the library on first use, because importing all of it takes a while."""
    if name in _MODULES:
        return import_module(f"nodealer.{name}")
    if name in __all__:
        return getattr(import_module("nodealer.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
