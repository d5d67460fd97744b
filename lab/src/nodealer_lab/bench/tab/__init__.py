"""`bench web`: the browser tab's bundle: download size, start-up time, cost of a hand, and memory.

It runs in Node, and in Chromium if available, on the bundle that `make web` has built. The yardsticks are the
unmodified npm package, and the same seat on the same frames natively, on one thread.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from nodealer.errors import BadParameter
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow, meets, size_row, unjudged
from nodealer_lab.browser import launch_browser

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[4]
BUNDLE: Final = ROOT / "dist" / "web"
LIST: Final = BUNDLE / "bundle.json"
BARE: Final = ROOT / "build" / "web" / "npm" / "node_modules" / "pyodide"
DOWNLOAD_MAX, READY_MAX, HAND_MAX, MEMORY_MAX = 7_000_000, 1.0, 6.0, 80e6
#: Runs of each, and hands until memory is measured.
STARTS, HANDS = 5, 50


READY, HAND, MEMORY = "CPU to a seat that is ready", "CPU of a seat for a hand", "WebAssembly memory of a seat"
BARE_START, NATIVELY = "loadPyodide of the npm package", "the same natively, one thread"
SLOW: Final = "time of a seat for a hand, four times slower"
SIX: Final = {"seats": 6}


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows. Raise `BadParameter` if no bundle is built."""
    if not LIST.is_file() or not BARE.is_dir():
        raise BadParameter("there is no folder for a tab; build it with `make web`")
    yield size_row(
        "download, compressed", {}, sum(path.stat().st_size for path in BUNDLE.rglob("*.br")), "bytes", DOWNLOAD_MAX
    )
    starts, hands = effort.size(STARTS), effort.size(HANDS)
    pairs = [(_cpu("start.mjs", str(BUNDLE)), _cpu("start.mjs", str(BARE), "bare")) for _ in range(starts)]
    yield _time_row(effort, READY, {}, *_medians(pairs), BARE_START, READY_MAX)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _native("record", folder, str(hands))
        native = statistics.median(_native("replay", folder)["hands"])
        with _InNode(folder) as tab:
            yield _time_row(effort, HAND, SIX, statistics.median(tab.hands), native, NATIVELY, HAND_MAX)
            rows = list(_in_chromium(effort, folder, native, tab.others()))
            yield _memory_row(effort, MEMORY, hands, tab.memory())
        yield from rows


def _in_chromium(
    effort: BenchEffort, folder: Path, native: float, beside: AbstractContextManager[object]
) -> Iterator[BenchRow]:
    """Yield the same rows for Chromium, and one on a slower processor.

    `beside` is entered while nothing is timed. Without a browser, the rows are unjudged.
    """
    from nodealer_lab.bench.tab import chromium  # imported late: only these rows need a browser

    starts, hands = effort.size(STARTS), effort.size(HANDS)
    ready, hand, memory = (f"{name}, in Chromium" for name in (READY, HAND, MEMORY))
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(launch_browser())
        except BadParameter as missing:
            rows = (BenchRow(ready, {}, required=READY_MAX), BenchRow(hand, SIX, required=HAND_MAX))
            for row in (*rows, BenchRow(memory, {"hands": hands}, required=MEMORY_MAX), BenchRow(SLOW, SIX)):
                yield unjudged(row, str(missing))
            return
        address = stack.enter_context(chromium.serve_files(BUNDLE, BARE, folder))
        pairs = [
            (
                chromium.start(browser, address, "static/tab/worker.js"),
                chromium.start(browser, address, "bench/bare.mjs"),
            )
            for _ in range(starts)
        ]
        yield _time_row(effort, ready, {}, *_medians(pairs), BARE_START, READY_MAX)
        cost = chromium.replay_hands(browser, address, BUNDLE, hands, beside)
    yield _time_row(effort, hand, SIX, statistics.median(cost.hands), native, NATIVELY, HAND_MAX)
    yield _memory_row(effort, memory, hands, cost.memory)
    usual, slower = cost.control
    note = f"control loop in the worker: {usual * 1e3:.2g} ms, and then {slower * 1e3:.2g} ms"
    yield BenchRow(SLOW, SIX, cost.slow, note=note)


def _medians(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the median of the first numbers of all pairs, and that of the second."""
    ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours, bare


def _memory_row(effort: BenchEffort, name: str, hands: int, size: int) -> BenchRow:
    """Return a row with the memory of a tab. It is not judged if a quick run played fewer hands."""
    row = size_row(name, {"hands": hands}, size, "bytes", MEMORY_MAX)
    return row if effort.shrink == 1 else unjudged(row, "too few hands")


def _time_row(
    effort: BenchEffort, name: str, n: dict[str, int], seconds: float, bare: float, what: str, most: float
) -> BenchRow:
    """Return a row with a time and its ratio to the yardstick `bare`. It is not judged in a quick run."""
    row = BenchRow(name, n, seconds, yardstick=what, ratio=seconds / bare, required=most)
    return replace(row, ok=meets(seconds / bare, most, "max") if effort.shrink == 1 else None)


def _cpu(script: str, *arguments: str) -> float:
    """Return the CPU seconds of a run in Node."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _node(script, arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def _node(script: str, arguments: Sequence[str]) -> str:
    """Run a script of this folder in Node and return what it prints. Raise `BadParameter` if it fails."""
    command = ["node", str(HERE / script), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        raise BadParameter("measuring a tab needs Node, which is not installed") from None
    if done.returncode != 0:
        raise BadParameter(f"Node failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def _native(what: str, folder: Path, *more: str) -> dict[str, Any]:
    """Run `hands.py` in a new Python process on one thread, and return the JSON document that it prints.

    Raise `BadParameter` if it fails.
    """
    environment = {**os.environ, "NODEALER_THREADS": "1"}
    command = [sys.executable, str(HERE / "hands.py"), what, str(folder), *more]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadParameter(f"the hands could not be played: {done.stderr.strip()[-300:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


class _InNode:
    """One seat in Node that replays the hands.

    The first ones are timed and run alone. The others are only needed for the memory, and run while Chromium replays
    its untimed ones.
    """

    def __init__(self, folder: Path) -> None:
        """Start Node with the program of a tab and the recorded hands in this folder."""
        command = ["node", str(HERE / "start.mjs"), str(BUNDLE), "hands", str(HERE), str(folder)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._memory: int | None = None
        self.hands: list[float] = []

    def __enter__(self) -> Self:
        """Wait until Node has replayed the timed hands, and read the time of each."""
        said = self._process.stdout.readline() if self._process.stdout else ""
        if not said:
            self._final_output()
        self.hands = json.loads(said)["hands"]
        return self

    def __exit__(self, *exception: object) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.communicate()

    @contextmanager
    def others(self) -> Iterator[None]:
        """Replay all other hands while the context lasts."""
        if self._process.stdin:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        yield
        self._memory = json.loads(self._final_output())["memory"]

    def memory(self) -> int:
        """Return the bytes of memory after the last hand."""
        if self._memory is None:
            with self.others():
                pass
        return self._memory or 0

    def _final_output(self) -> str:
        """Wait for the end of the process and return what it printed. Raise `BadParameter` if it failed."""
        said, wrong = self._process.communicate()
        if self._process.returncode != 0:
            raise BadParameter(f"Node failed: {wrong.strip()[-300:]}")
        return said
