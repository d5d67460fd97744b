"""Changing immutable records, many times an entry."""

from __future__ import annotations

from typing import TypeVar

from nodealer.errors import BadParameter

R = TypeVar("R")


def replace(record: R, /, **changes: object) -> R:
    """What `dataclasses.replace` gives for a frozen dataclass without slots and `__post_init__`, ten times faster.

    Only for records that cache nothing in themselves: what is there is taken over.
    """
    known = vars(record)
    if not changes.keys() <= known.keys():
        raise BadParameter(f"{type(record).__name__} has no {sorted(changes.keys() - known.keys())[0]}")
    fresh: R = object.__new__(type(record))
    vars(fresh).update(known, **changes)
    return fresh
