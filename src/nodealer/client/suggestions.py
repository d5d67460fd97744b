"""Suggest the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def closest(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like what was typed, whatever its case, or None if none is close."""
    known = {name.casefold(): name for name in names}
    near = get_close_matches(typed.casefold(), known, 1)
    return known[near[0]] if near else None


def describe_unknown(kind: str, typed: str, choices: Sequence[str], listed: Iterable[str] | None = None) -> str:
    """Return a sentence about a name that is not one of the choices: with the closest one, or else with all.

    `listed` is how the choices are listed, if not by their names.
    """
    near = closest(typed, choices)
    hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(listed or choices) or 'none'}"
    return f"unknown {kind} {typed!r}; {hint}"
