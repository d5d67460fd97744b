"""Names instead of seats: the engine knows only seats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from nodealer.engine.state import TableState

_SEAT: Final = re.compile(r"\bseat (\d+)\b")


def names_of(state: TableState) -> dict[int, str]:
    """Return the names of everyone this table has ever had, by seat."""
    return {seat: member.name for seat, member in state.all_members.items()}


def with_names(text: str, names: Mapping[int, str]) -> str:
    """Replace seat numbers in a sentence with names."""
    return _SEAT.sub(lambda found: names.get(int(found[1]), found[0]), text)
