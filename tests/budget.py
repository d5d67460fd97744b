"""What the suite costs: CPU seconds by folder, with all that the tests start and wait for, against a budget.

Time on the clock depends on who else is at work on the machine, so it decides nothing. Nor does this: of a folder that
costs more than it should we hear loudly, and no test fails for it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from sampling import DEEP

#: What starting workers and collecting tests costs.
STARTING: Final = "(start)"
#: CPU seconds of `make test` by folder. Whoever adds tests that cost more changes the line, and says why.
BUDGET: Final = {
    "audit": 3,
    "cli": 85,
    "conformance": 80,
    "games": 12,
    "golden": 3,
    "group": 22,
    "lab": 9,
    "log": 2,
    "npm": 22,
    "play": 12,
    "proofs": 38,
    "protocols": 85,
    "relay": 2,
    "tests": 10,
    STARTING: 15,
}
#: No table of budgets may ever add up to more.
LIMIT: Final = 1150

HERE: Final = Path(__file__).parent


def used() -> float:
    """CPU seconds of this process and of all that it has started and waited for."""
    return sum(os.times()[:4])


def folder(path: Path) -> str:
    """The first folder below `tests`, or `tests` itself."""
    inside = path.relative_to(HERE).parts
    return inside[0] if len(inside) > 1 else HERE.name


class Meter:
    """Adds up what tests cost. Each worker has one, and hands over what it says."""

    def __init__(self) -> None:
        self.cpu: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = used()
        try:
            return (yield)
        finally:
            self.cpu[folder(item.path)] += used() - before

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            self.cpu[STARTING] = used() - sum(self.cpu.values())
            output["cpu"] = dict(self.cpu)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for name, seconds in getattr(node, "workeroutput", {}).get("cpu", {}).items():
            self.cpu[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.cpu or DEEP:
            return
        terminalreporter.section("CPU seconds, and the budget")
        for name, seconds in sorted(self.cpu.items(), key=lambda part: -part[1]):
            terminalreporter.line(f"{seconds:8.1f} {BUDGET.get(name, 0):6}  {name}", **_loud(seconds, name))
        total, limit = sum(self.cpu.values()), sum(BUDGET.values())
        terminalreporter.line(f"{total:8.1f} {limit:6}  in all")
        over = [name for name, seconds in self.cpu.items() if seconds > BUDGET.get(name, 0)]
        over += ["the whole suite"] if total > limit else []
        if over:
            terminalreporter.line(f"OVER THE BUDGET: {', '.join(over)} (tests/budget.py)", red=True, bold=True)


def _loud(seconds: float, name: str) -> dict[str, bool]:
    return {"red": seconds > BUDGET.get(name, 0)}


def pytest_configure(config: pytest.Config) -> None:
    assert sum(BUDGET.values()) <= LIMIT
    config.pluginmanager.register(Meter())
