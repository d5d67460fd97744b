"""Attacks that must fail, each in a file of its own, and who carries them out. Nothing of the game knows of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from nodealer.errors import BadParameter
from nodealer.lab.attacks import cards, encodings, law, network, operations, proofs, secrets, shuffles, table
from nodealer.lab.attacks.base import Attack

_ROOMS: Final = (shuffles, cards, proofs, encodings, table, secrets, operations, law, network)
#: Name to attack.
ATTACKS: Final[dict[str, Attack]] = {one.name: one for room in _ROOMS for one in room.ATTACKS}
#: Those that a bot can do in any game. The first is what somebody does of whom only is said that it cheats.
CHEATS: Final[dict[str, Attack]] = {one.name: one for one in ATTACKS.values() if one.by_a_seat}


def attack_of(name: str) -> Attack:
    """An attack by its name."""
    if name not in ATTACKS:
        raise BadParameter(f"there is no attack {name!r}{_near(name, ATTACKS)}; `nodealer lab list` has them all")
    return ATTACKS[name]


def cheat_of(name: str) -> Attack:
    """An attack that a bot can do, by its name."""
    if name in ATTACKS and name not in CHEATS:
        raise BadParameter(f"{name} is more than a seat's false words: it needs a table of its own, `lab run {name}`")
    if name not in CHEATS:
        raise BadParameter(f"there is no cheat {name!r}{_near(name, CHEATS)}; there are {', '.join(CHEATS)}")
    return CHEATS[name]


def _near(name: str, names: Iterable[str]) -> str:
    """The name that somebody may have meant."""
    near = get_close_matches(name, names, 1, 0.75)
    return f", but {near[0]}" if near else ""
