"""Which features of the processor matter to the native core."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: What the arithmetic can make use of, as Linux names it.
_USEFUL: Final = ("adx", "bmi2", "avx2", "avx512ifma", "avx512vl", "sha_ni", "asimd", "sha3")


def cpu_features() -> list[str]:
    """The processor's features that matter here; empty where the system does not say."""
    flags = set((cpuinfo("flags") or cpuinfo("Features") or "").split())
    return [name for name in _USEFUL if name in flags]


def cpuinfo(key: str) -> str | None:
    """Return the first value of a key in /proc/cpuinfo; None where there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == key), None)
