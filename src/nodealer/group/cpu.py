"""The features of the processor that matter to the native core."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: The features that the arithmetic can use, by their names in Linux.
_USEFUL: Final = ("adx", "bmi2", "avx2", "avx512ifma", "avx512vl", "sha_ni", "asimd", "sha3")


def cpu_features() -> list[str]:
    """Return the processor's features that matter to the core, or an empty list if the system does not report them."""
    flags = set((cpuinfo("flags") or cpuinfo("Features") or "").split())
    return [name for name in _USEFUL if name in flags]


def cpuinfo(key: str) -> str | None:
    """Return the first value of a key in /proc/cpuinfo, or None if there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == key), None)
