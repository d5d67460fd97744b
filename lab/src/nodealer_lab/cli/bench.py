"""`nodealer bench`: the figures, each as a ratio to a yardstick of the same run."""

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
from nodealer.cli.games import game_of
from nodealer.cli.output import err, out, print_json, shown
from nodealer.errors import BadParameter
from nodealer_lab.bench import SUITES, BenchEffort, BenchRow, describe_machine
from nodealer_lab.bench.plot import draw, refuse_without_matplotlib


class Suite(enum.StrEnum):
    """What can be measured."""

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
            help="core: the arithmetic; proofs: shuffles; cards: proofs about hidden cards; "
            "log: signed entries; hand: a whole hand; "
            "tables: the same at tables of every size and on every protocol; "
            "game: whole games and their audit; seat: memory of a participant, and its restart; "
            "recovery: a deck rebuilt when players leave; "
            "relay: a relay against a bare broadcast; page: the table in the browser; "
            "web: a seat in a tab; "
            "npm: lock against the npm package it extends.",
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of a table.")] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the JSON document into this file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw the ratios into this file (.png, .svg, .pdf).")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when a required figure is not met.")] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL",
            help="The card protocol of `hand`; the default one is mask.",
            autocompletion=protocols,
        ),
    ] = None,
    played: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="GAME",
            help="What `game` plays: an installed game, or module:attribute.",
            autocompletion=games,
        ),
    ] = None,
) -> None:
    """Measure speed and size.

    A time is the shortest of many runs, in turn with runs of its yardstick, and what counts is the ratio of the two: so
    the figures say the same on a slow machine and on a busy one.
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
        console.print(_table(suite, rows))
        on = f"{machine['cpu']}, {machine['processors']} processors, Python {machine['python']}, {machine['date']}"
        out().print(shown(on))
    if plot is not None:
        draw(rows, plot, f"nodealer bench {suite}")
    if strict and any(row.ok is False for row in rows):
        raise typer.Exit(BAD)


def _save(document: Mapping[str, object], path: Path) -> None:
    try:
        path.write_bytes(msgspec.json.encode(document))
    except OSError as error:
        raise BadParameter(f"the figures cannot be written to {path}: {error.strerror}") from None


def _measure(suite: Suite, protocol: str | None, played: str | None) -> list[BenchRow]:
    if protocol is not None and suite is not Suite.HAND:
        raise BadParameter(f"{suite} has no protocol: --protocol belongs to hand")
    if played is not None and suite is not Suite.GAME:
        raise BadParameter(f"{suite} plays no game: --game belongs to game")
    if suite is Suite.WEB:
        _refuse_old_folder()
    effort = BenchEffort.from_environment()
    measured = SUITES[suite](effort)
    if protocol is not None:
        from nodealer_lab.bench import hand  # late, as all suites are

        measured = hand.run(effort, protocol)
    if played is not None:
        from nodealer_lab.bench import game

        game_of(played)  # here, where the folder that one is in is looked into
        measured = game.run(effort, played)
    rows: list[BenchRow] = []
    console = err()
    with console.status(f"measuring {suite} …") as status:
        for row in measured:
            rows.append(row)
            status.update(f"measured {row.name} ({_sizes(row)})")
    return rows


def _refuse_old_folder() -> None:
    """Another program is in it: it may not even understand what this one says."""
    from nodealer.web.bundle.build import is_current
    from nodealer_lab.bench import tab

    if tab.LIST.is_file() and not is_current(tab.BUNDLE):
        raise BadParameter("the folder for a tab is older than the program: `make web` builds it")


def _table(suite: Suite, rows: list[BenchRow]) -> Table:
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
        table.add_row(_mark(row), row.name, _sizes(row), _measured(row), ratio, _required(row), _against(row))
    return table


def _mark(row: BenchRow) -> str:
    return {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "?" if row.required else ""}[row.ok]


def _sizes(row: BenchRow) -> str:
    return ", ".join(f"{value:,}" if name == "n" else f"{value:,} {name}" for name, value in row.n.items())


def _measured(row: BenchRow) -> str:
    return _value(row) if row.seconds is None else _time(row.seconds)


def _value(row: BenchRow) -> str:
    return "" if row.value is None else f"{row.value:,.{0 if row.value >= 100 else 1}f} {row.unit}"


def _required(row: BenchRow) -> str:
    return "" if row.required is None else f"{'≤' if row.sense == 'max' else '≥'} {row.required:g}"


def _against(row: BenchRow) -> str:
    value = "" if row.seconds is None else _value(row)
    return "; ".join(part for part in (row.yardstick, value, row.note) if part)


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
