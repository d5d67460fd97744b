"""Pages are told the recorded documents, in the recorded order."""

from __future__ import annotations

import pytest

from baseline.masks import read_lines
from baseline.pages import TABLES, recording_of, told


@pytest.mark.parametrize("game", TABLES)
def test_pages_are_told_the_same_documents(game: str) -> None:
    now, before = told(game), read_lines(recording_of(game))
    for number, (line, recorded) in enumerate(zip(now, before, strict=False), start=1):
        assert line == recorded, f"document {number}"
    assert len(now) == len(before)
