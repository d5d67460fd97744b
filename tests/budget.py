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

# CPU seconds of `make test`. Whoever adds tests that cost more changes the line, and says why.
BUDGET: Final = {
    "tests": 30,
    "audit": 20,
}
TOTAL: Final = 400
# The most that the whole suite may ever cost.
LIMIT: Final = 1150

HERE: Final = Path(__file__).parent
SETTING_UP: Final = "(start)"


def used() -> float:
    """CPU seconds of this process and of all that it has started and waited for."""
    return sum(os.times()[:4])


def folder(path: Path) -> str:
    """The first folder below `tests`, or `tests` itself."""
    inside = path.relative_to(HERE).parts if path.is_relative_to(HERE) else ()
    return inside[0] if len(inside) > 1 else HERE.name


class Meter:
    """Adds up what tests cost. Each worker has one, and hands it over when it is done."""

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
        self.cpu[SETTING_UP] += used() - sum(self.cpu.values())
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["cpu"] = dict(self.cpu)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for name, seconds in getattr(node, "workeroutput", {}).get("cpu", {}).items():
            self.cpu[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        pass


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter())
