"""Interleaved pairs: the work, its yardstick, the work again, …; the shortest time of each counts.

What else runs on the machine only ever adds time, and hits both sides alike: so the ratio of the minima is stable where
averages are not.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")
#: Runs once and says how long that took.
Timed = Callable[[], float]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    pairs: int = 15
    #: Short work is repeated beyond `pairs`, for so many seconds or so many pairs.
    seconds: float = 0.4
    most: int = 200
    #: Sizes are divided by this: for trying whether a benchmark runs at all.
    shrink: int = 1

    @staticmethod
    def from_environment() -> Effort:
        """The usual one, or a tiny one for the tests, whose figures mean nothing."""
        if os.environ.get("NODEALER_BENCH_QUICK"):
            return Effort(pairs=2, seconds=0.0, shrink=13)
        return Effort()

    def size(self, full: int) -> int:
        """A size of the benchmark."""
        return max(2, full // self.shrink)


def interleaved(effort: Effort, work: Timed, yardstick: Timed) -> tuple[float, float]:
    """The shortest time of each of the two, run in turn."""
    best_work, best_yardstick = work(), yardstick()  # these warm up, and count like any other
    spent = 0.0
    gc.collect()
    gc.disable()
    try:
        for pair in range(effort.most):
            if pair >= effort.pairs and spent >= effort.seconds:
                break
            one, other = work(), yardstick()
            best_work, best_yardstick = min(best_work, one), min(best_yardstick, other)
            spent += one + other
    finally:
        gc.enable()
    return best_work, best_yardstick


def timed(work: Callable[[], object]) -> Timed:
    """`work`, with a clock around it."""

    def run() -> float:
        start = perf_counter()
        work()
        return perf_counter() - start

    return run


def timed_fresh(prepare: Callable[[], T], work: Callable[[T], object]) -> Timed:
    """`work` on something that is made anew, before the clock starts, for every run."""

    def run() -> float:
        given = prepare()
        start = perf_counter()
        work(given)
        return perf_counter() - start

    return run


def native_core() -> ModuleType:
    """The native core. Raises `BackendMissing` where there is none: what needs it cannot be measured without."""
    core: ModuleType = import_module("nodealer.group.native").load()
    return core


def bare(kind: str, n: int, threads: int = 1) -> Timed:
    """The plain loop on dalek over `n` elements, timed in Rust."""
    core = native_core()

    def run() -> float:
        seconds: float = core.yardstick(kind, n, threads, 1)
        return seconds

    return run


@contextmanager
def using_threads(count: int) -> Iterator[ModuleType]:
    """The native core, with so many threads a call."""
    core = native_core()
    before = core.threads()
    core.set_threads(count)
    try:
        yield core
    finally:
        core.set_threads(before)
