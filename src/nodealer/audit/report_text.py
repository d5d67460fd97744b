"""Sentences for people about a verified log: who a seat is, and what the log does not prove."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nodealer.log.roster import Member

NOT_PROVEN: Final = (
    "that players did not tell each other their cards outside the game",
    "that each player is a different person, or a person at all",
    "that a player who stayed silent could not have continued",
    "that the players were not shown another log of the same session",
)
#: How many hexadecimal digits of a key are shown beside a name.
FINGERPRINT: Final = 16
PUBLIC_SEEDS: Final = "anything about secrecy: this was a rehearsal with public seeds"


def describe_member(member: Member | None) -> str:
    """Describe who is at a seat by name, number and key, since anyone can choose any name."""
    if member is None:
        return "no player can be named"
    return f"{member.name} (seat {member.seat}, key {member.key.hex()[:FINGERPRINT]})"


def list_unproven(warning: str | None, unchecked: Iterable[tuple[str | None, int]], *, rehearsal: bool) -> list[str]:
    """Return what a log does not prove.

    `warning` is the protocol's own, `unchecked` are the players and hands whose disclosures are missing.
    """
    warnings = [] if warning is None else [f"anything about secrecy: {warning.rstrip('.')}"]
    missing = [f"that {name} played hand {hand + 1} honestly" for name, hand in unchecked]
    return [*NOT_PROVEN, *([PUBLIC_SEEDS] if rehearsal else []), *warnings, *missing]
