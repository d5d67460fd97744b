"""Frozen records with something changed.

A table is a tree of frozen dataclasses, and every entry makes new ones of the old: hundreds of copies a hand, of
records with a dozen fields. `dataclasses.replace` goes through the constructor, which sets what was there already.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import replace as replace  # whose arguments are checked
else:

    def replace(record: T, /, **changes: Any) -> T:
        """The same record with these fields changed. What it had computed and kept is not taken over."""
        names = _plain(type(record))
        if names is None:
            return dataclasses.replace(record, **changes)
        old = record.__dict__
        # Whatever it has besides its fields was computed from them.
        fields = (old if len(old) == len(names) else {name: old[name] for name in names}) | changes
        if len(fields) != len(names):
            return dataclasses.replace(record, **changes)
        made = object.__new__(type(record))
        # Past the record's own lock, and as its only dict: nobody else has this one.
        object.__setattr__(made, "__dict__", fields)
        return made


@cache
def _plain(kind: type) -> dict[str, None] | None:
    """The fields of a record that is nothing but its fields: without slots, and without a check of its own."""
    if hasattr(kind, "__post_init__") or any(vars(base).get("__slots__") for base in kind.__mro__):
        return None
    fields = dataclasses.fields(kind)
    return {field.name: None for field in fields} if all(field.init for field in fields) else None
