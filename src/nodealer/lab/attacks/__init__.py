"""Attacks that must fail, each in a file of its own, and who carries them out. Nothing of the game knows of them."""

from __future__ import annotations

from typing import Final

from nodealer.errors import BadParameter
from nodealer.lab.attacks import cards, shuffles, table
from nodealer.lab.attacks.base import Attack

#: Name to attack. The first is what somebody does of whom only is said that it cheats.
ATTACKS: Final = {one.name: one for room in (shuffles, cards, table) for one in room.ATTACKS}


def attack_of(name: str) -> Attack:
    """An attack by its name."""
    if name not in ATTACKS:
        raise BadParameter(f"there is no cheat {name!r}; there are {', '.join(ATTACKS)}")
    return ATTACKS[name]
