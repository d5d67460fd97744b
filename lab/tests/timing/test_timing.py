"""The measurement itself, on times that are made up. `make timing` and `make deep` measure, and not beside tests."""

from __future__ import annotations

import pytest

from backends import HAS_NATIVE
from conformance.harness import Source
from nodealer.group.order import draw_order
from timing.__main__ import wrong
from timing.dudect import LEAKS, Operation, Verdict, largest, measure, welch
from timing.operations import DECK, controls, drawn, operations, staying

native_only = pytest.mark.skipif(not HAS_NATIVE, reason="only the native core promises constant time")


def times(seed: str, count: int, *, slower: int = 0) -> list[float]:
    """Times with noise: mostly alike, now and then something else on the machine."""
    source = Source(seed)
    noise = source(4 * count)
    found = [1000.0 + slower + noise[at] for at in range(count)]
    return [time + (50_000 if noise[count + at] < 3 else 0) for at, time in enumerate(found)]


def test_welch_by_hand() -> None:
    """Means 2 and 5, variances 1 and 4, three of each: −3 / √(1/3 + 4/3)."""
    assert welch([1, 2, 3], [3, 5, 7]) == pytest.approx(-3 / (5 / 3) ** 0.5)
    assert welch([1], [2, 3]) == 0 and welch([1, 1], [1, 1]) == 0


def test_a_small_difference_is_found_behind_large_noise() -> None:
    """A quarter of the spread, which the outliers hide until they are cropped."""
    one, two = times("one", 8000), times("two", 8000, slower=20)
    assert abs(welch(one, two)) < LEAKS
    t, kept = largest(one, two)
    assert abs(t) > LEAKS and kept < 1


def test_no_difference_is_none() -> None:
    t, _ = largest(times("three", 8000), times("four", 8000))
    assert abs(t) < LEAKS


def test_what_branches_on_its_secret_is_found() -> None:
    """The whole way, with a difference that no machine hides: a secret of zeros, and nothing is done."""

    def run(secret: bytes) -> int:
        return sum(range(2000)) if any(secret) else 0

    leaking = Operation("branches", bytes, run, bytes(64), drawn(64), control=True)
    found = measure(leaking, 400)
    assert found.leaks and not wrong([found]) and found.drawn > found.fixed
    constant = Operation("does not", bytes, lambda secret: sum(range(500)), bytes(64), drawn(64))
    assert not measure(constant, 400).leaks


def test_a_control_that_does_not_leak_is_wrong_too() -> None:
    said = {"samples": 1, "kept": 1.0, "fixed": 1.0, "drawn": 1.0}
    quiet, loud = {"t": 1.0}, {"t": -LEAKS - 1}
    assert wrong([Verdict("a", **said, **quiet, control=False), Verdict("b", **said, **loud, control=True)]) == []  # type: ignore[arg-type]
    assert wrong([Verdict("a", **said, **loud, control=False, promised=False)]) == []  # type: ignore[arg-type]
    assert len(wrong([Verdict("a", **said, **loud, control=False), Verdict("b", **said, **quiet, control=True)])) == 2  # type: ignore[arg-type]


@native_only
def test_every_operation_runs_with_either_secret() -> None:
    made = operations()
    assert len({one.name for one in made}) == len(made) > 25
    for one in made:
        assert measure(one, 4).samples == 4


def test_an_order_that_stays() -> None:
    assert draw_order(DECK, lambda index: staying(DECK)).vartime_list() == list(range(DECK))


@native_only
def test_there_is_a_control_of_either_kind() -> None:
    assert [one.control for one in controls()] == [True, True, False]
