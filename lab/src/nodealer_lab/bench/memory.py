"""The peak memory of a proven and verified shuffle, measured in a separate process."""

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


def measure_peaks(kind: str, sizes: Sequence[int], runs: int) -> list[int] | None:
    """Return for each deck size the smallest peak memory of several processes, in bytes.

    Return None if the system does not report peaks.

    The smallest, as with times: processes differ by more than a tenth, and what an allocator holds back only ever adds.
    One process for each processor runs at a time, large decks first. Peaks do not depend on how long a process takes.
    """
    if _own_peak() is None:
        return None
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        running = {
            cards: [pool.submit(_peak_in_process, kind, cards) for _ in range(runs)]
            for cards in sorted(sizes, reverse=True)
        }
        return [min(one.result() for one in running[cards]) for cards in sizes]


def _peak_in_process(kind: str, cards: int) -> int:
    """Return the peak memory, in bytes, of a new process that shuffles and verifies one deck of this kind and size."""
    code = f"from nodealer_lab.bench.memory import print_peak; print_peak({kind!r}, {cards})"
    return int(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)


def _own_peak() -> int | None:
    """Return the peak memory of this process in bytes, or None if the system does not report it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def print_peak(name: str, cards: int) -> None:
    """Print the peak memory of this process after a shuffle. `measure_peaks` runs it in a separate process.

    It imports the whole program first, because what Python keeps from that is reused. Otherwise peaks vary by as much
    as two thousand cards.
    """
    load_all()
    kind = next(kind for kind in shuffles.KINDS if kind.name == name)
    before = shuffles.start(group(backend="native"), kind, cards)
    shuffles.verify(kind.shuffle(before, Tape(bytes(32))))
    print(_own_peak())
