"""How much memory a proven and verified shuffle takes at its peak, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from nodealer.group import group
from nodealer.lab.bench import shuffles
from nodealer.tape import Tape


def peak_of(kind: str, cards: int) -> int | None:
    """By how many bytes the peak grows over that of a tiny shuffle; None where the system does not say."""
    if _peak() is None:
        return None
    command = [sys.executable, "-m", "nodealer.lab.bench.memory", kind, str(cards)]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _peak() -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def _shuffle(kind: shuffles.Kind, cards: int) -> None:
    before = shuffles.start(group(backend="native"), kind, cards)
    shuffles.verify(kind, kind.shuffle(before, Tape(bytes(32))))


def _main() -> None:
    name, cards = sys.argv[1:]
    kind = next(kind for kind in shuffles.KINDS if kind.name == name)
    _shuffle(kind, 8)
    before = _peak() or 0
    _shuffle(kind, int(cards))
    print((_peak() or 0) - before)


if __name__ == "__main__":
    _main()
