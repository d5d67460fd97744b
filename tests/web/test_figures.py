"""What the page weighs, how quick it is, and that it does not grow: the rows of `bench page`, as they are required."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from nodealer.errors import BadParameter
from nodealer_lab import browser as lab
from nodealer_lab.bench import page
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow


def found(rows: Sequence[BenchRow], figures: Iterator[page.Figures]) -> list[BenchRow]:
    judge = list(page.judge(BenchEffort(), rows, figures))
    for row in judge:
        print(row)
    return judge


def test_the_first_load_is_small_and_nothing_jumps(browser: Browser, folder: Path) -> None:
    load, shift = found(page.ROWS[:2], page.first_load(browser, folder))
    assert load.ok and load.value is not None and load.value > 20_000, load
    assert shift.ok, shift


@pytest.mark.deep
@pytest.mark.timeout(600)
def test_a_click_is_seen_in_the_other_page_soon(browser: Browser, folder: Path) -> None:
    (row,) = found(page.ROWS[2:3], page.clicks(browser, folder, page.CLICKS))
    assert row.ok, row


@pytest.mark.deep
@pytest.mark.timeout(1500)
def test_the_heap_does_not_grow_with_the_hands(browser: Browser, folder: Path) -> None:
    (row,) = found(page.ROWS[3:4], page.heap_growth(browser, folder, page.EARLY, page.LATE))
    assert row.ok, row


@pytest.mark.deep
def test_only_transform_and_opacity_move_and_a_replay_never_blocks(browser: Browser, folder: Path) -> None:
    task, moved = found(page.ROWS[4:], page.replay(browser, folder))
    assert task.ok and moved.ok, (task, moved)


def _raise() -> page.Figures:
    raise BadParameter("no table")


def test_what_cannot_be_measured_has_failed() -> None:
    broken = (_raise() for _ in range(1))
    assert [(row.ok, row.note) for row in found(page.ROWS[2:3], broken)] == [(False, "no table")]


def test_without_a_browser_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "CHROMIUM", ("no-such-browser",))
    with pytest.raises(BadParameter, match="apt-get install chromium"):
        next(page.run(BenchEffort()))
