"""A row of a benchmark: what was measured, against what, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from nodealer_lab.bench.machine import cpu_kind
from nodealer_lab.bench.rounds import Measurement

#: The kind of processor that ratios to bare loops are required on. Their code differs from kind to kind, and not by one
#: factor.
REQUIRED_ON: Final = "avx2"
#: Where the yardsticks themselves move by more than this in the quiet rounds nothing is judged.
RESTLESS: Final = 0.1


@dataclass(frozen=True)
class BenchRow:
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
    #: How much the yardsticks moved while this was measured.
    spread: float | None = None
    #: Which code the arithmetic ran: avx2, avx512 or serial.
    cpu: str = field(default_factory=cpu_kind)


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
) -> BenchRow:
    """A time against the time of its yardstick: at most `required` times that."""
    seconds, bare = times
    ratio = seconds / bare
    ok = meets(ratio, required, "max")
    return BenchRow(name, n, seconds, yardstick=yardstick, ratio=ratio, required=required, ok=ok, note=note)


def bare_row(
    name: str, n: Mapping[str, int], found: Measurement, yardstick: str, required: float | None, at: int
) -> BenchRow:
    """A time against one of the bare loops that it was measured with. Judged where that can be done."""
    row = time_row(name, n, (found.work, found.yardsticks[at]), yardstick, required)
    row = replace(row, spread=found.spread)
    if required is not None and row.cpu != REQUIRED_ON:
        return replace(row, ok=None, note=f"required on {REQUIRED_ON} only")
    if required is not None and found.spread > RESTLESS:
        return replace(row, ok=None, note="the yardsticks are restless: measure again")
    return row


def size_row(name: str, n: Mapping[str, int], size: float, unit: str, required: float | None = None) -> BenchRow:
    """A size, at most `required`."""
    return BenchRow(name, n, value=size, unit=unit, required=required, ok=meets(size, required, "max"))


def unjudged(row: BenchRow, note: str) -> BenchRow:
    """The row of a figure that cannot be had here, and why."""
    return BenchRow(row.name, row.n, yardstick=row.yardstick, required=row.required, sense=row.sense, note=note)
