"""Shell completion of protocol and game names.

It is loaded with every command, so all imports are inside the functions.
"""

from __future__ import annotations


def with_prefix(names: list[str], begin: str) -> list[str]:
    """Return the names with this prefix."""
    return [name for name in names if name.startswith(begin)]


def protocols(incomplete: str) -> list[str]:
    """Complete the name of a card protocol."""
    from nodealer.protocols import PROTOCOLS

    return with_prefix([*PROTOCOLS], incomplete)


def games(incomplete: str) -> list[str]:
    """Complete the name of an installed game."""
    from nodealer.client.game_loader import installed_games

    return with_prefix([game.name for game in installed_games()], incomplete)
