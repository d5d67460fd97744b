"""Find the game that a person named, also in the current folder."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from nodealer.client.suggestions import describe_unknown
from nodealer.errors import BadParameter, NodealerError
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game, game_names, is_installed, resolve_game


def load_game(text: str) -> GamePackage:
    """Return an installed game by name, or the game at `module:attribute`, also from the current folder."""
    if ":" in text and os.getcwd() not in sys.path:
        # Last: a file that happens to be here must not replace an installed module.
        sys.path.append(os.getcwd())
    if ":" not in text and not is_installed(text):
        raise BadParameter(describe_unknown("game", text, game_names()))
    return resolve_game(text)


def load_game_or_none(text: str | None) -> GamePackage | None:
    """Return the game that a person named, or None if they named none."""
    return None if text is None else load_game(text)


def installed_games() -> list[GamePackage]:
    """Return all installed games. Skips a game that cannot be loaded."""
    found: list[GamePackage] = []
    for name in game_names():
        with suppress(NodealerError):
            found.append(find_game(name))
    return found
