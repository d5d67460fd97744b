"""Benchmarks: one module for each suite, with a `run` function from an effort to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final

from nodealer_lab.bench.machine import describe_machine
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow

__all__ = ["SUITES", "BenchEffort", "BenchRow", "describe_machine"]

Suite = Callable[[BenchEffort], Iterator[BenchRow]]


def _lazy_suite(module: str) -> Suite:
    """Return a suite that imports its module when it runs, so that measuring one suite does not load all others."""

    def run(effort: BenchEffort) -> Iterator[BenchRow]:
        """Import the module of the suite on the first call, and run it."""
        suite: Suite = import_module(f"{__name__}.{module}").run
        return suite(effort)

    return run


#: The suites by name, with their modules.
MODULES: Final = {
    **{name: name for name in ("core", "proofs", "cards", "log", "hand", "tables", "game", "npm", "seat", "recovery")},
    **{"relay": "relay", "page": "page", "web": "tab"},
}
SUITES: Final[dict[str, Suite]] = {name: _lazy_suite(module) for name, module in MODULES.items()}


def load_all() -> None:
    """Import every suite, so that the process contains the whole program."""
    for module in MODULES.values():
        import_module(f"{__name__}.{module}")
