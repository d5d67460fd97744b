"""`nodealer export`: the hands of a saved game in a format that other programs read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nodealer.audit.verify import Append, Report, verify_file
from nodealer.cli.entropy import system_entropy
from nodealer.cli.exits import UNJUDGED
from nodealer.cli.games import LogGame, game_or_none
from nodealer.cli.output import err, print_line, shown
from nodealer.cli.verify import log_of, print_report
from nodealer.engine.replica import Applied, Replica
from nodealer.errors import BadParameter
from nodealer.games.package import Export, GamePackage


def export(
    file: Annotated[Path, typer.Argument(help="A saved log, or a game as `nodealer games` calls it.")],
    format: Annotated[str | None, typer.Option(metavar="FORMAT", help="The format, if it has to be this one.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here, not to standard output. Replaces the file.")
    ] = None,
    game: LogGame = None,
) -> None:
    """Write the finished hands of a game in the format that this game is exported in, if it is.

    The log is verified on the way. Ends with 0 when it is clean; 1 for a fault or a broken log and 2 for a file that
    cannot be judged or a game without such a format: then nothing is written; 3 when the game is not complete: then
    the hands that were finished are written.
    """
    report, hands = _finished(log_of(file), game_or_none(game))
    if report.exit_code in (0, 3):
        _write(_export_of(report, format).text(hands), out)
    if report.exit_code:
        print_report(err(), report, brief=True)
    raise typer.Exit(report.exit_code)


def _finished(file: Path, game: GamePackage | None) -> tuple[Report, list[Any]]:
    """What an audit says, and the finished hands as the game exports them."""
    hands: dict[int, Any] = {}

    def watch(replica: Replica) -> Append:
        package = replica.config.package
        made = None if package is None else package.export

        def append(data: bytes) -> Applied:
            before = len(replica.state.chronicle.records)
            applied = replica.append(data)
            hand, records = replica.state.hand.game, replica.state.chronicle.records
            if len(records) > before and records[-1].void is None and hand is not None and made is not None:
                hands[records[-1].hand] = made.hand(hand, records[-1].names)
            return applied

        return append

    report = verify_file(file, entropy=system_entropy, watch=watch, game=game)
    # A book that was opened later may have left a hand without result.
    counted = [record.hand for record in report.chronicle.records if record.void is None]
    return report, [hands[hand] for hand in counted if hands.get(hand) is not None]


def _export_of(report: Report, format: str | None) -> Export:
    package = None if report.state is None else report.state.config.package
    made = None if package is None else package.export
    if package is None or made is None:
        raise BadParameter("the game of this log is not exported in any format")
    if format not in (None, made.format):
        raise BadParameter(f"{package.name} is exported as {made.format}, not as {format!r}")
    return made


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text + "\n")
        return
    try:
        out.write_text(text + "\n")
    except OSError as error:
        print_line(err(), f"nodealer: {shown(out)} cannot be written: {shown(error.strerror)}")
        raise typer.Exit(UNJUDGED) from None
