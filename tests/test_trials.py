"""The scripts that write and print what was tried: docs/internals/trials.md, and the table of `make coverage`."""

from __future__ import annotations

import pytest

from coverage_table import LAB, TESTS, main, modules, places, table
from trials import PAGE, ROOT, written

FUZZED = {"seed": "7", "executions": 30, "runs": [{"target": "json", "by": "plain", "executions": 30, "seconds": 2.0}]}
PRODUCT = {"name": "a product", "samples": 1000, "t": -1.25, "fixed": 1500.0, "drawn": 1510.0}
CONTROL = PRODUCT | {"name": "a control", "t": 800.0}
TIMED = {
    "limit": 10.0,
    "verdicts": [CONTROL | {"promised": True, "control": True}, PRODUCT | {"promised": True, "control": False}],
}
COVERED = {"modules": [{"name": "a.py", "lines": 20, "reached": 5}, {"name": "b.py", "lines": 2000, "reached": 2000}]}


def all_written(page: str) -> str:
    for name, said in (("fuzz", FUZZED), ("timing", TIMED), ("coverage", COVERED)):
        page = written(page, name, said)
    return page


def test_the_page_has_a_place_for_each_table() -> None:
    page = all_written(PAGE.read_text())
    assert "| json | plain | 30 | 15 |" in page and "| a product | 1,000 | 1.2 | 1.50 µs | 1.51 µs |" in page
    # A control is known to leak and promises nothing.
    assert "promised operation is 1.2 (a product): a difference of\n10.0 ns in 1,500 ns. The limit is 10." in page
    assert "99.3 % of 2,020 lines in 2 modules" in page and "| a.py | 20 | 25 % |\n| b.py" in page
    assert all_written(page) == page


def test_a_page_without_one_is_refused() -> None:
    with pytest.raises(ValueError, match="0 places for fuzz"):
        written("# Nothing", "fuzz", FUZZED)


def test_the_page_has_its_figures_and_its_plot() -> None:
    page = PAGE.read_text()
    assert "| all | |" in page and "| control: a hash |" in page and "lines in" in page
    plot = (ROOT / "docs" / "internals" / "uniformity.svg").read_text()
    assert "uniformity.svg" in page and "prefers-color-scheme:dark" in plot and "once in a million" in plot


def counted(lines: int, reached: int, statements: int = 4, **functions: int) -> dict[str, object]:
    entered = {
        name: {"summary": {"num_statements": statements, "covered_lines": count}} for name, count in functions.items()
    }
    return {"summary": {"num_statements": lines, "covered_lines": reached}, "functions": entered}


def test_what_no_test_enters_is_named() -> None:
    """Importing a module reaches its definitions, and enters nothing. What only declares functions has nothing to
    enter."""
    report = {"files": {"a.py": counted(10, 9, f=3, g=0), "b.py": counted(10, 4, f=0), "c.py": counted(2, 2)}}
    found = list(modules(report))
    assert [one.untouched for one in found] == [False, True, False]
    assert not next(modules({"files": {"api.py": counted(10, 10, statements=0, f=0)}})).untouched
    *rows, total, untouched = (line for line in table(found) if not line.startswith("not counted"))
    assert "b.py" in rows[0] and "68.2 % of 22 lines in 3 modules" in total and untouched.endswith(": b.py")


def test_folders_are_those_of_the_tests(capsys: pytest.CaptureFixture[str]) -> None:
    assert places(["tests/gamecheck", "lab", "log/test_entry.py"]) == [
        str(TESTS / "gamecheck"),
        str(LAB),
        str(TESTS / "log" / "test_entry.py"),
    ]
    assert places([]) == []
    # The documents are beside the tests, and have none.
    assert main(["log", "docs", "nowhere"]) == 2
    assert "there are no tests in docs, nowhere" in capsys.readouterr().out
