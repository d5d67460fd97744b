"""The figures of fuzzing and timing in docs/trials.md, from what `make fuzz` and `make timing` leave in build/trials.

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
PAGE: Final = ROOT / "docs" / "trials.md"
MEASURED: Final = ROOT / "build" / "trials"


def fuzzed(said: Mapping[str, Any]) -> Iterator[str]:
    """A line for each target."""
    yield "| target | by | executions | a second |"
    yield "|---|---|---:|---:|"
    for run in said["runs"]:
        rate = run["executions"] / run["seconds"] if run["seconds"] else 0
        yield f"| {run['target']} | {run['by']} | {run['executions']:,} | {rate:,.0f} |"
    yield f"| all | | {said['executions']:,} | |"


def timed(said: Mapping[str, Any]) -> Iterator[str]:
    """A line for each operation."""
    yield "| operation | calls | largest \\|t\\| | fixed | drawn |"
    yield "|---|---:|---:|---:|---:|"
    for one in said["verdicts"]:
        times = (f"{one[kind] / 1000:,.2f} µs" for kind in ("fixed", "drawn"))
        yield f"| {one['name']} | {one['samples']:,} | {abs(one['t']):.1f} | {' | '.join(times)} |"


TABLES: Final = {"fuzz": fuzzed, "timing": timed}


def written(page: str, name: str, said: Mapping[str, Any]) -> str:
    """The page with one table written again. Raises `ValueError` where it has no place for it."""
    begin, end = f"<!-- {name}: written by tests/trials.py -->", f"<!-- end of {name} -->"
    table = "\n".join((begin, *TABLES[name](said), end))
    page, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: table, page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"docs/trials.md has {count} places for {name}")
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
