"""Orders, hands and dice are as chance makes them, with all seats but one against it: fixed seeds, limits at 10^-6."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations, product
from typing import Final

import pytest

from nodealer.protocols import PROTOCOLS
from nodealer.tape import Tape
from sampling import times
from uniformity.chisquare import (
    TESTS,
    THRESHOLD,
    Result,
    against,
    cycle_count,
    cycles,
    hands,
    pairs,
    positions,
    stirling,
    survival,
    uniform,
    whole,
)
from uniformity.tables import Cutter, drawn, modulo, only_cut, orders, rolls, sattolo, swap_with_any

#: Decks that are made by real messages: few in `make test`, for each takes milliseconds.
DECKS: Final = times(72, deep=4800)
#: Orders from a tape alone.
ORDERS: Final = times(9_000, deep=200_000)
SIDES: Final = (6, 6)
Draw = Callable[[Tape, bytes], list[int]]


def failing(results: list[Result]) -> dict[str, float]:
    return {result.test: result.p for result in results if not result.passes}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_honest_seat_is_enough(protocol: str) -> None:
    """On every protocol, and in `make deep` wherever the honest seat sits."""
    seats = times(2, deep=2 if protocol == "duel" else 3)
    for honest in range(times(1, deep=seats)):
        made = orders(protocol, DECKS, seats=seats, honest=honest)
        assert failing([test(made) for test in TESTS]) == {}, honest


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_honest_seat_that_only_cuts_is_found(protocol: str) -> None:
    """The same tables, where the last seat too has not enough chance in it: the tests see it through every protocol."""
    made = orders(protocol, 40, seats=2, honest=1, kind=Cutter)
    assert "orders" in failing([test(made) for test in TESTS])


def fair(tape: Tape, inputs: bytes) -> list[int]:
    return tape.permutation("fair", inputs, 5).vartime_list()


def test_the_tape_is_fair() -> None:
    assert failing([test(drawn(ORDERS, fair)) for test in TESTS]) == {}


@pytest.mark.parametrize(
    ("draw", "found"),
    [
        (swap_with_any, {"positions", "orders"}),
        (modulo, {"positions", "orders"}),
        (sattolo, {"cycles", "orders"}),
        (only_cut, {"pairs", "cycles", "orders"}),
        (lambda tape, inputs: fair(tape, inputs[:0] + bytes([inputs[0] & 0xFE]) + inputs[1:]), {"hands"}),
    ],
    ids=["swap with any", "modulo bias", "one cycle", "only a cut", "two hands alike"],
)
def test_a_biased_shuffle_is_found(draw: Draw, found: set[str]) -> None:
    """Each by the tests that are there for it, in the same run and with as many orders."""
    assert found <= failing([test(drawn(ORDERS, draw)) for test in TESTS]).keys()


def test_dice_with_two_of_three_who_always_say_the_same() -> None:
    made = rolls(times(1500, deep=100_000), SIDES)
    assert uniform("dice", made, product(range(6), range(6))).passes


def test_dice_that_are_loaded_are_found() -> None:
    loaded = [(a, min(b + (a == b == 0), 5)) for a, b in rolls(1500, SIDES)]
    assert not uniform("dice", loaded, product(range(6), range(6))).passes


# --- The tests themselves ---


def test_chi_square_by_tables() -> None:
    """Critical values that are printed everywhere."""
    for statistic, freedom, p in (
        (3.841, 1, 0.05), (6.635, 1, 0.01), (18.307, 10, 0.05), (29.588, 10, 0.001), (124.342, 100, 0.05),
        (0.0, 5, 1.0), (9.237, 5, 0.1), (1.145, 5, 0.95),
    ):  # fmt: skip
        assert survival(statistic, freedom) == pytest.approx(p, rel=1e-3)
    # With two degrees of freedom it is exp(−x/2), as far out as one likes.
    for statistic in (0.5, 10, 27.631, 200):
        assert survival(statistic, 2) == pytest.approx(math.exp(-statistic / 2), rel=1e-9)
    assert Result("far", 1, 27.7, 2).p < THRESHOLD < Result("near", 1, 27.5, 2).p


def test_all_orders_once_are_as_expected() -> None:
    every = list(permutations(range(4)))
    for test in (positions, pairs, cycles, whole):
        assert test(every).statistic == pytest.approx(0)
    assert (positions(every).freedom, pairs(every).freedom, cycles(every).freedom, whole(every).freedom) == (
        9,
        11,
        3,
        23,
    )
    assert hands([order for pair in product(every, every) for order in pair]).statistic == pytest.approx(0)


def test_cycles_are_counted() -> None:
    assert [cycle_count(order) for order in ((0, 1, 2), (1, 0, 2), (1, 2, 0))] == [3, 2, 1]
    assert stirling(4) == [0, 6, 11, 6, 1]


def test_what_cannot_be_is_infinitely_far() -> None:
    assert not against("impossible", [7], {1: 0.5, 2: 0.5}).passes
