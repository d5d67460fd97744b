"""Which backends there are to test."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

HAS_NATIVE: Final = find_spec("nodealer.group._core") is not None
FASTEST: Final = "native" if HAS_NATIVE else "reference"
