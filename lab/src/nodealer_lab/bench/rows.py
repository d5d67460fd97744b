"""A row of a benchmark: what was measured, against what, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from nodealer_lab.bench.machine import cpu_kind
from nodealer_lab.bench.rounds import Measurement

#: The processor kind for which ratios to bare loops have limits. The code differs between kinds, and not by one factor.
REQUIRED_ON: Final = "avx2"
#: If the yardsticks themselves vary by more than this in the quiet rounds, nothing is judged.
RESTLESS: Final = 0.1


@dataclass(frozen=True)
class BenchRow:
    """One figure. `ok` is None if there is no limit or the figure could not be judged; `note` then says why."""

    name: str
    #: The size parameters by name.
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
    #: How much the yardsticks varied during the measurement.
    spread: float | None = None
    #: Which code the arithmetic ran: avx2, avx512 or serial.
    cpu: str = field(default_factory=cpu_kind)


def meets(figure: float, required: float | None, sense: Literal["max", "min"]) -> bool | None:
    """Return whether a figure meets its limit, or None if there is none."""
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
) -> BenchRow:
    """Return the row of a time, at most `required` times that of its yardstick."""
    seconds, bare = times
    ratio = seconds / bare
    ok = meets(ratio, required, "max")
    return BenchRow(name, n, seconds, yardstick=yardstick, ratio=ratio, required=required, ok=ok, note=note)


def bare_row(
    name: str, n: Mapping[str, int], found: Measurement, yardstick: str, required: float | None, at: int
) -> BenchRow:
    """Return the row of a time relative to one of the bare loops it was measured with, judged if possible."""
    row = time_row(name, n, (found.work, found.yardsticks[at]), yardstick, required)
    row = replace(row, spread=found.spread)
    if required is not None and row.cpu != REQUIRED_ON:
        return replace(row, ok=None, note=f"required on {REQUIRED_ON} only")
    if required is not None and found.spread > RESTLESS:
        return replace(row, ok=None, note="the yardsticks are restless: measure again")
    return row


def size_row(name: str, n: Mapping[str, int], size: float, unit: str, required: float | None = None) -> BenchRow:
    """Return the row of a size, at most `required`."""
    return BenchRow(name, n, value=size, unit=unit, required=required, ok=meets(size, required, "max"))


def unjudged(row: BenchRow, note: str) -> BenchRow:
    """Return the row without a figure, with a note that says why it is unavailable."""
    return BenchRow(row.name, row.n, yardstick=row.yardstick, required=row.required, sense=row.sense, note=note)
