"""What is left out of a comparison with a recording: prose, and values that differ from run to run.

Everything else counts: keys, their order, numbers, names of events, cards and players.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final

#: The keys of `play --json` and `verify --json` whose values are prose.
PROSE: Final = frozenset({"text", "outcome", "proofs", "not_proven", "reason"})
#: The keys of page documents whose values are prose, besides those above.
PAGE_PROSE: Final = PROSE | {
    *("note", "rules", "claims", "warning"),
    *("owes", "prompt", "help", "lines", "doing", "checks", "means"),
    *("called", "parting"),
}
#: The keys whose values depend on the machine, the moment or the version.
VOLATILE: Final = frozenset({"seconds", "log", "program", "took", "at", "waited", "left"})

MASK: Final = "..."


def masked(value: Any, prose: Collection[str]) -> Any:
    """Return a JSON value with everything masked that does not count."""
    if isinstance(value, dict):
        return {key: _masked_at(key, one, prose) for key, one in value.items()}
    return [masked(one, prose) for one in value] if isinstance(value, list) else value


def _masked_at(key: str, value: Any, prose: Collection[str]) -> Any:
    # Numbers are not prose ("proofs" is also a count), and null says that there is none.
    if key in VOLATILE or (key in prose and isinstance(value, str | list | dict)):
        return MASK
    if key == "steps":
        # Who works on the cards: seat, kind of step, and the same in words.
        return [[*step[:-1], MASK] for step in value]
    return masked(value, prose)


def lines_of(documents: Iterable[Any], prose: Collection[str] = PROSE) -> list[str]:
    """Return one line of JSON per document, with its keys in their order."""
    return [json.dumps(masked(one, prose), ensure_ascii=False, separators=(",", ":")) for one in documents]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a recording. The same lines always give the same bytes."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a recording."""
    return gzip.decompress(path.read_bytes()).decode().splitlines()
