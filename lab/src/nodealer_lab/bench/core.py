"""`bench core`: the arrays, called from Python, against plain loops on curve25519-dalek."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from nodealer.group import Group, Points, Scalars, concat, group, hash_to_points
from nodealer_lab.bench.rounds import BenchEffort, Timed, bare, interleaved, timed, timed_fresh, using_threads
from nodealer_lab.bench.rows import BenchRow, meets, size_row, time_row, unjudged

SIZES: Final = (52, 500, 5000)
REFERENCE_SIZE: Final = 52
#: The highest allowed ratio to the bare loop, on one thread.
OVERHEAD: Final = 1.10
#: The lowest allowed fraction of the speed of two bare threads.
PARALLEL: Final = 0.85
POINT_BYTES: Final = 200
POINTS_WEIGHED: Final = 200_000


@dataclass(frozen=True)
class Inputs:
    """Scalars and points of one size, and the points' bytes, on one backend."""

    group: Group
    scalars: Scalars
    points: Points
    encoded: bytes

    @staticmethod
    def make(group: Group, n: int) -> Inputs:
        """Create full-sized values, the same on both backends."""
        wide = b"".join(index.to_bytes(4, "little") * (group.wide_size // 4) for index in range(1, n + 1))
        scalars = group.wide_scalars(wide).cumprod()
        points = scalars * group.G
        return Inputs(group, scalars, points, points.to_bytes())

    def fresh_points(self) -> Points:
        """Return points that have not been encoded yet, because an array may cache its encoding."""
        return self.points + self.group.G


#: Our name, the name of the yardstick, and how to run it.
MEASURED: Final[tuple[tuple[str, str, Callable[[Inputs], Timed]], ...]] = (
    ("fixed base", "fixed_base", lambda i: timed(lambda: i.scalars * i.group.G)),
    ("elementwise", "variable_base", lambda i: timed(lambda: i.scalars * i.points)),
    ("msm", "msm", lambda i: timed(lambda: i.group.msm(i.scalars, i.points))),
    ("vartime_msm", "vartime_msm", lambda i: timed(lambda: i.group.vartime_msm(i.scalars, i.points))),
    ("decode", "decode", lambda i: timed(lambda: i.group.points(i.encoded))),
    ("encode", "encode", lambda i: timed_fresh(i.fresh_points, lambda points: points.to_bytes())),
)

#: The other array operations, which are only compared with the reference backend.
OTHERS: Final[tuple[tuple[str, Callable[[Inputs], Timed]], ...]] = (
    ("add points", lambda i: timed(lambda: i.points + i.points)),
    ("negate points", lambda i: timed(lambda: -i.points)),
    ("sum points", lambda i: timed(i.points.sum)),
    ("compare points", lambda i: timed(lambda: i.points == i.points)),
    ("take points", lambda i: timed(lambda: i.points.take(range(len(i.points))))),
    ("join points", lambda i: timed(lambda: concat(i.points, i.points))),
    ("table for a point", lambda i: timed(lambda: i.points[0].tabled())),
    ("hash to points", lambda i: timed(lambda: hash_to_points(i.group, b"bench", [bytes(2)] * len(i.points)))),
    ("add scalars", lambda i: timed(lambda: i.scalars + i.scalars)),
    ("multiply scalars", lambda i: timed(lambda: i.scalars * i.scalars)),
    ("dot product", lambda i: timed(lambda: i.scalars.dot(i.scalars))),
    ("powers", lambda i: timed(lambda: i.scalars[0].powers(len(i.scalars)))),
    ("running product", lambda i: timed(i.scalars.cumprod)),
    ("invert scalars", lambda i: timed(i.scalars.invert)),
    ("wide scalars", lambda i: timed(lambda: i.group.wide_scalars(bytes(len(i.scalars) * i.group.wide_size)))),
    ("decode scalars", lambda i: timed_fresh(i.scalars.to_bytes, i.group.scalars)),
    ("encode scalars", lambda i: timed(i.scalars.to_bytes)),
)


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows. Raise `BackendMissing` without the native core."""
    native = group(backend="native")
    for size in SIZES:
        inputs = Inputs.make(native, effort.size(size))
        yield from _overhead_rows(effort, inputs)
    yield from _parallel_rows(effort, inputs)
    yield from _reference_rows(effort)
    yield _memory_row(native, effort)


def _overhead_rows(effort: BenchEffort, inputs: Inputs) -> Iterator[BenchRow]:
    """Compare each array operation of the Rust core with a plain loop over the same operation, on one thread."""
    n = len(inputs.points)
    with using_threads(1):
        for name, kind, work in MEASURED:
            times = interleaved(effort, work(inputs), bare(kind, n))
            yield time_row(name, {"n": n}, times, "dalek loop", OVERHEAD)


def _parallel_rows(effort: BenchEffort, inputs: Inputs) -> Iterator[BenchRow]:
    """Compare each array operation on two threads with two plain loops that run side by side."""
    n = len(inputs.points)
    with using_threads(2):
        for name, kind, work in MEASURED:
            row = BenchRow(name, {"n": n, "threads": 2}, yardstick="two bare threads", required=PARALLEL, sense="min")
            if (os.cpu_count() or 1) < 2:
                yield unjudged(row, "needs two processors")
                continue
            seconds, loop = interleaved(effort, work(inputs), bare(kind, n, 2))
            speed = loop / seconds
            ok = meets(speed, PARALLEL, "min")
            yield BenchRow(row.name, row.n, seconds, None, None, row.yardstick, speed, PARALLEL, "min", ok)


def _reference_rows(effort: BenchEffort) -> Iterator[BenchRow]:
    """Measure how many times faster the core is than Python.

    The size is small because Python is slow. There is no limit.
    """
    n = effort.size(REFERENCE_SIZE)
    native, reference = (Inputs.make(group(backend=backend), n) for backend in ("native", "reference"))
    operations = (*((name, work) for name, _, work in MEASURED), *OTHERS)
    with using_threads(1):
        for name, work in operations:
            seconds, slow = interleaved(effort, work(native), work(reference))
            yield BenchRow(
                name,
                {"n": n},
                seconds,
                value=slow / seconds,
                unit="× faster",
                yardstick="reference",
                ratio=seconds / slow,
            )


def _memory_row(native: Group, effort: BenchEffort) -> BenchRow:
    """Measure the memory of an array of points that was encoded, and so caches everything it may.

    The array reports its own size. The size of the process varies by more than that as buffers of megabytes come and
    go.
    """
    n = effort.size(POINTS_WEIGHED)
    points = native.identity(n) + native.G
    points.to_bytes()
    return size_row(
        "memory of an array that was encoded", {"points": n}, sys.getsizeof(points) / n, "bytes a point", POINT_BYTES
    )
