"""What the suite costs: CPU seconds by folder, with all that the tests start and wait for, against a budget.

Time on the clock depends on who else is at work on the machine, so it decides nothing. Nor does this: of a folder that
costs more than it should we hear loudly, and no test fails for it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from sampling import DEEP

#: What starting workers and collecting tests costs.
STARTING: Final = "(start)"
#: CPU seconds of `make test` by folder. Whoever adds tests that cost more changes the line, and says why.
BUDGET: Final = {
    "audit": 14,
    # With a table across the network, gone on with in four processes.
    "baseline": 20,
    # With tables across the network, a process for each player, and one that keeps the time; somebody who comes while
    # they play, and one who is taken out.
    "cli": 203,
    "parity": 3,
    # With seats that leave, on every protocol whose decks go on.
    "conformance": 95,
    # With clients that play whole games, a timekeeper at its table, and bots in processes that are killed.
    "client": 36,
    # With the bots, which play hundreds of hands, and with what leaving them costs, step by step.
    "games": 32,
    "golden": 7,
    "group": 22,
    # More than sixty broken games.
    "gamecheck": 4,
    # The tests of lab/: benches, 200 simulated games, and every attack twice.
    "lab": 96,
    "log": 2,
    "npm": 25,
    # With participants that a hostile seat and random frames are let loose on, and that hear every game again;
    # and with seats that are killed in the middle of a hand, on every protocol.
    # With dice and envelopes, everything tampered with and everybody killed.
    "engine": 60,
    # With what is proven of hidden cards, and a second program for it.
    "proofs": 50,
    # With cards that go from hand to hand, and every capability on every protocol.
    "protocols": 140,
    # 300 mutants and games by chance, judged by two programs in two languages.
    "verifier": 40,
    # With NATS servers, one of them as a cluster whose leader is killed, and a relay that lies to whole games.
    # With a browser, and a seat inside it. Nobody waits for the processes of a browser, so this does not see them: of
    # the 75 that tests/web/tab costs with them, 40.
    "web": 127,
    "relay": 24,
    # With a game over sockets, whose player crashes: two processes; and the tutorial's, played by bots in processes.
    "tests": 40,
    # On two workers, of which each collects everything.
    STARTING: 45,
}
#: The budgets may never add up to more.
LIMIT: Final = 1150

HERE: Final = Path(__file__).parent
LAB: Final = HERE.parent / "lab" / "tests"


def used() -> float:
    """CPU seconds of this process and of all that it has started and waited for."""
    return sum(os.times()[:4])


def folder(path: Path) -> str:
    """The first folder below `tests`, or `tests` itself; `lab` for the tests of the lab."""
    if path.is_relative_to(LAB):
        return "lab"
    inside = path.relative_to(HERE).parts
    return inside[0] if len(inside) > 1 else HERE.name


class Meter:
    """Adds up what tests cost. Each worker has one, and hands over what it says."""

    def __init__(self) -> None:
        self.cpu: defaultdict[str, float] = defaultdict(float)
        self.has_workers = False

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
        self.has_workers = True
        for name, seconds in getattr(node, "workeroutput", {}).get("cpu", {}).items():
            self.cpu[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.cpu and not DEEP:
            # Of a process with workers, only what it did itself: they have spoken for themselves.
            self.cpu[STARTING] += sum(os.times()[:2]) if self.has_workers else used() - sum(self.cpu.values())
            terminalreporter.section("CPU seconds, and the budget")
            for line in table(self.cpu):
                terminalreporter.line(line)
            if over := too_dear(self.cpu):
                terminalreporter.line(f"OVER THE BUDGET: {', '.join(over)} (tests/budget.py)", red=True, bold=True)


def table(cpu: Mapping[str, float]) -> list[str]:
    """A line for each folder, the dearest first, and one for all."""
    rows = [(seconds, BUDGET.get(name, 0), name) for name, seconds in sorted(cpu.items(), key=lambda one: -one[1])]
    rows.append((sum(cpu.values()), sum(BUDGET.values()), f"in all, and never more than {LIMIT:,}"))
    return [f"{seconds:8.1f} {budget:6}  {name}" for seconds, budget, name in rows]


def too_dear(cpu: Mapping[str, float]) -> list[str]:
    """What costs more than it should."""
    over = [name for name, seconds in cpu.items() if seconds > BUDGET.get(name, 0)]
    return [*over, "the whole suite"] if sum(cpu.values()) > sum(BUDGET.values()) else over


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter())
