"""Interleaved rounds: the work, its yardsticks, the work again, and so on.

The shortest times of the quiet rounds count.

Other load on the machine only ever adds time. Work on one thread is measured by that thread's own time, so waiting for
a processor does not count. What remains of other load is a colder cache and a slower clock, and these affect both sides
alike. The chosen rounds are the third in which the *yardsticks* were fastest, whatever the work did.
"""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter, thread_time
from types import ModuleType
from typing import TypeVar

from nodealer.errors import BackendMissing

T = TypeVar("T")
#: Runs once and returns how long that took.
Timed = Callable[[], float]
#: Returns seconds since an arbitrary moment.
Clock = Callable[[], float]


@dataclass(frozen=True)
class BenchEffort:
    """The number and the length of measurements."""

    pairs: int = 15
    #: Short work is repeated beyond `pairs` until `seconds` have passed, but at most `most` times.
    seconds: float = 0.4
    most: int = 200
    #: Long work is repeated only `few` times if that takes `enough` seconds, because it is steadier than short work.
    few: int = 5
    enough: float = 5.0
    #: Sizes are divided by this, to test whether a benchmark runs at all.
    shrink: int = 1

    @staticmethod
    def from_environment() -> BenchEffort:
        """Return the usual effort, or a tiny one for tests, whose figures mean nothing."""
        if os.environ.get("NODEALER_BENCH_QUICK"):
            return BenchEffort(pairs=2, seconds=0.0, shrink=13)
        return BenchEffort()

    def size(self, full: int) -> int:
        """Return a size of the benchmark, scaled down in a tiny run."""
        return max(2, full // self.shrink)


@dataclass(frozen=True)
class Measurement:
    """The shortest times of the quiet rounds, and the variation of the yardsticks in them."""

    work: float
    yardsticks: tuple[float, ...]
    #: The slowest quiet round of a yardstick relative to its fastest, minus one; the largest of all yardsticks.
    spread: float


def measure(effort: BenchEffort, work: Timed, *yardsticks: Timed) -> Measurement:
    """Run the work and its yardsticks in turn. Return the best times."""
    rounds = [_round(work, yardsticks)]  # this one warms up, and counts like any other
    spent = 0.0
    gc.collect()
    gc.disable()
    try:
        for count in range(effort.most):
            if count >= effort.pairs and spent >= effort.seconds:
                break
            if count >= effort.few and spent >= effort.enough:
                break
            rounds.append(_round(work, yardsticks))
            spent += sum(rounds[-1])
    finally:
        gc.enable()
    return _best_of_quiet_third(rounds)


def _round(work: Timed, yardsticks: tuple[Timed, ...]) -> tuple[float, ...]:
    """Run the work and each yardstick once. Return their times in this order."""
    return work(), *(yardstick() for yardstick in yardsticks)


def _best_of_quiet_third(rounds: list[tuple[float, ...]]) -> Measurement:
    """Return the shortest times in the quietest third of the rounds.

    How quiet a round was is judged by the yardsticks alone, each relative to its own shortest time.
    """
    shortest = [min(times) for times in zip(*(times[1:] for times in rounds), strict=True)]

    def noise(times: tuple[float, ...]) -> float:
        """Return how far the yardsticks of a round were above their shortest times. A busy machine slows them down."""
        return math.fsum(time / least for time, least in zip(times[1:], shortest, strict=True))

    quiet = sorted(rounds, key=noise)[: -(-len(rounds) // 3)]
    work, *bare = (list(times) for times in zip(*quiet, strict=True))
    spread = max(max(times) / min(times) - 1 for times in bare)
    return Measurement(min(work), tuple(min(times) for times in bare), spread)


def interleaved(effort: BenchEffort, work: Timed, yardstick: Timed) -> tuple[float, float]:
    """Measure work against one yardstick. Return the time of the work and that of the yardstick."""
    found = measure(effort, work, yardstick)
    return found.work, found.yardsticks[0]


def timed(work: Callable[[], object], clock: Clock = perf_counter) -> Timed:
    """Return a timer of `work`: a function that runs it once and returns the seconds."""
    return timed_fresh(lambda: None, lambda _: work(), clock)


def timed_on_thread(work: Callable[[], object]) -> Timed:
    """Return a timer of `work` on one thread, by that thread's own time."""
    return timed(work, thread_time)


def timed_fresh(prepare: Callable[[], T], work: Callable[[T], object], clock: Clock = perf_counter) -> Timed:
    """Return a timer of `work` on an input that is prepared for every run before the clock starts."""

    def run() -> float:
        """Prepare an input, and return the seconds of the work on it alone."""
        given = prepare()
        start = clock()
        work(given)
        return clock() - start

    return run


def native_core() -> ModuleType:
    """Return the native core. Raise `BackendMissing` if there is none."""
    core: ModuleType = import_module("nodealer.group.native").load()
    return core


def bare(kind: str, n: int, threads: int = 1) -> Timed:
    """Return a timer of the plain dalek loop over `n` elements, measured in Rust.

    One thread is measured by its own time, several by wall time.
    """
    core = native_core()
    if not hasattr(core, "yardstick"):
        raise BackendMissing("this native core has no yardsticks: build it with `make build`")

    def run() -> float:
        """Run the Rust loop once and return its seconds."""
        seconds: float = core.yardstick(kind, n, threads, 1)
        return seconds

    return run


@contextmanager
def using_threads(count: int) -> Iterator[ModuleType]:
    """Set the number of threads per call within the block. Yield the native core."""
    core = native_core()
    before = core.threads()
    core.set_threads(count)
    try:
        yield core
    finally:
        core.set_threads(before)
