"""One target under atheris: `python -m fuzz.one TARGET SECONDS [options of libFuzzer]`. Started by `fuzz`."""

from __future__ import annotations

import sys
import time

import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

BEGAN = time.monotonic()
#: At least so many seconds are left for it, however long the modules took.
LEAST = 5

with atheris.instrument_imports(include=["nodealer"]):
    from fuzz.targets import TARGETS

target = TARGETS[sys.argv[1]]
target.run(target.corpus[0])
left = max(LEAST, round(float(sys.argv[2]) - (time.monotonic() - BEGAN)))
atheris.Setup([sys.argv[0], f"-max_total_time={left}", *sys.argv[3:]], target.run)
atheris.Fuzz()
