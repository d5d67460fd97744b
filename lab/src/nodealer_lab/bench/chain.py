"""`bench hand --protocol chain`: an encryption pass against bare exponentiations, and hands in every mode.

A hand of `chain` takes seconds, so each is played once. A pass over a deck is measured like everything else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter, process_time
from typing import Final

import gmpy2  # type: ignore[import-untyped]

from nodealer.group import Group, Points, Scalars, group
from nodealer.group.modp import ORDER, SIZE, P
from nodealer.protocols.chain.parameters import ChainParameters, canonical
from nodealer_lab.bench.hand import BOARD, CARDS, DEALT, HandBench, _saved_log, _verify_log
from nodealer_lab.bench.rounds import BenchEffort, Timed, interleaved
from nodealer_lab.bench.rows import BenchRow, size_row, time_row, unjudged

SEATS: Final = (2, 6)
KAPPAS: Final = (1, 8)
#: The limits: CPU of a pass against the bare calls, and wall time of two threads against one.
CPU, WALL = 1.1, 0.65
Clock = Callable[[], float]


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows."""
    cards = effort.size(CARDS)
    yield from pass_rows(replace(effort, pairs=min(effort.pairs, 7)), cards)
    # A tiny effort only checks that the benchmark runs: two seats, and few dealer decks.
    seats_of, kappas = (SEATS, KAPPAS) if effort.shrink == 1 else (SEATS[:1], KAPPAS[:1])
    for parameters in modes(kappas):
        for seats in seats_of:
            yield from hand_rows(parameters, seats, max(cards, DEALT * seats + BOARD))


def modes(kappas: tuple[int, ...]) -> Iterator[ChainParameters]:
    """Yield the parameters of every mode: both ways of making the deck, with and without `proven`."""
    for proven in (False, True):
        yield ChainParameters(proven=proven)
        for kappa in kappas:
            yield ChainParameters("dealer", kappa, proven)


# --- One pass over a deck ---


def pass_rows(effort: BenchEffort, cards: int) -> Iterator[BenchRow]:
    """Measure encrypting a deck: the overhead of the arrays over the bare calls, and the gain from a second core."""
    squares = group("modp2048")
    key = squares.wide_scalars(os.urandom(squares.wide_size))
    deck = squares.map_to_points(os.urandom(squares.uniform_size * cards))
    n = {"cards": cards}
    times = interleaved(effort, _pass_timer(key, deck, 1, process_time), _bare_timer(key, deck, process_time))
    yield time_row("encrypt a deck, CPU", n, times, f"{cards} × powmod_sec", CPU)
    row = BenchRow("encrypt a deck, two threads", n, yardstick="one thread", required=WALL)
    if (os.cpu_count() or 1) < 2:
        yield unjudged(row, "one processor")
        return
    times = interleaved(effort, _pass_timer(key, deck, 2, perf_counter), _pass_timer(key, deck, 1, perf_counter))
    yield time_row(row.name, n, times, "one thread, wall", WALL)


def _pass_timer(key: Scalars, deck: Points, threads: int, clock: Clock) -> Timed:
    """Return a timer of one pass through a chain: every point of the deck to the power of the key, by our code."""

    def run() -> float:
        """Multiply the deck by the key once and return the seconds."""
        with using_threads(threads):
            start = clock()
            _ = key * deck
            return clock() - start

    return run


def _bare_timer(key: Scalars, deck: Points, clock: Clock) -> Timed:
    """Return a timer of the same powers as in `_pass_timer`, computed by GMP in a plain loop: the yardstick."""
    exponent = gmpy2.mpz(int.from_bytes(key.to_bytes(), "big")) + ORDER
    data = deck.to_bytes()
    numbers = [gmpy2.mpz(int.from_bytes(data[at : at + SIZE], "big")) for at in range(0, len(data), SIZE)]

    def run() -> float:
        """Raise every number to the power of the key once and return the seconds."""
        start = clock()
        for number in numbers:
            gmpy2.powmod_sec(number, exponent, P)
        return clock() - start

    return run


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Set the number of threads for this group within the block."""
    before = os.environ.get("NODEALER_THREADS")
    os.environ["NODEALER_THREADS"] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ["NODEALER_THREADS"]
        else:
            os.environ["NODEALER_THREADS"] = before


# --- Hands ---


def hand_rows(parameters: ChainParameters, seats: int, cards: int) -> Iterator[BenchRow]:
    """Measure a hand in one mode."""
    squares = group("modp2048")
    bench = HandBench("chain", seats, cards, squares, parameters=canonical(parameters))
    n, yardstick, mode = {"seats": seats, "cards": cards}, f"{cards} × powmod_sec", describe_mode(parameters, seats)
    u = min(_unit_timer(squares, cards)() for _ in range(3))
    played, seconds = bench.play(squares)
    yield time_row(f"play a hand, CPU of one seat ({mode})", n, (seconds / seats, u), yardstick)
    saved, config = _saved_log(played), played.seats[0].replica.config
    start = process_time()
    _verify_log(saved, config)
    yield time_row(f"verify its log ({mode})", n, (process_time() - start, u), yardstick)
    yield size_row(f"saved log ({mode})", n, len(saved), "bytes")


def describe_mode(parameters: ChainParameters, seats: int) -> str:
    """Describe the mode, with the true odds of a false deck if there are any."""
    ending = "proven" if parameters.proven else "books at the end"
    if parameters.deck == "public":
        return f"public cards, {ending}"
    return f"dealer's decks, κ = {parameters.kappa}, a false one 1 in {parameters.candidates(seats)}, {ending}"


def _unit_timer(squares: Group, cards: int) -> Timed:
    """Return a timer of `cards` powers by GMP with a random key: the unit in which other work is expressed."""
    key = squares.wide_scalars(os.urandom(squares.wide_size))
    return _bare_timer(key, squares.map_to_points(os.urandom(squares.uniform_size * cards)), process_time)
