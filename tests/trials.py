"""The figures in docs/internals/trials.md, from what `make fuzz`, `make timing` and `make coverage` leave in
build/trials.

python trials.py               writes the page again; what was not measured stays as it was
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


#: How many of the modules that tests reach least are named.
LEAST: Final = 15


def fuzzed(said: Mapping[str, Any]) -> Iterator[str]:
    """How long it was, and a line for each target."""
    seconds = [run["seconds"] for run in said["runs"]]
    yield f"\n{len(seconds)} targets, each for {min(seconds):,.0f} to {max(seconds):,.0f} seconds of the clock,"
    yield f"{sum(seconds) / 60:,.0f} minutes of one processor together; seed {said['seed']}.\n"
    yield "| target | by | executions | a second |"
    yield "|---|---|---:|---:|"
    for run in said["runs"]:
        rate = run["executions"] / run["seconds"] if run["seconds"] else 0
        yield f"| {run['target']} | {run['by']} | {run['executions']:,} | {rate:,.0f} |"
    yield f"| all | | {said['executions']:,} | |"


def timed(said: Mapping[str, Any]) -> Iterator[str]:
    """What shows most of all that is promised, and a line for each operation."""
    promised = [one for one in said["verdicts"] if one["promised"] and not one["control"]]
    most = max(promised, key=lambda one: abs(one["t"]))
    apart = abs(most["fixed"] - most["drawn"])
    yield f"\nThe largest |t| of what is promised is {abs(most['t']):.1f}, of {most['name']}: a difference of"
    yield f"{apart:,.1f} ns in {most['fixed']:,.0f}. The limit is {said['limit']:.0f}.\n"
    yield "| operation | calls | largest \\|t\\| | fixed | drawn |"
    yield "|---|---:|---:|---:|---:|"
    for one in said["verdicts"]:
        times = (f"{one[kind] / 1000:,.2f} µs" for kind in ("fixed", "drawn"))
        yield f"| {one['name']} | {one['samples']:,} | {abs(one['t']):.1f} | {' | '.join(times)} |"


def covered(said: Mapping[str, Any]) -> Iterator[str]:
    """All together, and the modules that tests reach least."""
    modules = [one for one in said["modules"] if one["lines"]]
    lines, reached = sum(one["lines"] for one in modules), sum(one["reached"] for one in modules)
    yield f"\nTests reach {100 * reached / lines:.1f} % of {lines:,} lines in {len(modules)} modules. Least of:\n"
    yield "| module | lines | reached |"
    yield "|---|---:|---:|"
    for one in sorted(modules, key=lambda one: (one["reached"] / one["lines"], one["name"]))[:LEAST]:
        yield f"| {one['name']} | {one['lines']:,} | {100 * one['reached'] / one['lines']:.0f} % |"


TABLES: Final = {"fuzz": fuzzed, "timing": timed, "coverage": covered}


def written(page: str, name: str, said: Mapping[str, Any]) -> str:
    """The page with one table written again. Raises `ValueError` where it has no place for it."""
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
