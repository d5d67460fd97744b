"""Which lines no test reaches, by module: `make coverage`, or `make coverage FOLDERS="log relay/test_permissions.py"`.

Processes that tests start or fork are counted too; a browser's and the Rust core's lines are not. A module of which no
function is ever entered is named at the end, and makes the command fail: test it, or delete it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parents[1]
TESTS: Final = HERE / "tests"
LAB: Final = HERE / "lab" / "tests"
BUILD: Final = HERE / "build" / "coverage"
#: What docs/internals/trials.md is written from, where all tests ran.
KEPT: Final = HERE / "build" / "trials" / "coverage.json"
#: What no line is counted of, and why that does not mean that no test reaches it.
ELSEWHERE: Final = {
    "src/nodealer/web/tab/worker.py": "a browser's Python runs it",
    "src/nodealer/web/tab/table.py": "a browser's Python runs it",
    "src/nodealer/web/tab/practice.py": "a browser's Python runs it",
    "lab/src/nodealer_lab/bench/memory.py": "`make deep` measures it, by lab/tests/test_bench_command.py",
    "lab/src/nodealer_lab/bench/rekeys.py": "`make deep` measures it, by lab/tests/test_bench_command.py",
    "lab/src/nodealer_lab/bench/servers.py": "its process is killed, by lab/tests/test_relay.py",
    "lab/src/nodealer_lab/bench/tab/chromium.py": "`make deep` measures it, by tests/web/tab/test_bench.py",
    "lab/src/nodealer_lab/bench/tab/hands.py": "`make deep` measures it, by tests/web/tab/test_bench.py",
}


@dataclass(frozen=True)
class Module:
    """What tests reach of one file."""

    name: str
    lines: int
    reached: int
    functions: int
    entered: int

    @property
    def share(self) -> float:
        return 100 * self.reached / self.lines if self.lines else 100.0

    @property
    def untouched(self) -> bool:
        """Whether nothing in it ever ran but what importing runs."""
        return self.functions > 0 and self.entered == 0 and self.name not in ELSEWHERE


def modules(report: Mapping[str, Any]) -> Iterator[Module]:
    """From what `coverage json` says."""
    for name, file in sorted(report["files"].items()):
        every = (one["summary"] for function, one in file.get("functions", {}).items() if function)
        # What only says how a function is called has no line that could be reached.
        named = [one for one in every if one["num_statements"]]
        entered = sum(1 for one in named if one["covered_lines"])
        summary = file["summary"]
        yield Module(name, summary["num_statements"], summary["covered_lines"], len(named), entered)


def table(found: Sequence[Module]) -> Iterator[str]:
    """The least reached first, then all together, then those that nothing enters."""
    for one in sorted(found, key=lambda one: one.share):
        yield f"{one.share:6.1f} %  {one.lines - one.reached:5} of {one.lines:5} lines missed  {one.name}"
    lines, reached = sum(one.lines for one in found), sum(one.reached for one in found)
    yield f"{100 * reached / max(1, lines):6.1f} % of {lines:,} lines in {len(found)} modules"
    untouched = [one.name for one in found if one.untouched]
    yield f"modules of which no test enters a function: {', '.join(untouched) or 'none'}"
    yield from (f"not counted: {name}: {why}" for name, why in ELSEWHERE.items())


def places(folders: Sequence[str]) -> list[str]:
    """Where the tests of these folders and files are, with or without `tests/` before them; `lab` are those of the lab.
    Raises `ValueError` where there are none: pytest would run nothing, and no module would seem to be reached."""
    found = [LAB if folder in ("lab", "lab/tests") else TESTS / folder.removeprefix("tests/") for folder in folders]
    if missing := [folder for folder, place in zip(folders, found, strict=True) if not place.exists()]:
        raise ValueError(f"there are no tests in {', '.join(missing)}: FOLDERS names folders and files of tests/")
    return [str(place) for place in found]


def run(*command: str) -> int:
    """Coverage, with its data below build/."""
    BUILD.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"COVERAGE_FILE": str(BUILD / "data")}
    return subprocess.run(
        [sys.executable, "-m", "coverage", *command], cwd=HERE, env=environment, check=False
    ).returncode


def main(folders: Sequence[str]) -> int:
    try:
        where = places(folders)
    except ValueError as error:
        print(error)
        return 2
    run("erase")
    tests = run("run", "-m", "pytest", "-n", "auto", "--dist", "worksteal", "--timeout", "600", *where)
    run("combine", "--quiet")
    # Tests also run copies of the package, in folders that are gone by now: what those reach is not counted.
    run("json", "--quiet", "--include", "src/*,lab/src/*", "-o", str(BUILD / "report.json"))
    found = list(modules(json.loads((BUILD / "report.json").read_text())))
    print(*table(found), sep="\n")
    # Of a part of the tests nothing follows for modules that others reach.
    if folders:
        return tests
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps({"modules": [asdict(one) for one in found]}))
    return tests or int(any(one.untouched for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
