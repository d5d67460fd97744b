"""`bench web`: what the folder of a tab weighs, how soon a seat in it is ready, what a hand costs it, and its memory.

In Node, on the runtime of the folder that `make web` has built; the yardsticks are the unmodified npm package, and the
same seat on the same frames natively, on one thread.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from nodealer.errors import BadParameter
from nodealer.lab.bench.rows import Row, meets, size_row, unjudged
from nodealer.lab.bench.timing import Effort

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[4]
BUNDLE: Final = ROOT / "dist" / "web"
BARE: Final = ROOT / "build" / "web" / "npm" / "node_modules" / "pyodide"
DOWNLOAD_MAX, READY_MAX, HAND_MAX, MEMORY_MAX = 7_000_000, 1.0, 6.0, 80e6
#: Runs of each, and hands until the memory is looked at.
STARTS, HANDS = 5, 50


def run(effort: Effort) -> Iterator[Row]:
    """All rows. Raises `BadParameter` where no folder is built."""
    if not (BUNDLE / "bundle.json").is_file() or not BARE.is_dir():
        raise BadParameter("there is no folder for a tab: `make web` builds it")
    yield size_row(
        "download, compressed", {}, sum(path.stat().st_size for path in BUNDLE.rglob("*.br")), "bytes", DOWNLOAD_MAX
    )
    starts, hands = effort.size(STARTS), effort.size(HANDS)
    pairs = [(_cpu("start.mjs", str(BUNDLE)), _cpu("start.mjs", str(BARE), "bare")) for _ in range(starts)]
    ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    yield _judged(effort, "CPU to a seat that is ready", {}, ours, bare, "loadPyodide of the npm package", READY_MAX)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _native("record", folder, hands)
        native, tab = _native("replay", folder, hands), _in_node(folder, hands)
    medians = (statistics.median(tab["hands"]), statistics.median(native["hands"]))
    yield _judged(effort, "CPU of a seat for a hand", {"seats": 6}, *medians, "the same natively, one thread", HAND_MAX)
    row = size_row("WebAssembly memory of a seat", {"hands": hands}, tab["memory"], "bytes", MEMORY_MAX)
    yield row if effort.shrink == 1 else unjudged(row, "too few hands")


def _judged(effort: Effort, name: str, n: dict[str, int], seconds: float, bare: float, what: str, most: float) -> Row:
    row = Row(name, n, seconds, yardstick=what, ratio=seconds / bare, required=most)
    return replace(row, ok=meets(seconds / bare, most, "max") if effort.shrink == 1 else None)


def _cpu(script: str, *arguments: str) -> float:
    """CPU seconds of a run in Node."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _node(script, arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def _node(script: str, arguments: Sequence[str]) -> str:
    command = ["node", str(HERE / script), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        raise BadParameter("a tab is measured in Node, which is not here") from None
    if done.returncode != 0:
        raise BadParameter(f"Node failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def _native(what: str, folder: Path, hands: int) -> dict[str, Any]:
    environment = {**os.environ, "NODEALER_THREADS": "1"}
    command = [sys.executable, str(HERE / "hands.py"), what, str(folder), str(hands)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadParameter(f"the hands could not be played: {done.stderr.strip()[-300:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _in_node(folder: Path, hands: int) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_node("start.mjs", [str(BUNDLE), "hands", str(HERE), str(folder), str(hands)]))
    return told
