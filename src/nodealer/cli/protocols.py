"""`nodealer protocols`: what each protocol supports and guarantees."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.json import decode
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from nodealer.cli import text as phrases
from nodealer.cli.options import JsonDocument
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.protocols import MODES, PROTOCOLS, make_protocol
from nodealer.protocols.base import Cheat, Claims


def protocols(
    json: JsonDocument = False,
) -> None:
    """List the card protocols with their modes: capabilities, which cheats are detected and when, and cost."""
    modes = [make_protocol(name, parameters) for name in PROTOCOLS for parameters in MODES[name]]
    if json:
        print_json([{**mode.claims.as_json(), "parameters": decode(mode.parameters)} for mode in modes])
        return
    if not modes:
        err().print(phrases.NO_PROTOCOLS)
    for mode in modes:
        _print(out(), mode.claims, mode.parameters.decode())


def _print(console: Console, claim: Claims, parameters: str) -> None:
    """Print one protocol's parameters, limits, operations and costs, and what it claims about each cheat."""
    facts = Table.grid(padding=(0, 2))
    facts.add_row("parameters", escape_markup(parameters) + (" (default)" if parameters == "{}" else ""))
    if claim.warning is not None:
        facts.add_row(phrases.WARNING, escape_markup(claim.warning))
    facts.add_row("seats", _range(claim.seats))
    facts.add_row("cards", _range(claim.cards))
    facts.add_row("operations", ", ".join(claim.as_json()["operations"]))
    facts.add_row("roles", ", ".join(claim.roles) or "none")
    facts.add_row("silent seat", claim.dropout)
    for what, cost in claim.cost.items():
        facts.add_row(f"cost: {what}", str(cost))
    console.print(Panel(facts, title=f"{claim.name} {claim.version}", title_align="left"))
    console.print(_cheats(claim.cheats))


def _cheats(cheats: Sequence[Cheat]) -> Table:
    """Return a text table of the cheats, how each is detected, and whether the culprit is identified."""
    table = Table(*phrases.CHEAT_COLUMNS)
    for cheat in cheats:
        table.add_row(cheat.cheat, cheat.seen, phrases.YES if cheat.culprit else phrases.NO)
    return table


def _range(limits: tuple[int, int]) -> str:
    """Format the limits as `low to high`, or as one number if they are equal."""
    low, high = limits
    return f"{low}" if low == high else f"{low} to {high:,}"
