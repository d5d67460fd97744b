"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import time
from functools import cache
from typing import Any

import nodealer
from nodealer.group import default_backend
from nodealer.group.cpu import cpu_features, cpuinfo
from nodealer_lab.bench.rounds import native_core


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
    return cpuinfo("model name") or platform.processor() or platform.machine()


@cache
def cpu_kind() -> str:
    """Which code the native core runs here: avx2, avx512 or serial; "none" without a core."""
    if default_backend() != "native":
        return "none"
    kind: str = native_core().CODE
    return kind
