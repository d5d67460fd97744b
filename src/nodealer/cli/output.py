"""Where words go: results to standard output, everything else to standard error."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
from rich.console import Console


def out() -> Console:
    """For results that people read."""
    return Console(highlight=False)


def err() -> Console:
    """For everything else: progress, warnings, errors."""
    return Console(stderr=True, highlight=False)


def print_json(document: Any) -> None:
    """The one document of a `--json` command."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")
