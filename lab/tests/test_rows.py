"""Rows judge rightly, and pairs are run in turn."""

from __future__ import annotations

import time

import pytest

from nodealer_lab.bench import rows
from nodealer_lab.bench.rounds import (
    BenchEffort,
    Measurement,
    Timed,
    interleaved,
    measure,
    timed,
    timed_fresh,
    timed_on_thread,
)
from nodealer_lab.bench.rows import bare_row, meets, size_row, time_row, unjudged


def test_a_figure_is_judged_in_its_sense() -> None:
    assert meets(2.0, 2.0, "max") is True and meets(2.1, 2.0, "max") is False
    assert meets(0.85, 0.85, "min") is True and meets(0.8, 0.85, "min") is False
    assert meets(1.0, None, "max") is None


def test_a_time_is_held_against_its_yardstick() -> None:
    row = time_row("x", {"n": 1}, (3.0, 2.0), "loop", 1.4)
    assert (row.seconds, row.ratio, row.ok) == (3.0, 1.5, False)
    assert time_row("x", {"n": 1}, (3.0, 2.0), "loop").ok is None


def test_a_size_is_held_against_its_limit() -> None:
    assert size_row("x", {"n": 1}, 200, "bytes", 200).ok is True
    assert size_row("x", {"n": 1}, 201, "bytes", 200).ok is False


def test_what_cannot_be_judged_keeps_its_requirement_and_says_why() -> None:
    row = unjudged(size_row("x", {"n": 1}, 0, "bytes", 200), "needs Linux")
    assert (row.ok, row.value, row.required, row.note) == (None, None, 200, "needs Linux")


def test_pairs_are_run_in_turn_and_the_shortest_counts() -> None:
    order: list[str] = []
    work, loop = iter([9.0, 3.0, 5.0, 4.0]), iter([7.0, 8.0, 2.0, 6.0])

    def one() -> float:
        order.append("work")
        return next(work)

    def other() -> float:
        order.append("loop")
        return next(loop)

    # Of four rounds the two count in which the loop took 2 and 6, although the work was faster in another one.
    assert interleaved(BenchEffort(pairs=3, seconds=0.0), one, other) == (4.0, 2.0)
    assert order == ["work", "loop"] * 4


def given(*times: float) -> Timed:
    left = iter(times)
    return lambda: next(left)


def test_the_quiet_third_is_chosen_by_the_yardsticks_alone() -> None:
    """Whatever the work does in the loud rounds, its figure is the same."""
    effort = BenchEffort(pairs=5, seconds=0.0)
    loops = (2.0, 9.0, 2.1, 9.0, 9.0, 9.0), (1.0, 1.0, 1.0, 3.0, 3.0, 3.0)
    for loud in (0.1, 100.0):
        work = given(5.0, loud, 4.0, loud, loud, loud)
        found = measure(effort, work, *(given(*times) for times in loops))
        assert (found.work, found.yardsticks) == (4.0, (2.0, 1.0))
        assert found.spread == pytest.approx(0.05)


def test_a_row_is_judged_on_its_kind_of_processor_and_when_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def row(required: float | None, spread: float, cpu: str, at: int) -> rows.BenchRow:
        monkeypatch.setattr(rows, "REQUIRED_ON", cpu)
        return bare_row("x", {"n": 1}, Measurement(6.0, (2.0, 4.0), spread), "loop", required, at)

    here = size_row("x", {"n": 1}, 1, "bytes").cpu
    for at, ratio in ((0, 3.0), (1, 1.5)):
        assert row(None, 0.0, here, at).ratio == ratio and row(None, 0.0, here, at).ok is None
        assert row(ratio, 0.05, here, at).ok is True and row(ratio - 0.1, 0.05, here, at).ok is False
        assert row(ratio, 0.05, here, at).spread == 0.05
        other, loud = row(ratio, 0.05, "another kind", at), row(ratio, 0.2, here, at)
        assert other.ok is None and other.note is not None and "another kind" in other.note
        assert loud.ok is None and loud.note is not None and "restless" in loud.note
        assert other.ratio == loud.ratio == ratio


def test_time_on_a_thread_is_not_time_on_the_wall() -> None:
    assert timed_on_thread(lambda: time.sleep(0.05))() < 0.04 < timed(lambda: time.sleep(0.05))()
    start = time.thread_time()
    assert timed_on_thread(lambda: sum(range(200_000)))() <= time.thread_time() - start


@pytest.mark.parametrize(("each", "runs"), [(1.0, 5), (0.1, 15), (0.01, 20), (0.0001, 200)])
def test_short_work_is_repeated_more_often_and_long_work_less(each: float, runs: int) -> None:
    count = 0

    def one() -> float:
        nonlocal count
        count += 1
        return each

    interleaved(BenchEffort(pairs=15, seconds=0.4, most=200), one, lambda: each)
    assert count - 1 == pytest.approx(runs, abs=1)


def test_the_usual_effort_is_at_least_fifteen_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NODEALER_BENCH_QUICK", raising=False)
    effort = BenchEffort.from_environment()
    assert effort.pairs >= 15 and effort.size(52) == 52


def test_what_is_made_fresh_is_made_for_every_run() -> None:
    given: list[int] = []
    numbers = iter(range(9))
    run = timed_fresh(lambda: next(numbers), given.append)
    assert run() >= 0 and run() >= 0 and timed(lambda: None)() >= 0
    assert given == [0, 1]
