"""The figures of docs/internals/simulator.md, from what `nodealer lab sim --games N --cores 2 --json` has printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def simulated(said: Mapping[str, Any]) -> str:
    """How much was simulated in a minute, and what was survived."""
    minutes, wrong = said["seconds"] / 60, len(said["wrong"])
    pace = f"{said['games'] / minutes:,.0f} games and {said['entries'] / minutes:,.0f} entries a minute"
    came = "Nothing was wrong in any of them" if not wrong else f"Something was wrong in {wrong} of them"
    return "\n".join(
        [
            f"{said['games']:,} games with {said['entries']:,} entries, seed `{said['seed']}`: {pace} on "
            f"{said['cores']} cores. {came}.",
            "",
            "| fault | struck | in games |",
            "|---|---|---|",
            *(f"| {kind} | {often:,} | {said['games_struck'][kind]:,} |" for kind, often in said["struck"].items()),
        ]
    )
