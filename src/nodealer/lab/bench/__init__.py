"""Benchmarks: one module a suite, each a function from an effort to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from nodealer.lab.bench import cards, core, game, hand, log, npm, page, proofs, recovery, relay, seat, tab, tables
from nodealer.lab.bench.machine import describe_machine
from nodealer.lab.bench.rows import Row
from nodealer.lab.bench.timing import Effort

__all__ = ["SUITES", "Effort", "Row", "describe_machine"]

SUITES: Final[dict[str, Callable[[Effort], Iterator[Row]]]] = {
    "core": core.run,
    "proofs": proofs.run,
    "cards": cards.run,
    "log": log.run,
    "hand": hand.run,
    "tables": tables.run,
    "game": game.run,
    "npm": npm.run,
    "seat": seat.run,
    "recovery": recovery.run,
    "relay": relay.run,
    "page": page.run,
    "web": tab.run,
}
