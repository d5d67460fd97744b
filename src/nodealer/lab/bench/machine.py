"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

import nodealer
from nodealer.group import default_backend
from nodealer.lab.bench.timing import native_core

#: What the arithmetic can make use of, as Linux names it.
_USEFUL: Final = ("adx", "bmi2", "avx2", "avx512ifma", "avx512vl", "sha_ni", "asimd", "sha3")


def describe_machine() -> dict[str, Any]:
    """The machine of a benchmark, and the day."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cpu": cpu_name(),
        "kind": cpu_kind(),
        "features": cpu_features(),
        "processors": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "nodealer": nodealer.__version__,
        "backend": default_backend(),
        "quick": bool(os.environ.get("NODEALER_BENCH_QUICK")),
    }


def cpu_name() -> str:
    """The processor as its maker calls it, where the system says."""
    return _cpuinfo("model name") or platform.processor() or platform.machine()


@cache
def cpu_kind() -> str:
    """Which code the native core runs here: avx2, avx512 or serial; "none" without a core."""
    if default_backend() != "native":
        return "none"
    kind: str = native_core().CODE
    return kind


def cpu_features() -> list[str]:
    """The processor's features that matter here; empty where the system does not say."""
    flags = set((_cpuinfo("flags") or _cpuinfo("Features") or "").split())
    return [name for name in _USEFUL if name in flags]


def _cpuinfo(key: str) -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == key), None)
