"""A description of the machine that figures were measured on."""

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
    """Describe the machine and the day of a benchmark."""
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
    """Return the processor's model name, if the system knows it."""
    return cpuinfo("model name") or platform.processor() or platform.machine()


@cache
def cpu_kind() -> str:
    """Return which code the native core runs here: avx2, avx512 or serial, or "none" without a core."""
    if default_backend() != "native":
        return "none"
    kind: str = native_core().CODE
    return kind
