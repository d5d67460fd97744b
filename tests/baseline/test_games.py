"""`play --json` and `verify --json` of ten games give the recorded lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from baseline.games import NAMES, recording_of, told
from baseline.masks import read_lines


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_game_gives_the_same_lines(name: str, tmp_path: Path) -> None:
    now, before = told(name, tmp_path), read_lines(recording_of(name))
    for number, (line, recorded) in enumerate(zip(now, before, strict=False), start=1):
        assert line == recorded, f"line {number}"
    assert len(now) == len(before)
