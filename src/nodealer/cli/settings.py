"""Parse the settings of a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodealer.cli import text as phrases
from nodealer.client.game_loader import installed_games
from nodealer.client.suggestions import closest
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage


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
