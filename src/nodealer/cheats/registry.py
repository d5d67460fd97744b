"""Look up cheats by name: our own, and those of installed packages (entry-point group `nodealer.cheats`)."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, Final

from nodealer.cheats.base import BotCheat
from nodealer.cheats.double import DOUBLE
from nodealer.cheats.false_key import FALSE_KEY
from nodealer.cheats.mark import MARK
from nodealer.cheats.other_card import OTHER_CARD
from nodealer.cheats.throw_out import THROW_OUT
from nodealer.cheats.two_things import TWO_THINGS
from nodealer.errors import BadParameter

#: Entry points of distributions that bring more cheats.
GROUP: Final = "nodealer.cheats"
#: Always available. An installed package cannot take these names.
OURS: Final[dict[str, BotCheat[Any]]] = {
    one.name: one for one in (DOUBLE, MARK, FALSE_KEY, OTHER_CARD, TWO_THINGS, THROW_OUT)
}
#: The cheat of a bot if only its seat was named.
DEFAULT: Final = "double"


def cheat_names() -> list[str]:
    """Return the names of all installed cheats, ours first. Loads none of them."""
    return [*OURS, *sorted(entry_points(group=GROUP).names - OURS.keys())]


def installed_cheats() -> list[BotCheat[Any]]:
    """Load and return all installed cheats, ours first."""
    return [find_cheat(name) for name in cheat_names()]


def find_cheat(name: str) -> BotCheat[Any]:
    """Return the cheat of this name. Raises `BadParameter` if there is none."""
    if name in OURS:
        return OURS[name]
    for point in entry_points(group=GROUP, name=name):
        found = point.load()
        if not isinstance(found, BotCheat):
            raise BadParameter(f"{point.value!r} is not a cheat: it is {type(found).__name__}, not BotCheat")
        return found
    near = get_close_matches(name, cheat_names(), 1, 0.75)
    hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(cheat_names())}"
    raise BadParameter(f"unknown cheat {name!r}; {hint}")
