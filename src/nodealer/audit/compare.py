"""Comparing two logs of one session: where they diverge, and who signed contradictory entries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nodealer.audit.report import Report
from nodealer.errors import BadParameter
from nodealer.log.entry import Entry, read_entry
from nodealer.log.file import read_log


@dataclass(frozen=True)
class Contradiction:
    """Two different entries that one seat signed with the same number."""

    seat: int
    seq: int
    #: The number of each entry in its log.
    entries: tuple[int, int]


@dataclass(frozen=True)
class Comparison:
    """How far two logs of one session agree."""

    #: The number of entries that are the same, from the start.
    common: int
    #: The number of entries in each log.
    entries: tuple[int, int]
    contradictions: tuple[Contradiction, ...]

    @property
    def agree(self) -> bool:
        """Whether the logs are equal, or one is the beginning of the other."""
        return self.common == min(self.entries)

    def as_json(self) -> dict[str, Any]:
        """Return the part of the document of `nodealer verify --json` about this comparison."""
        signed = [{"seat": one.seat, "seq": one.seq, "entries": list(one.entries)} for one in self.contradictions]
        return {"common": self.common, "entries": list(self.entries), "agree": self.agree, "signed_twice": signed}


def compare(path: Path, other: Path, reports: tuple[Report, Report]) -> Comparison:
    """Compare two logs that were verified before, so that every entry counted in the reports has a valid signature.

    Raise `BadParameter` if the logs are of different sessions.
    """
    if reports[0].session is None or reports[1].session is None or reports[0].session.id != reports[1].session.id:
        raise BadParameter("the two logs are not of the same session")
    logs = _entries(path, reports[0].entries), _entries(other, reports[1].entries)
    common = next((n for n, (a, b) in enumerate(zip(*logs, strict=False)) if a != b), min(map(len, logs)))
    signed: dict[tuple[bytes, int], tuple[int, bytes]] = {}
    for number, data in enumerate(logs[0]):
        arrival = read_entry(data)
        signed.setdefault(_key_and_number(reports[0], arrival.entry), (number, arrival.signed))
    found = dict[tuple[int, int], Contradiction]()
    for number, data in enumerate(logs[1][common:], start=common):
        arrival = read_entry(data)
        first = signed.get(_key_and_number(reports[1], arrival.entry))
        if first is not None and first[1] != arrival.signed:
            place = arrival.entry.seat, arrival.entry.seq
            found.setdefault(place, Contradiction(*place, (first[0], number)))
    return Comparison(common, (len(logs[0]), len(logs[1])), tuple(found[place] for place in sorted(found)))


def _key_and_number(report: Report, entry: Entry) -> tuple[bytes, int]:
    """Return the key that signed an entry, and the entry's number. A seat may have another player in each log."""
    known = {} if report.state is None else report.state.all_members
    return known[entry.seat].key, entry.seq


def _entries(path: Path, count: int) -> list[bytes]:
    """Read the first `count` entries of a log."""
    with path.open("rb") as file:
        _, lines = read_log(file)
        return [line for line, _ in zip(lines, range(count), strict=False)]
