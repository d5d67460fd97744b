"""What `bench game` measures is a real game; the whole suite only in `make deep`, for it plays in many processes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from nodealer.audit.verify import verify_file
from nodealer.engine.replica import replay
from nodealer.games.registry import DEFAULT_GAME, find_game
from nodealer.log.file import save_log
from nodealer_lab.bench import game
from nodealer_lab.bench.rounds import BenchEffort


def test_the_game_is_clean_and_a_hand_is_cheaper_as_one(tmp_path: Path) -> None:
    holdem = find_game(DEFAULT_GAME)
    table = game.play_locally(replace(holdem, measured=replace(game.measuring_plan(holdem), seats=3)), 2)
    config = table.seats[0].replica.config
    save_log(tmp_path / "log", config.session, table.log)
    report = verify_file(tmp_path / "log", entropy=os.urandom)
    assert report.verdict == "clean" and len(report.as_json()["results"]) == 2
    again = replay(config, table.log, entropy=os.urandom)
    assert {one.replica.digest() for one in table.participants} == {again.digest()}, "what was believed was so"
    row = game._batch_row(BenchEffort(pairs=2, seconds=0.0), config, table.log)
    assert row.n["proofs"] == 6 and row.required == 0.6 and row.ratio is not None


def test_a_game_that_says_nothing_of_it_is_measured_as_it_is_played() -> None:
    wardens = find_game("wardens")
    how = game.measuring_plan(wardens)
    assert (how.seats, how.settings) == (2, {}) and wardens.measured is None
    assert len(game.play_locally(wardens, 1).seats) == 2


@pytest.mark.deep
def test_all_rows() -> None:
    rows = list(game.run(BenchEffort(pairs=2, seconds=0.0, shrink=13)))
    assert [row.required for row in rows] == [None, None, 0.6, None, 0.85]
    assert all(row.seconds or row.value for row in rows)
