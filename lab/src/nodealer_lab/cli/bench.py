"""`nodealer bench`: measurements, each as a ratio to a yardstick of the same run."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich import box
from rich.table import Table

from nodealer.cli.completion import games, protocols
from nodealer.cli.exits import BAD
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.client.game_loader import load_game
from nodealer.errors import BadParameter
from nodealer_lab.bench import SUITES, BenchEffort, BenchRow, describe_machine
from nodealer_lab.bench.plot import draw, refuse_without_matplotlib


class Suite(enum.StrEnum):
    """The suites that can be measured."""

    CORE = "core"
    PROOFS = "proofs"
    CARDS = "cards"
    LOG = "log"
    HAND = "hand"
    TABLES = "tables"
    GAME = "game"
    NPM = "npm"
    SEAT = "seat"
    RECOVERY = "recovery"
    RELAY = "relay"
    PAGE = "page"
    WEB = "web"


def bench(
    suite: Annotated[
        Suite,
        typer.Argument(
            show_choices=False,
            help="core: arithmetic. proofs: shuffles. cards: proofs about hidden cards. "
            "log: signed entries. hand: a whole hand. "
            "tables: whole hands at tables of every size and on every protocol. "
            "game: whole games and their audit. seat: memory of a participant, and its restart. "
            "recovery: a deck rebuilt when players leave. "
            "relay: a relay against a bare broadcast. page: the table in the browser. "
            "web: a seat in a tab. "
            "npm: lock against the npm package it extends.",
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of a table.")] = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the JSON document to FILE.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also plot the ratios to FILE (.png, .svg, .pdf).")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a required figure is not met.")] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL",
            help="The card protocol for `hand`. Default: mask.",
            autocompletion=protocols,
        ),
    ] = None,
    played: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="GAME",
            help="The game for `game`: an installed game, or module:attribute.",
            autocompletion=games,
        ),
    ] = None,
) -> None:
    """Measure speed and size.

    A time is the shortest of many runs, alternating with runs of its yardstick. What counts is the ratio of the two, so
    the figures mean the same on a slow or busy machine.
    """
    if plot is not None:
        refuse_without_matplotlib()
    rows = _measure(suite, protocol, played)
    machine = describe_machine()
    document = {"suite": suite, "machine": machine, "rows": rows}
    if save is not None:
        _save(document, save)
    if json:
        print_json(document)
    else:
        console = out()
        console.width = max(console.width, 80)
        console.print(_results_table(suite, rows))
        on = f"{machine['cpu']}, {machine['processors']} processors, Python {machine['python']}, {machine['date']}"
        out().print(escape_markup(on))
    if plot is not None:
        draw(rows, plot, f"nodealer bench {suite}")
    if strict and any(row.ok is False for row in rows):
        raise typer.Exit(BAD)


def _save(document: Mapping[str, object], path: Path) -> None:
    """Write the figures as JSON. Raise `BadParameter` if the file cannot be written."""
    try:
        path.write_bytes(msgspec.json.encode(document))
    except OSError as error:
        raise BadParameter(f"cannot write the figures to {path}: {error.strerror}") from None


def _measure(suite: Suite, protocol: str | None, played: str | None) -> list[BenchRow]:
    """Run a suite and return its rows. Raise `BadParameter` for an option that it does not have."""
    if protocol is not None and suite is not Suite.HAND:
        raise BadParameter(f"{suite} has no protocol; use --protocol with hand")
    if played is not None and suite is not Suite.GAME:
        raise BadParameter(f"{suite} plays no game; use --game with game")
    if suite is Suite.WEB:
        _refuse_outdated_bundle()
    effort = BenchEffort.from_environment()
    measured = SUITES[suite](effort)
    if protocol is not None:
        from nodealer_lab.bench import hand  # late, as all suites are

        measured = hand.run(effort, protocol)
    if played is not None:
        from nodealer_lab.bench import game

        load_game(played)  # checked here, because this also looks into the current folder
        measured = game.run(effort, played)
    rows: list[BenchRow] = []
    console = err()
    with console.status(f"measuring {suite} …") as status:
        for row in measured:
            rows.append(row)
            status.update(f"measured {row.name} ({_format_sizes(row)})")
    return rows


def _refuse_outdated_bundle() -> None:
    """Raise `BadParameter` if the bundle for a tab was built from an older program than this one."""
    from nodealer.web.bundle.build import is_current
    from nodealer_lab.bench import tab

    if tab.LIST.is_file() and not is_current(tab.BUNDLE):
        raise BadParameter("the folder for a tab is older than the program; build it with `make web`")


def _results_table(suite: Suite, rows: list[BenchRow]) -> Table:
    """Return the rows of a suite as a table for the terminal."""
    table = Table(
        title=f"nodealer bench {suite}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("")
    # Eighty columns are enough: long cells break between words.
    table.add_column("", overflow="fold", min_width=13)
    for heading in ("size", "measured"):
        table.add_column(heading, justify="right", overflow="fold", min_width=8)
    for heading in ("ratio", "required"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("against", overflow="fold", min_width=13)
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
        table.add_row(
            _format_mark(row),
            row.name,
            _format_sizes(row),
            _format_measurement(row),
            ratio,
            _format_requirement(row),
            _format_yardstick(row),
        )
    return table


def _format_mark(row: BenchRow) -> str:
    """Return a mark for a row: met, not met, "?" if not judged, or nothing if there is no requirement."""
    return {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "?" if row.required else ""}[row.ok]


def _format_sizes(row: BenchRow) -> str:
    """Return the sizes that a row was measured at, such as "52 cards"."""
    return ", ".join(f"{value:,}" if name == "n" else f"{value:,} {name}" for name, value in row.n.items())


def _format_measurement(row: BenchRow) -> str:
    """Return the time of a row, or its value if it has no time."""
    return _format_value(row) if row.seconds is None else _format_time(row.seconds)


def _format_value(row: BenchRow) -> str:
    """Return the value of a row with its unit, or "" if it has none."""
    return "" if row.value is None else f"{row.value:,.{0 if row.value >= 100 else 1}f} {row.unit}"


def _format_requirement(row: BenchRow) -> str:
    """Return the required ratio of a row, such as "≤ 0.6", or "" if it has none."""
    return "" if row.required is None else f"{'≤' if row.sense == 'max' else '≥'} {row.required:g}"


def _format_yardstick(row: BenchRow) -> str:
    """Return what the row is compared with, then its value if it also has a time, and its note."""
    value = "" if row.seconds is None else _format_value(row)
    return "; ".join(part for part in (row.yardstick, value, row.note) if part)


def _format_time(seconds: float) -> str:
    """Return a time in s, ms or µs, with three digits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
