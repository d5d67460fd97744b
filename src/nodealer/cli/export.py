"""`nodealer export`: the hands of a saved game in a format that other programs read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nodealer.audit.report import Report
from nodealer.audit.verify import Observe, verify_file
from nodealer.cli import text as phrases
from nodealer.cli.exits import NO_VERDICT
from nodealer.cli.options import LogGame
from nodealer.cli.output import err, escape_markup, print_line
from nodealer.cli.verify import find_log, print_report
from nodealer.client.entropy import system_entropy
from nodealer.client.game_loader import load_game_or_none
from nodealer.engine.replica import Applied, Replica
from nodealer.errors import BadParameter
from nodealer.games.package import Export, GamePackage


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A log file, or a name from `nodealer games`.")],
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Fail unless this is the format that the game is exported in.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to FILE instead of standard output. Overwrites FILE.")
    ] = None,
    game: LogGame = None,
) -> None:
    """Export the finished hands of a game, for example in PHH format.

    The log is verified on the way. Nothing is written if it has a fault, is broken or cannot be verified. If the game
    is incomplete, the finished hands are written.

    Exit codes: 0 the log is clean, 1 a fault or a broken log, 2 the file cannot be verified or its game has no export
    format, 3 the game is incomplete.
    """
    report, hands = _verified_hands(find_log(file), load_game_or_none(game))
    if report.exit_code in (0, 3):
        _write(_export_of(report, format).text(hands), out)
    if report.exit_code:
        print_report(err(), report, brief=True)
    raise typer.Exit(report.exit_code)


def _verified_hands(file: Path, game: GamePackage | None) -> tuple[Report, list[Any]]:
    """Verify the log, and return the report and the finished hands as the game exports them."""
    hands: dict[int, Any] = {}

    def watch(replica: Replica) -> Observe:
        """Return a function that collects each completed hand in `hands`."""
        package = replica.config.package
        exporter = None if package is None else package.export

        def collect(applied: Applied) -> None:
            """Export a hand that is completed by this entry and not void."""
            before, hand = len(applied.before.chronicle.records), applied.after.hand.game
            records = applied.after.chronicle.records
            if len(records) > before and records[-1].void is None and hand is not None and exporter is not None:
                hands[records[-1].hand] = exporter.hand(hand, records[-1].names)

        return collect

    report = verify_file(file, entropy=system_entropy, watch=watch, game=game)
    # A later disclosure may have voided a hand.
    counted = [record.hand for record in report.chronicle.records if record.void is None]
    return report, [hands[hand] for hand in counted if hands.get(hand) is not None]


def _export_of(report: Report, format: str | None) -> Export:
    """Return the export of the log's game. Raises `BadParameter` if there is none, or another format was asked for."""
    package = None if report.state is None else report.state.config.package
    exporter = None if package is None else package.export
    if package is None or exporter is None:
        raise BadParameter(phrases.NO_EXPORT)
    if format not in (None, exporter.format):
        raise BadParameter(phrases.other_export(package.name, exporter.format, format))
    return exporter


def _write(text: str, out: Path | None) -> None:
    """Write the text to the file, or to standard output if there is none. Exits if the file cannot be written."""
    if out is None:
        sys.stdout.write(text + "\n")
        return
    try:
        out.write_text(text + "\n")
    except OSError as error:
        print_line(err(), phrases.error(phrases.cannot_write(escape_markup(out), escape_markup(error.strerror))))
        raise typer.Exit(NO_VERDICT) from None
