"""Verify a saved log: every signature, every proof, every rule, every result. Needs no secrets and trusts nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from nodealer.audit.background import in_background
from nodealer.errors import BadParameter, BadSignature, DecodeError, EntryRefused, LogBroken, NodealerError
from nodealer.group import Group
from nodealer.log.file import LineCut, read_log
from nodealer.log.roster import Roster
from nodealer.log.session import Session
from nodealer.play.config import config_of
from nodealer.play.phases import Phase
from nodealer.play.replica import Applied, Outcome, Replica
from nodealer.play.state import Fault
from nodealer.proofs.checks import Entropy
from nodealer.protocols import make_protocol
from nodealer.wire import LOG_BYTES_MAX

Verdict = Literal["clean", "fault", "broken", "incomplete", "not-a-log"]
Progress = Callable[[int, int], None]
Append = Callable[[bytes], Applied]
#: Given the replica, something that appends an entry to it and looks at what that did.
Watch = Callable[[Replica], Append]

NOT_PROVEN: Final = (
    "that players did not tell each other their cards outside the table",
    "that a player is one person, and a person at all",
    "that a player who stayed silent could not have gone on",
)
PUBLIC_SEEDS: Final = "anything about secrecy: this is a rehearsal, its seeds were public"


@dataclass
class Report:
    """What an audit found."""

    verdict: Verdict
    #: One sentence for people, where the verdict is not `clean`.
    reason: str = ""
    session: Session | None = None
    roster: Roster | None = None
    entries: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    fault: Fault | None = None
    results: list[dict[str, Any]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """As documented: 0 clean, 1 bad, 2 cannot be judged, 3 clean so far."""
        return {"clean": 0, "fault": 1, "broken": 1, "incomplete": 3, "not-a-log": 2}[self.verdict]

    @property
    def not_proven(self) -> list[str]:
        """What no log can show."""
        rehearsal = self.session is not None and self.session.proposal.rehearsal
        return [*NOT_PROVEN, *([PUBLIC_SEEDS] if rehearsal else []), *self._warnings]

    @property
    def _warnings(self) -> list[str]:
        """What the protocol itself says that it does not keep."""
        if self.session is None:
            return []
        part = self.session.proposal.protocol
        try:
            warning = make_protocol(part.name, bytes(part.parameters)).claims.cost.get("warning")
        except NodealerError:
            return []
        return [] if warning is None else [f"anything about secrecy: {warning.rstrip('.')}"]

    def name(self, seat: int | None) -> str | None:
        """The name at a seat."""
        if seat is None or self.roster is None or seat not in self.roster.seats:
            return None
        return self.roster.player(seat).name

    def as_json(self) -> dict[str, Any]:
        """The document of `nodealer verify --json`."""
        fault = None
        if self.fault is not None:
            found = self.fault
            fault = {"entry": found.entry, "seat": found.seat, "name": self.name(found.seat)}
            fault |= {"check": found.check, "reason": found.reason}
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "entries": self.entries,
            "hands": len(self.results),
            "checks": self.checks,
            "fault": fault,
            "results": self.results,
            "not_proven": self.not_proven,
        }


def verify_file(
    path: Path,
    *,
    entropy: Entropy,
    on: Group | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Report:
    """Audit a log. Never raises for what is in the file: whatever that is, the report says so.

    `watch` sees every entry as it is applied; then each proof is settled at once, and not a hand's together.
    """

    def audit(session: Session, lines: Iterator[bytes]) -> Report:
        with in_background() as begin:
            try:
                replica = Replica(config_of(session, on), entropy=entropy, eager=watch is not None, begin=begin)
            except (BadParameter, DecodeError) as error:
                return Report("not-a-log", f"this program cannot judge the log: {error}", session)
            append = watch(replica) if watch is not None else replica.append
            return _judge(replica, append, lines)

    return _read_file(path, audit, progress)


def _read_file(path: Path, audit: Callable[[Session, Iterator[bytes]], Report], progress: Progress | None) -> Report:
    """Give the session and the lines of a file to `audit`; a file that is no log never gets there."""
    try:
        if not path.is_file():
            return Report("not-a-log", f"{path.name} {'is not a file' if path.exists() else 'does not exist'}")
        size = path.stat().st_size
        if size > LOG_BYTES_MAX:
            return Report("not-a-log", f"the file has {size:,} bytes; a log has at most {LOG_BYTES_MAX:,}")
        with path.open("rb") as file:
            session, lines = read_log(file)
            return audit(session, _told(lines, progress, file.tell, size))
    except OSError as error:
        return Report("not-a-log", f"{path.name} cannot be read: {error.strerror}")
    except DecodeError as error:
        return Report("not-a-log", f"{path.name} is not a log: {error}")


def _told(lines: Iterator[bytes], progress: Progress | None, at: Callable[[], int], size: int) -> Iterator[bytes]:
    for line in lines:
        yield line
        if progress is not None:
            progress(at(), size)


def _judge(replica: Replica, append: Append, lines: Iterator[bytes]) -> Report:
    """Take all lines that are left, and say what the log is worth."""
    cut = False
    try:
        for line in lines:
            _take(replica, append, line)
    except LineCut:
        cut = True
    except (LogBroken, DecodeError) as error:
        # What was signed before the log broke still counts, and a false proof among it names its seat.
        replica.settle()
        return _report(replica, "broken" if replica.state.fault is None else "fault", str(error))
    replica.settle()
    if replica.state.fault is not None:
        return _report(replica, "fault", "")
    if cut or replica.state.phase is not Phase.ENDED:
        where = "its last line is cut off" if cut else "not every seat has signed the end"
        return _report(replica, "incomplete", f"everything so far is right, but {where}")
    return _report(replica, "clean", "")


def _take(replica: Replica, append: Append, line: bytes) -> None:
    """The next entry of a saved log: one that would have been refused cannot stand in it."""
    number = replica.height
    try:
        applied = append(line)
    except (EntryRefused, BadSignature, DecodeError) as error:
        raise LogBroken(f"entry {number} cannot be part of a log: {error}") from None
    if applied.outcome is Outcome.REPEATED:
        raise LogBroken(f"entry {number} stands in the log twice")


def _report(replica: Replica, verdict: Verdict, reason: str) -> Report:
    state = replica.state
    if state.fault is not None and verdict == "fault":
        who = state.roster.player(state.fault.seat).name if state.fault.seat is not None else "nobody can be named"
        reason = f"{who}: {state.fault.reason} (entry {state.fault.entry})"
    return Report(
        verdict,
        reason,
        replica.config.session,
        state.roster,
        replica.height,
        {"signatures": replica.height, "proofs": replica.checks_settled},
        state.fault,
        [dict(result) for result in state.results],
    )
