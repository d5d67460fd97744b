"""`nodealer export`: the hands of a saved game in a format that other programs read."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from nodealer.cli.exits import UNJUDGED
from nodealer.cli.output import err, shown
from nodealer.cli.verify import print_report
from nodealer.errors import BadParameter


class Format(enum.StrEnum):
    """What can be written."""

    PHH = "phh"


def export(
    file: Annotated[Path, typer.Argument(help="A saved log of hold'em.")],
    format: Annotated[Format, typer.Option(help="phh: poker hand history, as pokerkit reads it.")] = Format.PHH,
    out: Annotated[Path | None, typer.Option(help="Write here, not to standard output. Replaces the file.")] = None,
) -> None:
    """Write the finished hands of a game in the poker hand history format, a section for each hand.

    The log is verified on the way. Ends with 0 when it is clean; 1 for a fault or a broken log and 2 for a file that
    cannot be judged or holds no hold'em: then nothing is written; 3 when the game is not complete: then the hands that
    were finished are written.
    """
    from nodealer.cli.histories import histories  # late: pokerkit takes its time

    report, hands = histories(file)
    if report.exit_code in (0, 3):
        if report.session is None or report.session.proposal.game.name != "holdem":
            raise BadParameter(f"{file.name} is a log of another game: only hold'em has poker hands")
        _write(hands, out)
    if report.exit_code:
        print_report(err(), report, brief=True)
    raise typer.Exit(report.exit_code)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text + "\n")
        return
    try:
        out.write_text(text + "\n")
    except OSError as error:
        err().print(f"nodealer: {shown(out)} cannot be written: {shown(error.strerror)}", soft_wrap=True)
        raise typer.Exit(UNJUDGED) from None
