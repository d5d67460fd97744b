"""Attacks that must fail, one module or package per family. Nothing in nodealer knows about them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from nodealer.errors import BadParameter
from nodealer_lab.attacks import cards, encodings, network, operations, proofs, secrets, shuffles, table, table_rules
from nodealer_lab.attacks.base import Attack

#: Name of a family to its attacks.
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
#: Name to attack.
ATTACKS: Final[dict[str, Attack]] = {one.name: one for family in FAMILIES.values() for one in family}
#: Those that a bot can play in any game; `nodealer.cheats` finds them through entry points.
CHEATS: Final[dict[str, Attack]] = {one.name: one for one in ATTACKS.values() if one.is_bot_cheat}


def find_attack(name: str) -> Attack:
    """Return the attack of this name. Raises `BadParameter` if there is none."""
    if name not in ATTACKS:
        near = get_close_matches(name, ATTACKS, 1, 0.75)
        hint = f"did you mean {near[0]!r}?" if near else "`nodealer lab list` lists them all"
        raise BadParameter(f"unknown attack {name!r}; {hint}")
    return ATTACKS[name]
