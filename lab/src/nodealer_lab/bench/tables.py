"""`bench tables`: the hand of `bench hand` for every table size and protocol, all relative to one U, for the plots.

A large table takes long and has no limits, so there are few rounds and only the three plotted figures. `duel` has no
shared deck: its hand is the set-up of two decks, with an opening hand each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from nodealer.client.local_table import LocalTable
from nodealer.group import group
from nodealer_lab.bench.duel import DuelBench
from nodealer_lab.bench.hand import BOARD, CARDS, DEALT, HandBench, _cpu_timer, _saved_log, _verify_log
from nodealer_lab.bench.rounds import BenchEffort, bare, interleaved, using_threads
from nodealer_lab.bench.rows import BenchRow, size_row, time_row

SEATS: Final = {"mask": (2, 4, 6, 9, 14, 20), "lock": (2, 6), "offset": (2, 6), "chain": (2, 6)}
#: The rounds after the first.
ROUNDS: Final = {"chain": 0}
MORE: Final = 2
Played = tuple[LocalTable, float]


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core."""
    native, squares = group(backend="native"), group("modp2048")
    with using_threads(1):
        for protocol, tables in SEATS.items():
            few = replace(effort, pairs=ROUNDS.get(protocol, MORE), few=ROUNDS.get(protocol, MORE), seconds=0.0)
            for seats in tables if effort.shrink == 1 else tables[:1]:
                bench = HandBench(
                    protocol,
                    seats,
                    max(effort.size(CARDS), DEALT * seats + BOARD),
                    squares if protocol == "chain" else native,
                )
                yield from _rows(few, protocol, seats, bench.cards, partial(bench.play, bench.on))
        few = replace(effort, pairs=MORE, few=MORE, seconds=0.0)
        decks = DuelBench(effort.size(CARDS), native)
        yield from _rows(few, "duel", 2, decks.cards, decks.play)


def _rows(effort: BenchEffort, protocol: str, seats: int, cards: int, play: Callable[[], Played]) -> Iterator[BenchRow]:
    """Measure one hand of a protocol at a table of this size, without requirements.

    The rows are the CPU time of a seat, the time to verify the log, and the size of the saved log.
    """
    n, yardstick = {"seats": seats, "cards": cards}, f"U = {2 * cards} × fixed base"
    table, _ = play()
    saved, config = _saved_log(table), table.seats[0].replica.config
    times = interleaved(effort, lambda: play()[1] / seats, bare("fixed_base", 2 * cards))
    yield time_row(f"{protocol}: play a hand, CPU of one seat", n, times, yardstick)
    times = interleaved(effort, _cpu_timer(lambda: _verify_log(saved, config)), bare("fixed_base", 2 * cards))
    yield time_row(f"{protocol}: verify its log", n, times, yardstick)
    yield size_row(f"{protocol}: saved log", n, len(saved), "bytes")
