"""Measure whether times hang on secrets: `python -m timing [SAMPLES] [--only WORDS] [--json]`, and `make timing`.

Ends with 1 where something leaks that must not, or where a control does not say what is known of it: then nothing can
be said of the others either.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final

from timing.dudect import LEAKS, Operation, Verdict, measure
from timing.operations import operations

#: Calls of each operation. A difference of a tenth of the spread of the times shows as |t| = 11 with 50,000 of them.
SAMPLES: Final = 50_000
#: On a machine where others work a |t| above the limit can be theirs: it must be there again, with as many samples.
TRIES: Final = 2


def judged(operation: Operation, samples: int) -> Verdict:
    """What is seen, and seen again, before it is believed."""
    samples = max(2, samples // operation.rare)
    found = measure(operation, samples)
    for attempt in range(1, TRIES):
        if found.leaks == operation.control or not operation.promised:
            break
        found = measure(operation, samples, seed=bytes([attempt]) * 32)
    return found


def wrong(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What is not as it should be."""
    return [one for one in verdicts if one.promised and one.leaks != one.control]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="timing", description="Whether times hang on secrets.")
    parser.add_argument("samples", type=int, nargs="?", default=SAMPLES)
    parser.add_argument("--only", default="", help="operations whose names have this in them")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    verdicts: list[Verdict] = []
    for operation in operations():
        if asked.only in operation.name:
            verdicts.append(judged(operation, asked.samples))
            print(verdicts[-1].line, file=sys.stderr if asked.json else sys.stdout, flush=True)
    failed = wrong(verdicts)
    if asked.json:
        print(json.dumps({"limit": LEAKS, "verdicts": [asdict(one) for one in verdicts]}, indent=2))
    else:
        print(f"{len(verdicts)} operations; not as they should be: {', '.join(one.name for one in failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
