"""Whether a call takes other times for other secrets: two classes of inputs, and Welch's t between their times.

After Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?". The two classes come in a random order, each
call gets an input object of its own (or one class would lie in the cache and the other would not), and the slowest
times, in which the machine did something else, are cropped at several percentiles; the largest |t| counts. No |t| shows
that a call is constant: it says what this many measurements on this machine could have seen.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any, Final

from nodealer.tape import Tape

#: Above this the times of the two classes differ beyond doubt. By chance |t| passes 10 about once in 10^23; the margin
#: is for machines on which others work.
LEAKS: Final = 10.0
#: The shares of the times that are kept, from the quickest on.
KEPT: Final = (1.0, 0.99, 0.95, 0.9, 0.75, 0.5)

Secret = bytes
Prepare = Callable[[Secret], Any]


@dataclass(frozen=True)
class Operation:
    """Something that is done with a secret: `prepare` makes the input of a call, which is not timed, and `run` is."""

    name: str
    prepare: Prepare
    run: Callable[[Any], object]
    #: The secrets of the two classes: a fixed one, and one drawn for each call.
    fixed: Secret
    drawn: Callable[[Tape, int], Secret]
    #: What it is expected to be: only a control is expected to leak.
    control: bool = False
    #: Whether it must not leak: what is not promised is measured, and told.
    promised: bool = True
    #: One call is made of this for so many of the others: for what takes long.
    rare: int = 1


@dataclass(frozen=True)
class Verdict:
    """What was seen."""

    name: str
    samples: int
    t: float
    #: The share of the times in which `t` is.
    kept: float
    #: The quickest half's means, in nanoseconds: of the fixed secret, and of drawn ones.
    fixed: float
    drawn: float
    control: bool
    promised: bool = True

    @property
    def leaks(self) -> bool:
        return abs(self.t) > LEAKS

    @property
    def line(self) -> str:
        said = "LEAKS" if self.leaks else "not seen to leak"
        times = f"{self.fixed:12,.0f} ns fixed {self.drawn:12,.0f} ns drawn"
        return f"{self.name:44} {self.samples:9,} samples  |t| {abs(self.t):8.1f} {times}  {said}"


def welch(one: Sequence[float], two: Sequence[float]) -> float:
    """Welch's t; 0 where nothing can be said."""
    if len(one) < 2 or len(two) < 2:
        return 0.0
    (a, va), (b, vb) = _moments(one), _moments(two)
    error = va / len(one) + vb / len(two)
    return (a - b) / math.sqrt(error) if error else 0.0


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def largest(one: Sequence[float], two: Sequence[float]) -> tuple[float, float]:
    """The t of the largest size over all crops, and which share was kept. The bound is that of both together."""
    ordered = sorted([*one, *two])
    found = (0.0, 1.0)
    for kept in KEPT:
        bound = ordered[max(0, math.ceil(len(ordered) * kept) - 1)]
        t = welch([value for value in one if value <= bound], [value for value in two if value <= bound])
        found = max(found, (t, kept), key=lambda pair: abs(pair[0]))
    return found


def measure(operation: Operation, samples: int, *, seed: bytes = bytes(32), batch: int = 500) -> Verdict:
    """Time it `samples` times, in batches whose inputs are prepared before."""
    tape = Tape(seed)
    times: tuple[list[float], list[float]] = ([], [])
    done = 0
    while done < samples:
        count = min(batch, samples - done)
        classes = [byte & 1 for byte in tape.draw("classes", operation.name.encode(), size=count, index=done)]
        secrets = [operation.drawn(tape, done + at) for at in range(count)]
        inputs = [
            operation.prepare(bytes(bytearray(secrets[at] if one else operation.fixed)))
            for at, one in enumerate(classes)
        ]
        for one, took in zip(classes, _timed(operation.run, inputs), strict=True):
            times[one].append(took)
        done += count
    t, kept = largest(*times)
    halves = [sorted(part)[: (len(part) + 1) // 2] for part in times]
    means = [math.fsum(half) / len(half) if half else 0.0 for half in halves]
    return Verdict(operation.name, samples, t, kept, means[0], means[1], operation.control, operation.promised)


def _timed(run: Callable[[Any], object], inputs: Sequence[Any]) -> list[int]:
    """How long each call took."""
    clock = perf_counter_ns
    took = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        for one in inputs:
            before = clock()
            run(one)
            took.append(clock() - before)
    finally:
        if collecting:
            gc.enable()
    return took
