"""Attacks that must fail, each in a file of its own, and who carries them out. Nothing of the game knows of them."""

from __future__ import annotations

from typing import Final

from nodealer.errors import BadParameter
from nodealer.lab.attacks.base import Attack
from nodealer.lab.attacks.double import DOUBLE
from nodealer.lab.attacks.false_key import FALSE_KEY
from nodealer.lab.attacks.mark import MARK
from nodealer.lab.attacks.other_card import OTHER_CARD
from nodealer.lab.attacks.throw_out import THROW_OUT
from nodealer.lab.attacks.two_things import TWO_THINGS

#: Name to attack. The first is what somebody does of whom only is said that it cheats.
ATTACKS: Final = {one.name: one for one in (DOUBLE, MARK, FALSE_KEY, OTHER_CARD, TWO_THINGS, THROW_OUT)}


def attack_of(name: str) -> Attack:
    """An attack by its name."""
    if name not in ATTACKS:
        raise BadParameter(f"there is no cheat {name!r}; there are {', '.join(ATTACKS)}")
    return ATTACKS[name]
