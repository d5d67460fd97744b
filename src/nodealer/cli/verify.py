"""`nodealer verify`: is this log a fair game? Needs nothing but the file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from nodealer.audit.verify import Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.output import err, out, print_json


def verify(
    file: Annotated[Path, typer.Argument(help="A saved log.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="How many processes may check a long log; default: all cores.")
    ] = None,
) -> None:
    """Check every signature, proof, rule and result of a game, from its log alone.

    Ends with 0 when the game is clean, 1 when somebody cheated or the log is broken, 2 when the file cannot be judged,
    3 when everything so far is right but the game is not complete.
    """
    with Progress(console=err(), transient=True, disable=json or not err().is_terminal) as bar:
        task = bar.add_task("verifying", total=None)
        report = verify_file(
            file,
            entropy=system_entropy,
            progress=lambda done, size: bar.update(task, completed=done, total=size),
        )
    if json:
        print_json(report.as_json())
    else:
        print_report(out(), report)
    raise typer.Exit(report.exit_code)


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
