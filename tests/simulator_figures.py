"""The figures in docs/internals/simulator.md, from the output of `nodealer lab sim --games N --cores 2 --json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def simulated(said: Mapping[str, Any]) -> str:
    """Return the games per minute and a table of the faults that struck."""
    minutes, wrong = said["seconds"] / 60, len(said["wrong"])
    pace = f"{said['games'] / minutes:,.0f} games and {said['entries'] / minutes:,.0f} entries per minute"
    found = f"A checker fired in {wrong} of them" if wrong else "No checker fired"
    return "\n".join(
        [
            f"{said['games']:,} games with {said['entries']:,} entries, seed `{said['seed']}`: {pace} on "
            f"{said['cores']} cores. {found}.",
            "",
            "| fault | times | games with it |",
            "|---|---|---|",
            *(f"| {kind} | {often:,} | {said['games_struck'][kind]:,} |" for kind, often in said["struck"].items()),
        ]
    )
