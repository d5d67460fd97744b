"""What the simulated games say together: how often each kind of fault struck in all of them.

They run as several tests, on several workers. A kind that struck too rarely fails the run at its end.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from nodealer_lab.sim.runs import GAMES, fault_table, too_rare

#: The property under which a test hands over what struck in its games.
STRUCK = "struck"


#: Where `make deep` has the seed of its games, a new one each time.
SEED = "NODEALER_SIM_SEED"


def seed_of_the_run() -> str:
    """Other games with every commit, and the same ones for everybody who has it, unless another seed is wanted."""
    if named := os.environ.get(SEED):
        return named
    try:
        asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        said = ""
    return said or "nodealer"


class Tally:
    """Adds up what the games of all workers say."""

    def __init__(self) -> None:
        self.struck: Counter[str] = Counter()
        self.games = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for name, said in report.user_properties:
                if name == STRUCK and isinstance(said, dict):
                    self.struck.update(said)
                    self.games += said["games"]

    @property
    def rare(self) -> list[str]:
        """Of fewer games than there should be, nothing can be said."""
        return too_rare(self.struck, self.games) if self.games >= GAMES else []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.rare:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.games:
            terminalreporter.section("simulated games")
            terminalreporter.line(f"once more: nodealer lab sim {seed_of_the_run()} --games {self.games}")
            for line in fault_table(self.struck, self.games):
                terminalreporter.line(line)
            if self.rare:
                terminalreporter.line(f"TOO RARE: {', '.join(self.rare)} (lab/sim)", red=True, bold=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Tally())
