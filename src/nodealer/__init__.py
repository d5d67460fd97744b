"""Cards without a dealer.

table = nodealer.table(["Ada", "Ben", "Cleo"])    # README.md shows the rest
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nodealer.api import Face, Player, Table, table, verify

__all__ = ["Face", "Player", "Table", "__version__", "table", "verify"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The library, opened when somebody comes: everything behind it takes a while to import."""
    if name in __all__:
        from nodealer import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
