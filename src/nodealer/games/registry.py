"""Where a game comes from: its name among those that are installed, or `module:attribute` when a person says so.

Only the one that is asked for is loaded. A log has no say in what that is: a name in it is looked up among the names of
what is installed, and is never a path.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage

#: The entry points of a distribution that brings games.
GROUP: Final = "nodealer.games"
#: Ours, also where nothing is installed: a source tree, a browser. Nobody else can have their names.
OURS: Final = {
    "free": "nodealer.games.free.package:GAME",
    "hearts": "nodealer.games.hearts.package:GAME",
    "holdem": "nodealer.games.holdem.package:GAME",
    "wardens": "nodealer.games.wardens.package:GAME",
}
#: What is played when nobody says what.
FIRST: Final = "holdem"


def installed() -> list[str]:
    """The names of all games here."""
    return sorted({*OURS, *entry_points(group=GROUP).names})


def is_installed(name: str) -> bool:
    """Whether a game of this name is here. Loads nothing."""
    return name in OURS or bool(entry_points(group=GROUP, name=name))


def find(name: str) -> GamePackage:
    """The installed game of this name. Raises `BadParameter` when there is none, or more than one."""
    if name in OURS:
        return load(OURS[name])
    places = {point.value for point in entry_points(group=GROUP, name=name)}
    if not places:
        raise BadParameter(f"there is no game {name!r} here; there are {', '.join(installed())}")
    if len(places) > 1:
        raise BadParameter(f"there is more than one game {name!r} here: {', '.join(sorted(places))}")
    package = load(places.pop())
    if package.name != name:
        raise BadParameter(f"the game that is installed as {name!r} calls itself {package.name!r}")
    return package


def load(place: str) -> GamePackage:
    """The game at `module:attribute`. Runs that module: only for what a person, or an installer, has written."""
    module, _, attribute = place.partition(":")
    try:
        package = getattr(import_module(module), attribute)
    # Whatever it is that somebody's module fails with.
    except Exception as error:
        raise BadParameter(f"the game {place!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(package, GamePackage):
        raise BadParameter(f"{place!r} is no game: it is {type(package).__name__}, not GamePackage")
    return package


def chosen(text: str) -> GamePackage:
    """The game that a person means: by its name, or by `module:attribute`."""
    return load(text) if ":" in text else find(text)
