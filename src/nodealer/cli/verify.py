"""`nodealer verify`: check whether a log is a fair game. Needs nothing but the file."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from nodealer.audit.compare import Comparison, compare
from nodealer.audit.report import Report
from nodealer.audit.report_text import FINGERPRINT, describe_member
from nodealer.audit.verify import verify_file
from nodealer.cli import text as phrases
from nodealer.cli.exits import BAD, GOOD, INCOMPLETE, NO_VERDICT
from nodealer.cli.options import JsonDocument, LogGame
from nodealer.cli.output import err, escape_markup, out, print_json, print_line, to_markup
from nodealer.client.entropy import system_entropy
from nodealer.client.game_loader import load_game_or_none
from nodealer.errors import BadParameter
from nodealer.games.text import Words
from nodealer.log.control_characters import escape_controls
from nodealer.log.roster import PLAYER, Member
from nodealer.wire import LOG_BYTES_MAX

#: The file name that means standard input.
STDIN: Final = Path("-")
_BLOCK: Final = 1 << 20


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Log files or names from `nodealer games`; - reads a log from standard input."
        ),
    ],
    json: JsonDocument = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=256, metavar="N", help="Verify N files at a time. Default: one per core."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Compare with another log of the same session, to find players who saw different tables.",
        ),
    ] = None,
    game: LogGame = None,
) -> None:
    """Check every signature, proof, rule and result of a game, from its log alone.

    With --against, a second log of the same session is verified too and compared with the first. If two groups of
    players were shown different tables, with one player in both, only this comparison reveals it.

    Exit codes: 0 the game is clean, 1 a player cheated, the log is broken, or the two logs diverge, 2 the file cannot
    be verified, 3 everything so far is correct but the game is incomplete. With several files, the first of 1, 2, 3
    that any of them gives.
    """
    files = [find_log(file) for file in files]
    if STDIN in files and (len(files) > 1 or against is not None):
        raise BadParameter(phrases.STDIN_ALONE)
    if against is not None:
        if len(files) != 1:
            raise BadParameter(phrases.ONE_AGAINST_ONE)
        raise typer.Exit(_verify_against(files[0], find_log(against), game, json=json))
    load_game_or_none(game)  # so that a wrong name is reported once, not for each file
    if len(files) == 1:
        report = _verify_one(files[0], game, quiet=json)
        if json:
            print_json(report.as_json())
        else:
            print_report(out(), report)
        raise typer.Exit(report.exit_code)
    documents, codes = [], {GOOD}
    for file, (code, document, lines) in _verify_many(files, game, jobs or os.cpu_count() or 1):
        codes.add(code)
        documents.append({"file": escape_controls(file)} | document)
        if not json:
            _print_brief(out(), file, lines)
    if json:
        print_json(documents)
    raise typer.Exit(next(code for code in (BAD, NO_VERDICT, INCOMPLETE, GOOD) if code in codes))


def find_log(file: Path) -> Path:
    """Return the file, or the log of the saved game with that name."""
    if file == STDIN or len(file.parts) != 1 or os.path.lexists(file):
        return file
    from nodealer.client.game_catalogue import find_game, is_saved_game  # late: most who verify have a file

    return find_game(file.name).kept_log if is_saved_game(file.name) else file


def _verify_against(file: Path, other: Path, game: str | None, *, json: bool) -> int:
    """Verify two logs, compare them, and return the exit code."""
    reports = _verify_one(file, game, quiet=json), _verify_one(other, game, quiet=json)
    codes = {report.exit_code for report in reports}
    if NO_VERDICT in codes:
        worst = next(report for report in reports if report.exit_code == NO_VERDICT)
        print_json(worst.as_json()) if json else print_report(out(), worst)
        return NO_VERDICT
    found = compare(file, other, reports)
    if json:
        documents = [
            {"file": str(path)} | report.as_json() for path, report in zip((file, other), reports, strict=True)
        ]
        print_json({"logs": documents, "against": found.as_json()})
    else:
        for path, report in zip((file, other), reports, strict=True):
            _print_brief(out(), path, _brief_lines(report))
        _print_comparison(out(), found, reports[0])
    if not found.agree or found.contradictions or BAD in codes:
        return BAD
    return INCOMPLETE if INCOMPLETE in codes else GOOD


def _print_comparison(console: Console, found: Comparison, report: Report) -> None:
    """Print whether two logs agree, how many entries they share, and which seats signed two entries of one number."""
    if found.agree:
        print_line(console, phrases.logs_agree(found.common))
        return
    print_line(console, phrases.logs_diverged(found.common))
    for one in found.contradictions:
        print_line(console, phrases.signed_twice(escape_markup(_who(report, one.seat)), one.seq, *one.entries))


def _verify_one(file: Path, game: str | None, *, quiet: bool) -> Report:
    """Verify a file, or standard input through a temporary file."""
    if file != STDIN:
        return _verify_path(file, game, quiet=quiet)
    with tempfile.NamedTemporaryFile(prefix="nodealer-") as kept:
        # One byte more than a log may have shows that it is too long.
        left = LOG_BYTES_MAX + 1
        while left and (read := sys.stdin.buffer.read(min(left, _BLOCK))):
            kept.write(read)
            left -= len(read)
        kept.flush()
        return _verify_path(Path(kept.name), game, quiet=quiet, called=phrases.STANDARD_INPUT)


def _verify_path(file: Path, game: str | None, *, quiet: bool, called: str | None = None) -> Report:
    """Verify a file, with a progress bar on a terminal. `called` replaces its name in messages."""
    chosen = load_game_or_none(game)
    with Progress(console=err(), transient=True, disable=quiet or not err().is_terminal) as bar:
        task = bar.add_task(phrases.VERIFYING, total=None)
        return verify_file(
            file,
            entropy=system_entropy,
            progress=lambda done, size: bar.update(task, completed=done, total=size),
            game=chosen,
            called=called,
        )


#: The result of a verification process: the exit code, the document, and the lines for people.
_Result = tuple[int, dict[str, Any], list[str]]

#: How processes are started. On Linux with what is already loaded: there are no other threads yet, and loading it all
#: again takes as long as a dozen hands.
_START: Final = "fork" if sys.platform == "linux" else "spawn"


def _verify_many(files: list[Path], game: str | None, jobs: int) -> Iterator[tuple[Path, _Result]]:
    """Yield the results of the files in their order. Each file is verified in its own process, `jobs` at a time."""
    done = 0
    try:
        with ProcessPoolExecutor(min(jobs, len(files)), mp_context=get_context(_START)) as pool:
            for result in pool.map(_verify_alone, files, repeat(game)):
                done += 1
                yield files[done - 1], result
    except BrokenProcessPool:
        # Such as by a system that is short of memory. That says nothing about the logs.
        ended = Report("not-a-log", phrases.PROCESS_KILLED)
        yield from ((file, _result_of(ended)) for file in files[done:])


def _verify_alone(file: Path, game: str | None) -> _Result:
    """Verify a file in a process of its own."""
    return _result_of(verify_file(file, entropy=system_entropy, game=load_game_or_none(game)))


def _result_of(report: Report) -> _Result:
    """Return the exit code, the JSON report and the brief lines, which one process can send to another."""
    return report.exit_code, report.as_json(), _brief_lines(report)


def _brief_lines(report: Report) -> list[str]:
    """Return the verdict, the counts and the remarks of a report, as lines of markup."""
    # A log is untrusted: a name must not be interpreted as a command by the terminal.
    reason = escape_markup(report.reason)
    words = {
        "clean": phrases.clean(phrases.ALL_PROVEN if report.proven else phrases.ALL_OPENED),
        "fault": phrases.faulty(reason),
        "broken": phrases.broken(reason),
        "incomplete": phrases.incomplete(reason),
        "not-a-log": phrases.unverifiable(reason),
    }
    if report.session is None or report.verdict == "not-a-log":
        return [words[report.verdict]]
    checks = ", ".join(f"{count} {name}" for name, count in report.checks.items())
    counted = phrases.counted(report.entries, len(report.chronicle.records), checks)
    return [words[report.verdict], counted, *(escape_markup(line) for line in _remarks(report))]


def _print_brief(console: Console, file: Path, lines: list[str]) -> None:
    """Print the file's name and these lines."""
    for line in (f"[bold]{escape_markup(str(file))}[/bold]", *lines):
        print_line(console, line)


