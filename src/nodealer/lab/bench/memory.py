"""How much memory a proven and verified shuffle takes at its peak, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nodealer.group import group
from nodealer.lab.bench import shuffles
from nodealer.tape import Tape


def peak_of(kind: str, cards: int, runs: int) -> int | None:
    """The smallest peak of so many whole processes, in bytes; None where the system does not say.

    The smallest, as with times: one process differs from the next by more than a tenth, and what an allocator keeps
    back only ever adds. One for each processor runs at a time: no peak hangs on how long it takes.
    """
    if _peak() is None:
        return None
    code = f"from nodealer.lab.bench.memory import print_peak; print_peak({kind!r}, {cards})"
    command = [sys.executable, "-c", code]
    peaks, at_once = list[int](), os.cpu_count() or 1
    while len(peaks) < runs:
        count = min(at_once, runs - len(peaks))
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(count)]
        for process in processes:
            said, _ = process.communicate()
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, command)
            peaks.append(int(said))
    return min(peaks)


def _peak() -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def print_peak(name: str, cards: int) -> None:
    """What `peak_of` runs in a process of its own."""
    kind = next(kind for kind in shuffles.KINDS if kind.name == name)
    before = shuffles.start(group(backend="native"), kind, cards)
    shuffles.verify(kind.shuffle(before, Tape(bytes(32))))
    print(_peak())
