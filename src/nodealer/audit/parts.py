"""Verify a long log in several processes, as strictly as in one.

The log is cut between hands. Each process checks the proofs and rules of one part; for that it needs the state in which
the part begins, and gets it by skimming what comes before (`skim.py`), which costs about a third of checking it.
Signatures need no state where the roster never changes, so they are shared out apart: to the processes that have the
least to skim. Every entry's signature and every proof is checked by exactly one process, and each process must begin
with the state, and the same bytes, with which the one before it has ended.

This only ever says that a log is good. Whatever is not (a process that fails, states that differ, a roster that
changes) is judged again by one process, from the start, and that one names the culprit.

Run as a program it is one of the processes.
"""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodealer.audit.skim import Skimmer
from nodealer.audit.verify import Progress, Report, judge, read_file, take
from nodealer.errors import LogBroken, NodealerError
from nodealer.log.entry import authenticate, read_entry
from nodealer.log.file import read_log
from nodealer.log.session import Session
from nodealer.proofs.checks import Entropy
from nodealer.wire import Message, Natural, decode, encode

#: Shares of the time that verifying an entry takes: its signature, everything else, and everything else skimmed.
SIGNATURES: Final = 0.2
CHECKS: Final = 1 - SIGNATURES
SKIMMING: Final = 0.34
#: What starting a process costs, as bytes of log that could be verified meanwhile; and the least log worth the trouble.
START_BYTES: Final = 1_500_000
PARTS_BYTES_MIN: Final = 4_000_000

_HAND: Final = re.compile(rb'^\{"entry":\{"session":"[^"]*","roster":"[^"]*","hand":(\d{1,16}),')


class Part(Message, frozen=True):
    """What one process does: skim up to `first`, check up to `last`; and the signatures of `signed`, first and last."""

    first: Natural
    last: Natural
    signed: tuple[Natural, Natural]


class Done(Message, frozen=True):
    """What it found: nothing wrong. `begin` and `end` are digests of the table at both ends, the log's head included."""

    begin: bytes
    end: bytes
    proofs: Natural


# --- Cutting ---


@dataclass(frozen=True)
class Cut:
    """A place between two hands: the number of an entry, and how many bytes of log are before it."""

    entry: int
    bytes: int


def cuts_of(lines: Iterator[bytes]) -> list[Cut]:
    """The beginning, every first entry of a hand, and the end. Only a hint: who checks a part looks for itself."""
    cuts, newest, entry, size = [Cut(0, 0)], 0, 0, 0
    for line in lines:
        found = _HAND.match(line)
        if found is not None and int(found[1]) > newest:
            newest = int(found[1])
            cuts.append(Cut(entry, size))
        entry += 1
        size += len(line) + 1
    return [*cuts, Cut(entry, size)]


def plan(cuts: Sequence[Cut], jobs: int) -> list[Part]:
    """Parts that take about equally long. The last one is for the process that is already running."""
    total = cuts[-1].bytes
    late = START_BYTES / total
    low, high = 0.0, 2.0
    for _ in range(40):
        time = (low + high) / 2
        low, high = (low, time) if _spare(_shares(time, late, jobs)) >= SIGNATURES else (time, high)
    shares = _shares(high, late, jobs)
    ends = [_nearest(cuts, begin) for begin, _ in shares[1:]] + [cuts[-1].entry]
    begins = [0, *ends[:-1]]
    spare, given, signed = _spare(shares), 0.0, [0]
    for _, left in shares:
        given += left
        signed.append(_nearest(cuts, given / spare))
    signed[-1] = cuts[-1].entry
    return [Part(*part) for part in zip(begins, ends, zip(signed, signed[1:], strict=False), strict=False)]


def _shares(time: float, late: float, jobs: int) -> list[tuple[float, float]]:
    """Where each part begins if all end after `time`, and the time that is left for signatures. From the last one."""
    shares, end = list[tuple[float, float]](), 1.0
    for job in range(jobs):
        mine = time if job == 0 else time - late
        begin = max(0.0, (CHECKS * end - mine) / (CHECKS - SKIMMING))
        shares.append((begin, max(0.0, mine - SKIMMING * begin - CHECKS * (end - begin))))
        end = min(begin, end)
    # Too little time, and something is left at the beginning: then nothing is spare.
    return shares[::-1] if end == 0 else [(0.0, 0.0)] * jobs


