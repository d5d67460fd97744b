"""A row of a benchmark: what was measured, against what, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One figure. `ok` is None when nothing is required, or when it could not be judged; `note` then says why."""

    name: str
    #: Its size parameters, by name.
    n: Mapping[str, int]
    seconds: float | None = None
    value: float | None = None
    unit: str | None = None
    yardstick: str | None = None
    ratio: float | None = None
    required: float | None = None
    sense: Literal["max", "min"] = "max"
    ok: bool | None = None
    note: str | None = None


def meets(figure: float, required: float | None, sense: Literal["max", "min"]) -> bool | None:
    """Whether a figure is as required; None where nothing is."""
    if required is None:
        return None
    return figure <= required if sense == "max" else figure >= required


def time_row(
    name: str,
    n: Mapping[str, int],
    times: tuple[float, float],
    yardstick: str,
    required: float | None = None,
    *,
    note: str | None = None,
) -> Row:
    """A time against the time of its yardstick: at most `required` times that."""
    seconds, bare = times
    ratio = seconds / bare
    ok = meets(ratio, required, "max")
    return Row(name, n, seconds, yardstick=yardstick, ratio=ratio, required=required, ok=ok, note=note)


def size_row(name: str, n: Mapping[str, int], size: float, unit: str, required: float | None = None) -> Row:
    """A size, at most `required`."""
    return Row(name, n, value=size, unit=unit, required=required, ok=meets(size, required, "max"))


def unjudged(row: Row, note: str) -> Row:
    """The row of a figure that cannot be had here, and why."""
    return Row(row.name, row.n, yardstick=row.yardstick, required=row.required, sense=row.sense, note=note)
