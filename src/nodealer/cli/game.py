"""`nodealer game`: list the installed games, and test one that you are writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from nodealer.cli import text as phrases
from nodealer.cli.completion import games
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.options import JsonDocument
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.client.game_loader import installed_games, load_game

if TYPE_CHECKING:
    from nodealer.gamecheck import GameReport


def check(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME", help="MODULE:ATTRIBUTE of your game, or the name of an installed one.", autocompletion=games
        ),
    ],
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Test every number of seats, every protocol mode, and more of everything else."),
    ] = False,
    json: JsonDocument = False,
) -> None:
    """Test a game that you are writing: play it in many ways and report problems.

    Its bots play it on open decks and on every protocol that can serve it. Meanwhile the test tries hostile moves,
    makes seats leave, drops participants and brings them back, and lets entries cross. Every game is replayed and
    verified from its log.

    Exit codes: 0 no problems, 1 problems were found, 2 the game cannot be loaded or tested.
    """
    from nodealer.gamecheck import DEEP, QUICK  # late: no other command should wait for it
    from nodealer.gamecheck import check as check_game

    load_game(game)  # here, because this also searches the current folder
    console = err()
    with console.status(phrases.CHECKING) as status:
        report = check_game(
            game, DEEP if deep else QUICK, lambda doing: status.update(phrases.checking(escape_markup(doing)))
        )
    if json:
        print_json(report.as_json())
    else:
        _print(report)
    raise typer.Exit(GOOD if report.ok else BAD)


def _print(report: GameReport) -> None:
    """Print the report of a game's test: its findings, what was done, and what was not tested."""
    console = out()
    for key, finding in report.findings.first.items():
        where = escape_markup(finding.where) if finding.where else ""
        heading = phrases.finding(escape_markup(finding.kind), where, report.findings.times[key])
        console.print(heading, soft_wrap=True)
        console.print(f"  {escape_markup(finding.what)}\n", soft_wrap=True)
    for action in report.did:
        console.print(f"[dim]{escape_markup(action)}[/dim]", soft_wrap=True)
    for protocol in report.protocols:
        if protocol.why is not None:
            console.print(phrases.not_tested_on(escape_markup(protocol), escape_markup(protocol.why)), soft_wrap=True)
    for note in report.notes:
        console.print(f"[yellow]{escape_markup(note)}[/yellow]", soft_wrap=True)
    package, problems = report.package, len(report.findings.first)
    console.print(phrases.check_verdict(escape_markup(package.name), package.version, problems), soft_wrap=True)


def list_games(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> None:
    """List the installed games."""
    games = installed_games()
    if json:
        print_json(
            [
                {
                    "name": game.name,
                    "version": game.version,
                    "protocol": game.protocol,
                    "seats": game.seats,
                    "bot": game.bot is not None,
                    "settings": {setting.name: setting.default for setting in game.settings},
                }
                for game in games
            ]
        )
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in phrases.GAME_COLUMNS:
        table.add_column(heading)
    for game in games:
        settings = ", ".join(f"--{setting.name} {setting.default}" for setting in game.settings)
        table.add_row(*map(escape_markup, (game.name, game.version, game.protocol, game.seats, settings)))
    out().print(table)