def _spare(shares: Sequence[tuple[float, float]]) -> float:
    return sum(left for _, left in shares)


def _nearest(cuts: Sequence[Cut], share: float) -> int:
    return min(cuts, key=lambda cut: abs(cut.bytes - share * cuts[-1].bytes)).entry


# --- One part ---


def begin_part(session: Session, lines: Iterator[bytes], part: Part, entropy: Entropy) -> tuple[Skimmer, bytes]:
    """A replica at the beginning of a part, and the digest of that."""
    replica = Skimmer(session, entropy=entropy, signed=range(*part.signed))
    while replica.height < part.first:
        take(replica, replica.append, next(lines))
    begin = replica.digest()
    replica.begin_checking()
    return replica, begin


def check_part(path: Path, part: Part, entropy: Entropy) -> Done:
    """Check one part of a log. Raises whatever is wrong."""
    with path.open("rb") as file:
        session, lines = read_log(file)
        replica, begin = begin_part(session, lines, part, entropy)
        while replica.height < part.last:
            take(replica, replica.append, next(lines))
        replica.settle()
        refuse_fault(replica)
        done = Done(begin, replica.digest(), replica.checks_settled)
        for number in range(part.last, part.signed[1]):
            arrival = read_entry(next(lines))
            if number >= part.signed[0]:
                authenticate(arrival, replica.state.roster, session.id)
        return done


def refuse_fault(replica: Skimmer) -> None:
    """Raise for anything that this way of verifying does not judge."""
    if replica.state.fault is not None or replica.state.proposals:
        raise LogBroken("a fault, or another roster")


# --- All parts ---


def verify_in_parts(path: Path, *, jobs: int, entropy: Entropy, progress: Progress | None = None) -> Report | None:
    """The report on a good log. None for one that is not good, too short, or not to be judged in parts."""
    try:
        with path.open("rb") as file:
            session, lines = read_log(file)
            cuts = cuts_of(lines)
    except (NodealerError, OSError):
        return None
    if cuts[-1].bytes < PARTS_BYTES_MIN:
        return None
    parts = plan(cuts, min(jobs, len(cuts) - 1))
    parts = [part for part in parts if part.first < part.last or part.signed[0] < part.signed[1]]
    return _together(path, parts, entropy, progress) if len(parts) > 1 else None


def _together(path: Path, parts: Sequence[Part], entropy: Entropy, progress: Progress | None) -> Report | None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-m", "nodealer.audit.parts", str(path), encode(part).decode()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for part in parts[:-1]
    ]
    try:
        report, last = _check_last(path, parts[-1], entropy, progress)
        if report.verdict not in ("clean", "incomplete") or last is None:
            return None
        done = [_done(process) for process in processes]
    except (NodealerError, StopIteration):
        return None
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    if any(before.end != after.begin for before, after in zip(done, [*done[1:], last], strict=True)):
        return None
    report.checks["proofs"] = sum(one.proofs for one in (*done, last))
    return report


def _check_last(path: Path, part: Part, entropy: Entropy, progress: Progress | None) -> tuple[Report, Done | None]:
    done: Done | None = None

    def audit(session: Session, lines: Iterator[bytes]) -> Report:
        nonlocal done
        replica, begin = begin_part(session, lines, part, entropy)
        report = judge(replica, replica.append, lines)
        refuse_fault(replica)
        if replica.height == part.last:
            done = Done(begin, replica.digest(), replica.checks_settled)
        return report

    return read_file(path, audit, progress), done


def _done(process: subprocess.Popen[bytes]) -> Done:
    output, _ = process.communicate()
    if process.returncode != 0:
        raise LogBroken("a part could not be verified")
    return decode(Done, output, what="the result of a part")


def main() -> int:
    """One part, for `verify_in_parts`."""
    path, part = Path(sys.argv[1]), decode(Part, sys.argv[2].encode(), what="the part")
    try:
        sys.stdout.buffer.write(encode(check_part(path, part, secrets.token_bytes)))
    except (NodealerError, StopIteration, OSError, KeyboardInterrupt):
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
