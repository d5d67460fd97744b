"""Verify a saved log: every signature, proof, rule and result. Needs no secrets and trusts no one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from nodealer.audit.background import in_background
from nodealer.audit.report import Report, Verdict
from nodealer.audit.report_text import describe_member
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome, Replica
from nodealer.engine.resolve import resolve_config
from nodealer.engine.state import Config
from nodealer.errors import BadParameter, BadSignature, DecodeError, EntryRefused, LogBroken, OtherFormat
from nodealer.games.package import GamePackage
from nodealer.group import Group
from nodealer.log.file import LineCut, read_log
from nodealer.log.session import Session
from nodealer.proofs.checks import Entropy
from nodealer.wire import LOG_BYTES_MAX

Progress = Callable[[int, int], None]
#: Observes what an entry did.
Observe = Callable[[Applied], None]
#: Takes the replica before its first entry, and returns a function that observes each entry.
Watch = Callable[[Replica], Observe]


def verify_file(
    path: Path,
    *,
    entropy: Entropy,
    on: Group | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    game: GamePackage | None = None,
    called: str | None = None,
) -> Report:
    """Verify a log and return the report. Never raise because of what is in the file; the report says what is wrong.

    `watch` observes every entry as it is applied. Each proof is then checked immediately, not in batches. `game` is
    for a log of a game that is not installed: the user has chosen it, not the log. `called` is the name by which
    messages refer to the file, if not its path.
    """

    def config(session: Session) -> Config:
        """Resolve the protocol and the game that the session of the log names."""
        return resolve_config(session, on, game)

    def audit_with(eager: bool) -> Callable[[Session, Iterator[bytes]], Report]:
        """Return the function that audits a log. `eager`: check each proof with its entry, not in batches."""
        return lambda session, lines: _audit(session, lines, config, entropy, watch, eager=eager)

    report = _read_file(path, called or str(path), audit_with(eager=watch is not None), progress)
    if report.undone:
        # The log has entries that were only possible because of an earlier false one. Verify again, one entry at a
        # time, to find where it breaks.
        report = _read_file(path, called or str(path), audit_with(eager=True), progress)
    return report


def _audit(
    session: Session,
    lines: Iterator[bytes],
    config: Callable[[Session], Config],
    entropy: Entropy,
    watch: Watch | None,
    *,
    eager: bool,
) -> Report:
    """Verify a session and its entries. A session that this program cannot play is "not-a-log"."""
    with in_background() as begin:
        try:
            replica = Replica(config(session), entropy=entropy, eager=eager, check_runner=begin)
        except (BadParameter, DecodeError) as error:
            return Report("not-a-log", f"this program cannot verify the log: {error}", session)
        return _verify_entries(replica, None if watch is None else watch(replica), lines)


def _read_file(
    path: Path, name: str, audit: Callable[[Session, Iterator[bytes]], Report], progress: Progress | None
) -> Report:
    """Call `audit` with the session and the lines of a file, unless the file is not a log."""
    try:
        if not path.is_file():
            return Report("not-a-log", f"{name} {'is not a file' if path.exists() else 'does not exist'}")
        size = path.stat().st_size
        if size > LOG_BYTES_MAX:
            return Report("not-a-log", f"{name} has {size:,} bytes; a log has at most {LOG_BYTES_MAX:,}")
        with path.open("rb") as file:
            session, lines = read_log(file)
            return audit(session, _with_progress(lines, progress, file.tell, size))
    except OSError as error:
        return Report("not-a-log", f"{name} cannot be read: {error.strerror}")
    except OtherFormat as error:
        return Report("not-a-log", f"{name}: {error}")
    except DecodeError as error:
        return Report("not-a-log", f"{name} is not a log: {error}")


def _with_progress(
    lines: Iterator[bytes], progress: Progress | None, at: Callable[[], int], size: int
) -> Iterator[bytes]:
    """Yield lines, and report the position in the file after each."""
    for line in lines:
        yield line
        if progress is not None:
            progress(at(), size)


# defence: cut-log
def _verify_entries(replica: Replica, observe: Observe | None, lines: Iterator[bytes]) -> Report:
    """Apply all lines and return the report."""
    cut = False
    try:
        for line in lines:
            applied = _apply_line(replica, line)
            if observe is not None:
                observe(applied)
    except LineCut:
        cut = True
    except (LogBroken, DecodeError) as error:
        # What was signed before the log broke still counts: a false proof in that part names its seat.
        replica.settle()
        return _report(replica, "broken", str(error))
    replica.settle()
    if cut or replica.state.phase is not Phase.ENDED:
        missing = "the last line is cut off" if cut else "not every seat has signed the end"
        return _report(replica, "incomplete", f"everything so far is correct, but {missing}")
    return _report(replica, "clean", "")


def _apply_line(replica: Replica, line: bytes) -> Applied:
    """Apply the next entry of a saved log. Raise `LogBroken` for an entry that seats would have refused."""
    number = replica.height
    try:
        applied = replica.append(line)
    except (EntryRefused, BadSignature, DecodeError) as error:
        raise LogBroken(f"entry {number} cannot be part of a log: {error}") from None
    if applied.outcome is Outcome.REPEATED:
        raise LogBroken(f"entry {number} is in the log twice")
    return applied


def _report(replica: Replica, verdict: Verdict, reason: str) -> Report:
    """Build the report. Any fault that the replica found overrides the verdict."""
    checks = {"signatures": replica.height, "proofs": replica.checks_settled}
    session, undone = replica.config.session, bool(replica.undone)
    report = Report(verdict, reason, session, replica.height, checks, replica.state, undone)
    if (first := report.fault) is None:
        return report
    culprit = describe_member(report.member(first.seat))
    return replace(report, verdict="fault", reason=f"{culprit}: {first.reason} (entry {first.entry})")
