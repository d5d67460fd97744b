"""Find the game that a person named, and parse its settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from nodealer.cli import text as phrases
from nodealer.cli.suggestions import closest
from nodealer.errors import BadParameter, NodealerError
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game, game_names, is_installed, resolve_game


def load_game(text: str) -> GamePackage:
    """Return an installed game by name, or the game at `module:attribute`, also from the current folder."""
    if ":" in text and os.getcwd() not in sys.path:
        # Last: a file that happens to be here must not replace an installed module.
        sys.path.append(os.getcwd())
    if ":" not in text and not is_installed(text):
        raise BadParameter(phrases.unknown("game", text, closest(text, game_names()), game_names()))
    return resolve_game(text)


def load_game_or_none(text: str | None) -> GamePackage | None:
    """Return the game that a person named, or None if they named none."""
    return None if text is None else load_game(text)


def parse_settings(game: GamePackage, arguments: Sequence[str], options: Iterable[str] = ()) -> dict[str, str]:
    """Parse the settings of a game from `--name value` or `--name=value`.

    Raises `BadParameter` for anything the game does not have. `options` are the other options that might have been
    meant.
    """
    given: dict[str, str] = {}
    waiting = list(arguments)
    while waiting:
        option, equals, value = waiting.pop(0).partition("=")
        name = option.removeprefix("--")
        if not option.startswith("--") or not any(setting.name == name for setting in game.settings):
            raise BadParameter(_explain_unknown(option, game, options))
        if name in given:
            raise BadParameter(phrases.given_twice(option))
        if not equals:
            if not waiting or waiting[0].startswith("--"):
                raise BadParameter(phrases.needs_value(option))
            value = waiting.pop(0)
        given[name] = value
    return game.settled(given)


def _explain_unknown(option: str, game: GamePackage, options: Iterable[str]) -> str:
    """Describe an unknown option, and say if it belongs to another game: silently ignoring it would hide a mistake."""
    for other in installed_games():
        if any(option == f"--{setting.name}" for setting in other.settings):
            return phrases.setting_of_other_game(option, other.name, game.name)
    settings = [f"--{setting.name}" for setting in game.settings]
    return phrases.unknown_option(option, closest(option, (*options, *settings)), game.name, settings)


def installed_games() -> list[GamePackage]:
    """Return all installed games. Skips a game that cannot be loaded."""
    found: list[GamePackage] = []
    for name in game_names():
        with suppress(NodealerError):
            found.append(find_game(name))
    return found
