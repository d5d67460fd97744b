"""Write the figures in docs/internals/trials.md from what `make fuzz`, `make timing` and `make coverage` leave in
build/trials.

python trials.py               updates the page; a table without new measurements stays as it was
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "internals" / "trials.md"
MEASURED: Final = ROOT / "build" / "trials"


#: How many of the least covered modules are listed.
LEAST: Final = 15


def fuzzed(said: Mapping[str, Any]) -> Iterator[str]:
    """Yield the total time and a row for each target."""
    seconds = [run["seconds"] for run in said["runs"]]
    yield f"\n{len(seconds)} targets, each for {min(seconds):,.0f} to {max(seconds):,.0f} seconds of wall-clock time,"
    yield f"{sum(seconds) / 60:,.0f} minutes in all; seed {said['seed']}.\n"
    yield "| target | fuzzer | executions | per second |"
    yield "|---|---|---:|---:|"
    for run in said["runs"]:
        rate = run["executions"] / run["seconds"] if run["seconds"] else 0
        yield f"| {run['target']} | {run['by']} | {run['executions']:,} | {rate:,.0f} |"
    yield f"| all | | {said['executions']:,} | |"


def timed(said: Mapping[str, Any]) -> Iterator[str]:
    """Yield the promised operation with the largest |t| and a row for each operation."""
    promised = [one for one in said["verdicts"] if one["promised"] and not one["control"]]
    most = max(promised, key=lambda one: abs(one["t"]))
    apart = abs(most["fixed"] - most["drawn"])
    yield f"\nThe largest |t| of a promised operation is {abs(most['t']):.1f} ({most['name']}): a difference of"
    yield f"{apart:,.1f} ns in {most['fixed']:,.0f} ns. The limit is {said['limit']:.0f}.\n"
    yield "| operation | calls | largest \\|t\\| | fixed | drawn |"
    yield "|---|---:|---:|---:|---:|"
    for one in said["verdicts"]:
        times = (f"{one[kind] / 1000:,.2f} µs" for kind in ("fixed", "drawn"))
        yield f"| {one['name']} | {one['samples']:,} | {abs(one['t']):.1f} | {' | '.join(times)} |"


def covered(said: Mapping[str, Any]) -> Iterator[str]:
    """Yield the total and the least covered modules."""
    modules = [one for one in said["modules"] if one["lines"]]
    lines, reached = sum(one["lines"] for one in modules), sum(one["reached"] for one in modules)
    share = 100 * reached / lines
    yield f"\nTests reach {share:.1f} % of {lines:,} lines in {len(modules)} modules. The least covered:\n"
    yield "| module | lines | covered |"
    yield "|---|---:|---:|"
    for one in sorted(modules, key=lambda one: (one["reached"] / one["lines"], one["name"]))[:LEAST]:
        yield f"| {one['name']} | {one['lines']:,} | {100 * one['reached'] / one['lines']:.0f} % |"


TABLES: Final = {"fuzz": fuzzed, "timing": timed, "coverage": covered}


def written(page: str, name: str, said: Mapping[str, Any]) -> str:
    """Return the page with one table replaced. Raise `ValueError` unless its markers are there exactly once."""
    begin, end = f"<!-- {name}: written by tests/trials.py -->", f"<!-- end of {name} -->"
    table = "\n".join((begin, *TABLES[name](said), end))
    page, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: table, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"docs/internals/trials.md has {count} places for {name}")
    return page


def main() -> int:
    page = PAGE.read_text()
    for name in TABLES:
        path = MEASURED / f"{name}.json"
        if path.is_file():
            page = written(page, name, json.loads(path.read_text()))
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
