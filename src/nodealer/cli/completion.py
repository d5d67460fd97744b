"""What a shell offers for a value: names of protocols and games. Loaded with every command, so all is late."""

from __future__ import annotations


def begun(names: list[str], begin: str) -> list[str]:
    """Return the names with this prefix."""
    return [name for name in names if name.startswith(begin)]


def protocols(incomplete: str) -> list[str]:
    """The card protocols."""
    from nodealer.protocols import PROTOCOLS

    return begun([*PROTOCOLS], incomplete)


def games(incomplete: str) -> list[str]:
    """The games that are installed."""
    from nodealer.cli.games import games_here

    return begun([game.name for game in games_here()], incomplete)
