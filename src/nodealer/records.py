"""A faster `dataclasses.replace` for frozen records.

A table is a tree of frozen dataclasses, and every entry creates new ones from the old: hundreds of copies per hand, of
records with a dozen fields. `dataclasses.replace` calls the constructor, which sets every field again.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import replace as replace  # type checkers check its arguments
else:

    def replace(record: T, /, **changes: Any) -> T:
        """Return a copy of the record with these fields changed and without its cached properties."""
        names = _plain_fields(type(record))
        if names is None:
            return dataclasses.replace(record, **changes)
        old = record.__dict__
        # Anything besides its fields is a cached value that was computed from them.
        fields = (old if len(old) == len(names) else {name: old[name] for name in names}) | changes
        if len(fields) != len(names):
            return dataclasses.replace(record, **changes)
        copy = object.__new__(type(record))
        # This bypasses the frozen check. Sharing is no problem: `fields` is a new dict.
        object.__setattr__(copy, "__dict__", fields)
        return copy


@cache
def _plain_fields(kind: type) -> dict[str, None] | None:
    """Return the fields of a plain record, or None if it has slots, a `__post_init__`, or fields not in `__init__`."""
    if hasattr(kind, "__post_init__") or any(vars(base).get("__slots__") for base in kind.__mro__):
        return None
    fields = dataclasses.fields(kind)
    return {field.name: None for field in fields} if all(field.init for field in fields) else None