def print_report(console: Console, report: Report, *, brief: bool = False) -> None:
    """Print a report for players."""
    for line in _brief_lines(report):
        print_line(console, line)
    if brief or report.session is None or report.verdict == "not-a-log":
        return
    print_line(console, phrases.session_id(report.session.id.hex()))
    for seating in report.chronicle.roster_periods:
        seats = ", ".join(_roster_entry(member) for member in seating.roster.members)
        print_line(console, phrases.seats_from(seating.from_hand + 1, escape_markup(seats)))
    if report.chronicle.records:
        console.print(_results(report))
    print_line(console, phrases.not_proven(escape_markup("; ".join(report.not_proven))))


def _roster_entry(member: Member) -> str:
    """Return a roster entry, with the role of a member who is not a player."""
    part = "" if member.role == PLAYER else f", {member.role}"
    return f"{member.seat} {member.name} ({member.key.hex()[:FINGERPRINT]}{part})"


def _who(report: Report, seat: int | None) -> str:
    """Describe the player at a seat."""
    return describe_member(report.member(seat))


def _remarks(report: Report) -> Iterator[str]:
    """Yield the lines that go with every verdict: who was named, who was skipped, and whose result is held."""
    for fault in report.faults:
        yield phrases.at_fault(_who(report, fault.seat), fault.reason, fault.entry)
    for vote in report.chronicle.vote_results:
        by = ", ".join(report.name(seat) or str(seat) for seat in vote.by)
        what = {"gone": phrases.DROPPED, "move": phrases.MOVED}.get(vote.did, phrases.ABORTED)
        subject = what if vote.of is None else f"{_who(report, vote.of)} {what}"
        yield phrases.voted(vote.hand + 1, vote.entry, subject, by)
    for charge in report.charges:
        yield phrases.paid_for_leaving(charge.hand + 1, _who(report, charge.seat), charge.amount)
    if report.dead:
        yield phrases.paid_to_no_pot(report.dead)
    if report.charges and report.state is not None:
        # Payments without a later hand went to the others at the end: no hand's result shows that.
        chips = sorted(report.state.ledger.chips.items())
        yield phrases.chips_now(", ".join(f"{report.name(seat) or seat} {count}" for seat, count in chips))
    for hand, seat in report.unchecked:
        yield phrases.not_disclosed(hand + 1, _who(report, seat))
    if report.gone:
        yield phrases.gone(", ".join(_who(report, seat) for seat in report.gone))


def _results(report: Report) -> Table:
    """Return a text table of the hands, with the columns of their game."""
    words = Words() if report.state is None else report.state.config.words
    rows = [
        (record, {} if record.void is not None else words.columns(record.result, record.names))
        for record in report.chronicle.records
    ]
    headings = list(dict.fromkeys(heading for _, columns in rows for heading in columns))
    table = Table(*phrases.RESULT_COLUMNS, *headings)
    for record, columns in rows:
        ended = str(record.result.get("ended", "")) if record.void is None else phrases.no_result_because(record.void)
        cells = [to_markup(columns.get(heading, "")) for heading in headings]
        table.add_row(str(record.hand + 1), escape_markup(ended), *cells)
    return table
