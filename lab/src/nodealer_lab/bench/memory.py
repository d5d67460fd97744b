"""How much memory a proven and verified shuffle takes at its peak, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nodealer.group import group
from nodealer.tape import Tape
from nodealer_lab.bench import load_all, shuffles


def peaks_of(kind: str, sizes: Sequence[int], runs: int) -> list[int] | None:
    """The smallest peak of so many whole processes for each size of deck, in bytes; None where the system does not say.

    The smallest, as with times: one process differs from the next by more than a tenth, and what an allocator keeps
    back only ever adds. One for each processor runs at a time, large ones first: no peak hangs on how long it takes.
    """
    if _peak() is None:
        return None
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        running = {
            cards: [pool.submit(_run, kind, cards) for _ in range(runs)] for cards in sorted(sizes, reverse=True)
        }
        return [min(one.result() for one in running[cards]) for cards in sizes]


def _run(kind: str, cards: int) -> int:
    code = f"from nodealer_lab.bench.memory import print_peak; print_peak({kind!r}, {cards})"
    return int(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)


def _peak() -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def print_peak(name: str, cards: int) -> None:
    """What `peaks_of` runs in a process of its own. All else is loaded too: what Python has left over from that is
    taken first, and without it peaks move by as much as two thousand cards."""
    load_all()
    kind = next(kind for kind in shuffles.KINDS if kind.name == name)
    before = shuffles.start(group(backend="native"), kind, cards)
    shuffles.verify(kind.shuffle(before, Tape(bytes(32))))
    print(_peak())
