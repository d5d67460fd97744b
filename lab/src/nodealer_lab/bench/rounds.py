"""Interleaved rounds: the work, its yardsticks, the work again, …; the shortest times of the quiet rounds count.

What else runs on the machine only ever adds time. Work on one thread is measured by the time that this thread was
given, so that waiting for a processor does not count; what is left of a neighbour is a colder cache and a slower clock,
and hits both sides alike. The third of the rounds in which the *yardsticks* were fastest is chosen, whatever the work
did.
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

T = TypeVar("T")
#: Runs once and says how long that took.
Timed = Callable[[], float]
#: Seconds since any moment.
Clock = Callable[[], float]


@dataclass(frozen=True)
class BenchEffort:
    """How long to measure."""

    pairs: int = 15
    #: Short work is repeated beyond `pairs`, for so many seconds or so many pairs.
    seconds: float = 0.4
    most: int = 200
    #: Long work is repeated no more than this once so many seconds are spent: it is steadier than short work.
    few: int = 5
    enough: float = 5.0
    #: Sizes are divided by this: for trying whether a benchmark runs at all.
    shrink: int = 1

    @staticmethod
    def from_environment() -> BenchEffort:
        """The usual one, or a tiny one for the tests, whose figures mean nothing."""
        if os.environ.get("NODEALER_BENCH_QUICK"):
            return BenchEffort(pairs=2, seconds=0.0, shrink=13)
        return BenchEffort()

    def size(self, full: int) -> int:
        """A size of the benchmark."""
        return max(2, full // self.shrink)


@dataclass(frozen=True)
class Measurement:
    """The shortest times of the quiet rounds, and how much the yardsticks moved in those."""

    work: float
    yardsticks: tuple[float, ...]
    #: The slowest quiet round of a yardstick against its fastest, less one: the larger one of all yardsticks.
    spread: float


def measured(effort: BenchEffort, work: Timed, *yardsticks: Timed) -> Measurement:
    """The work and its yardsticks, run in turn."""
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
    return _in_the_quiet_third(rounds)


def _round(work: Timed, yardsticks: tuple[Timed, ...]) -> tuple[float, ...]:
    return work(), *(yardstick() for yardstick in yardsticks)


def _in_the_quiet_third(rounds: list[tuple[float, ...]]) -> Measurement:
    """Chosen by the yardsticks alone, each against its own shortest time."""
    shortest = [min(times) for times in zip(*(times[1:] for times in rounds), strict=True)]

    def noise(times: tuple[float, ...]) -> float:
        return math.fsum(time / least for time, least in zip(times[1:], shortest, strict=True))

    quiet = sorted(rounds, key=noise)[: -(-len(rounds) // 3)]
    work, *bare = (list(times) for times in zip(*quiet, strict=True))
    spread = max(max(times) / min(times) - 1 for times in bare)
    return Measurement(min(work), tuple(min(times) for times in bare), spread)


def interleaved(effort: BenchEffort, work: Timed, yardstick: Timed) -> tuple[float, float]:
    """The same for one yardstick: the two times."""
    found = measured(effort, work, yardstick)
    return found.work, found.yardsticks[0]


def timed(work: Callable[[], object], clock: Clock = perf_counter) -> Timed:
    """`work`, with a clock around it."""
    return timed_fresh(lambda: None, lambda _: work(), clock)


def timed_on_thread(work: Callable[[], object]) -> Timed:
    """`work` that runs on one thread, by the time that this thread was given."""
    return timed(work, thread_time)


def timed_fresh(prepare: Callable[[], T], work: Callable[[T], object], clock: Clock = perf_counter) -> Timed:
    """`work` on something that is made anew, before the clock starts, for every run."""

    def run() -> float:
        given = prepare()
        start = clock()
        work(given)
        return clock() - start

    return run


def native_core() -> ModuleType:
    """The native core. Raises `BackendMissing` where there is none: what needs it cannot be measured without."""
    core: ModuleType = import_module("nodealer.group.native").load()
    return core


def bare(kind: str, n: int, threads: int = 1) -> Timed:
    """The plain loop on dalek over `n` elements, timed in Rust: one thread by its own time, several on the wall."""
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
