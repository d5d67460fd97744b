"""The attacks of the lab, one module or package per family. All of them must fail, and production code knows none."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from nodealer.errors import BadParameter
from nodealer_lab.attacks import cards, encodings, network, operations, proofs, secrets, shuffles, table, table_rules
from nodealer_lab.attacks.base import Attack

#: The attacks of each family.
FAMILIES: Final[dict[str, tuple[Attack, ...]]] = {
    "shuffles": shuffles.ATTACKS,
    "cards": cards.ATTACKS,
    "proofs": proofs.ATTACKS,
    "encodings": encodings.ATTACKS,
    "the table": table.ATTACKS,
    "secrets": secrets.ATTACKS,
    "operations": operations.ATTACKS,
    "table rules": table_rules.ATTACKS,
    "the network": network.ATTACKS,
}
#: All attacks by name.
ATTACKS: Final[dict[str, Attack]] = {one.name: one for family in FAMILIES.values() for one in family}
#: The attacks that a bot can play in any game. `nodealer.cheats` finds them through entry points.
CHEATS: Final[dict[str, Attack]] = {one.name: one for one in ATTACKS.values() if one.is_bot_cheat}


def find_attack(name: str) -> Attack:
    """Return the attack with this name. Raise `BadParameter`, with the closest name if any, if it is unknown."""
    if name not in ATTACKS:
        near = get_close_matches(name, ATTACKS, 1, 0.75)
        hint = f"did you mean {near[0]!r}?" if near else "`nodealer lab list` lists them all"
        raise BadParameter(f"unknown attack {name!r}; {hint}")
    return ATTACKS[name]
