"""`nodealer protocols`: what each protocol can do and what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from nodealer.cli.output import err, out, print_json
from nodealer.protocols import PROTOCOLS, make_protocol
from nodealer.protocols.base import Cheat, Claims


def protocols(
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """Print what each card protocol serves, which cheats it sees and when, and what it costs."""
    claims = [make_protocol(name).claims for name in PROTOCOLS]
    if json:
        print_json([claim.as_json() for claim in claims])
        return
    if not claims:
        err().print("There is no protocol yet.")
    for claim in claims:
        _print(out(), claim)


def _print(console: Console, claim: Claims) -> None:
    facts = Table.grid(padding=(0, 2))
    facts.add_row("seats", _range(claim.seats))
    facts.add_row("cards", _range(claim.cards))
    facts.add_row("operations", ", ".join(claim.as_json()["operations"]))
    facts.add_row("roles", ", ".join(claim.roles) or "none")
    facts.add_row("a silent seat", claim.dropout)
    for what, cost in claim.cost.items():
        facts.add_row(f"cost: {what}", str(cost))
    console.print(Panel(facts, title=f"{claim.name} {claim.version}", title_align="left"))
    console.print(_cheats(claim.cheats))


def _cheats(cheats: Sequence[Cheat]) -> Table:
    table = Table("cheat", "seen", "culprit named")
    for cheat in cheats:
        table.add_row(cheat.cheat, cheat.seen, "yes" if cheat.culprit else "no")
    return table


def _range(limits: tuple[int, int]) -> str:
    return f"{limits[0]} to {limits[1]:,}"
