"""Suggest the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def closest(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like what was typed, whatever its case, or None if none is close."""
    known = {name.casefold(): name for name in names}
    near = get_close_matches(typed.casefold(), known, 1)
    return known[near[0]] if near else None
