"""What both verifiers say of logs. The second one judges all in one process: its start costs as much as a log."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import nodealer

ROOT: Final = Path(__file__).parent.parent.parent
#: As docs/spec/log.md and `nodealer verify --help` say.
EXIT: Final = {"clean": 0, "fault": 1, "broken": 1, "not-a-log": 2, "incomplete": 3}

#: Verdict, exit code, the seat and the entry of each fault, good entries, and the chips of each seat.
Said = tuple[str, int, list[tuple[int | None, int]], int, dict[str, int]]


def said(report: dict[str, Any]) -> Said:
    """What has to be the same in both reports."""
    verdict = report["verdict"]
    faults = [(fault["seat"], fault["entry"]) for fault in report["faults"]]
    chips = {} if verdict == "not-a-log" else {str(seat): chips for seat, chips in report["chips"].items()}
    return verdict, EXIT[verdict], faults, report["entries"], chips


def ours(log: Path) -> Said:
    return said(nodealer.verify(log).as_json())


def theirs(logs: Iterable[Path]) -> list[Said]:
    """What the second verifier says of each."""
    command = ["node", str(ROOT / "verifier" / "judge.mjs"), *map(str, logs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [said(json.loads(line)) for line in done.stdout.splitlines()]


def differences(logs: list[Path]) -> list[str]:
    """The logs of which the two do not say the same."""
    return [
        f"{log.name}: {mine}; the second: {other}"
        for log, mine, other in zip(logs, map(ours, logs), theirs(logs), strict=True)
        if mine != other
    ]
