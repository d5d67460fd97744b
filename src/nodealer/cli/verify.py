"""`nodealer verify`: is this log a fair game? Needs nothing but the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.exits import BAD, GOOD, INCOMPLETE, UNJUDGED
from nodealer.cli.output import err, out, print_json


def verify(
    files: Annotated[list[Path], typer.Argument(help="Saved logs.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="How many files are checked at once; default: all cores.")
    ] = None,
) -> None:
    """Check every signature, proof, rule and result of a game, from its log alone.

    Ends with 0 when the game is clean, 1 when somebody cheated or the log is broken, 2 when the file cannot be judged,
    3 when everything so far is right but the game is not complete. Of several files the first of 1, 2, 3 counts that
    any of them gives.

    Example: nodealer verify game.jsonl
    """
    if len(files) == 1:
        report = _verify_one(files[0], quiet=json)
        if json:
            print_json(report.as_json())
        else:
            print_report(out(), report)
        raise typer.Exit(report.exit_code)
    documents, codes = [], {GOOD}
    for file, report in _verify_many(files, jobs or os.cpu_count() or 1):
        codes.add(report.exit_code)
        documents.append({"file": str(file)} | report.as_json())
        if not json:
            out().print(f"[bold]{escape(str(file))}[/bold]", soft_wrap=True)
            print_report(out(), report, brief=True)
    if json:
        print_json(documents)
    raise typer.Exit(next(code for code in (BAD, UNJUDGED, INCOMPLETE, GOOD) if code in codes))


def _verify_one(file: Path, *, quiet: bool) -> Report:
    with Progress(console=err(), transient=True, disable=quiet or not err().is_terminal) as bar:
        task = bar.add_task("verifying", total=None)
        return verify_file(
            file,
            entropy=system_entropy,
            progress=lambda done, size: bar.update(task, completed=done, total=size),
        )


def _verify_many(files: list[Path], jobs: int) -> Iterator[tuple[Path, Report]]:
    """Reports in the order of the files, each file in a process of its own, so many at once."""
    with ProcessPoolExecutor(min(jobs, len(files)), mp_context=get_context("spawn")) as pool:
        yield from zip(files, pool.map(_verify_alone, files), strict=True)


def _verify_alone(file: Path) -> Report:
    return verify_file(file, entropy=system_entropy)


def print_report(console: Console, report: Report, *, brief: bool = False) -> None:
    """A report for a player."""
    # Whatever a log says is text: a name must not be read as a command to the terminal.
    reason = escape(report.reason)
    words = {
        "clean": "[green bold]CLEAN[/green bold]: everything in this log is proven.",
        "fault": f"[red bold]FAULT[/red bold]: {reason}.",
        "broken": f"[red bold]BROKEN[/red bold]: {reason}.",
        "incomplete": f"[yellow bold]INCOMPLETE[/yellow bold]: {reason}.",
        "not-a-log": f"[red bold]CANNOT BE JUDGED[/red bold]: {reason}.",
    }
    console.print(words[report.verdict], soft_wrap=True)
    if report.session is None or report.verdict == "not-a-log":
        return
    checks = ", ".join(f"{count} {name}" for name, count in report.checks.items())
    console.print(f"{report.entries} entries, {len(report.results)} hands; checked: {checks}.", soft_wrap=True)
    if brief:
        return
    console.print(f"session {report.session.id.hex()}", soft_wrap=True)
    if report.roster is not None:
        seats = ", ".join(f"{p.seat} {p.name} ({p.key.hex()[:16]})" for p in report.roster.players)
        console.print(f"seats: {escape(seats)}", soft_wrap=True)
    if report.results:
        console.print(_results(report))
    console.print("Not proven by any log: " + "; ".join(report.not_proven) + ".", soft_wrap=True)


def _results(report: Report) -> Table:
    table = Table("hand", "ended", "board", "winners")
    for result in report.results:
        winners = [
            escape(f"{report.name(winner['seat']) or winner['seat']} {winner['amount']}")
            for pot in result.get("pots", [])
            for winner in pot["winners"]
        ]
        if result.get("winner") is not None:
            # Games without pots name one winner.
            winners.append(escape(str(report.name(result["winner"]) or result["winner"])))
        hand = result.get("hand")
        table.add_row(
            str(hand + 1 if isinstance(hand, int) else "?"),
            str(result.get("ended", "")),
            " ".join(result.get("board", [])),
            ", ".join(winners),
        )
    return table
