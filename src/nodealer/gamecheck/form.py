"""The form of a value: everything in it, as plain data. Values with equal forms are equal, whatever `==` says.

Rules may keep anything in their values, including fields that `==` ignores and objects of other libraries. So this
module inspects the actual contents and does not rely on methods of the class.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import msgspec

#: Plain data: a simple value, or (name of the kind, (name of a part, its form), …).
Form = Any


def form(value: object, above: tuple[int, ...] = ()) -> Form:
    """Return a value as plain, comparable data. `above` has the ids of the enclosing values, to detect cycles."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if id(value) in above:
        return ("itself",)
    if isinstance(value, enum.Enum):
        return (type(value).__qualname__, ("", value.name))
    inside = (*above, id(value))
    if isinstance(value, Mapping):
        items = [(form(key, inside), form(item, inside)) for key, item in value.items()]
        return ("mapping", *((_name(key), item) for key, item in sorted(items, key=repr)))
    if isinstance(value, Set):
        return ("set", *(("", item) for item in sorted((form(item, inside) for item in value), key=repr)))
    if isinstance(value, list | tuple | deque):
        return ("list", *((f"[{at}]", form(item, inside)) for at, item in enumerate(value)))
    if callable(value):
        return (f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}",)
    return (type(value).__qualname__, *((name, form(item, inside)) for name, item in _parts(value)))


def _parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the fields of an object with their values, except cached properties."""
    names = dict[str, None]()
    if isinstance(value, msgspec.Struct):
        names |= dict.fromkeys(value.__struct_fields__)
    if is_dataclass(value):
        names |= dict.fromkeys(one.name for one in fields(value))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names |= dict.fromkeys((slots,) if isinstance(slots, str) else slots)
    names |= dict.fromkeys(getattr(value, "__dict__", {}))
    for name in names:
        if not isinstance(getattr(type(value), name, None), cached_property) and hasattr(value, name):
            yield name, getattr(value, name)


def _name(key: Form) -> str:
    """Return an index or a key as it is written after a name: `[3]`."""
    return f"[{key!r}]"


def difference(one: Form, other: Form) -> str | None:
    """Return where two results of `form` first differ, as an author would write it (`held[3]`), or None."""
    if one == other:
        return None
    if not (isinstance(one, tuple) and isinstance(other, tuple)) or one[0] != other[0]:
        return ""
    these, those = dict(_numbered(one)), dict(_numbered(other))
    for name in [*these, *those]:
        if name not in these or name not in those:
            return name
        inner = difference(these[name], those[name])
        if inner is not None:
            return f"{name}{'' if not inner or inner.startswith('[') else '.'}{inner}"
    return ""


def quote(where: str) -> str:
    """Return a place from `difference` as it appears in a sentence."""
    return f"`{where}`" if where else "it"


def _numbered(parts: Form) -> Iterator[tuple[str, Form]]:
    """Yield the parts of a form with their names. A part without a name is called by its index."""
    for at, (name, inner) in enumerate(parts[1:]):
        yield name or f"[{at}]", inner
