"""Look up games: by name among the installed ones, or by `module:attribute` if a person typed that.

Only the requested game is loaded. A log cannot choose what is loaded: a name in a log is looked up among the names of
the installed games and is never treated as a path.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage

#: Entry points of distributions that bring more games.
GROUP: Final = "nodealer.games"
#: Always available, even if no distribution is installed (a source tree, a browser). An installed package cannot take
#: these names.
OURS: Final = {
    "free": "nodealer.games.free.package:GAME",
    "hearts": "nodealer.games.hearts.package:GAME",
    "holdem": "nodealer.games.holdem.package:GAME",
    "wardens": "nodealer.games.wardens.package:GAME",
}
#: The game that is played if none was named.
DEFAULT_GAME: Final = "holdem"


def game_names() -> list[str]:
    """Return the names of all installed games, sorted. Loads none of them."""
    return sorted({*OURS, *entry_points(group=GROUP).names})


def is_installed(name: str) -> bool:
    """Return whether a game of this name is installed. Loads nothing."""
    return name in OURS or bool(entry_points(group=GROUP, name=name))


def find_game(name: str) -> GamePackage:
    """Load and return the installed game of this name. Raises `BadParameter` if there is none, or more than one."""
    if name in OURS:
        return load_game(OURS[name])
    places = {point.value for point in entry_points(group=GROUP, name=name)}
    if not places:
        raise BadParameter(f"unknown game {name!r}; choose from {', '.join(game_names())}")
    if len(places) > 1:
        raise BadParameter(f"more than one game is installed as {name!r}: {', '.join(sorted(places))}")
    package = load_game(places.pop())
    if package.name != name:
        raise BadParameter(f"the game installed as {name!r} calls itself {package.name!r}")
    return package


def load_game(place: str) -> GamePackage:
    """Return the game at `module:attribute`. Raises `BadParameter` if it cannot be loaded.

    This runs that module: never call it with a place from a log or from the network.
    """
    module, _, attribute = place.partition(":")
    try:
        package = getattr(import_module(module), attribute)
    # A third-party module may fail with anything.
    except Exception as error:
        raise BadParameter(f"the game {place!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(package, GamePackage):
        raise BadParameter(f"{place!r} is not a game: it is {type(package).__name__}, not GamePackage")
    return package


def resolve_game(text: str) -> GamePackage:
    """Return the game that a person typed, as a name or `module:attribute`. Raise `BadParameter` if there is none."""
    return load_game(text) if ":" in text else find_game(text)
