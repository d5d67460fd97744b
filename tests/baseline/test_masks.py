"""A comparison with a recording ignores prose and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from baseline.masks import PAGE_PROSE, lines_of

EVENT: dict[str, Any] = {
    "event": "cards", "seat": 0, "checks": {"proofs": 2}, "text": "Ada shuffled", "seconds": 0.2, "reason": None,
    "steps": [[0, "shuffle", "shuffles"]],
}  # fmt: skip


@pytest.mark.parametrize(
    "change", [{"text": ""}, {"seconds": 9.0}, {"steps": [[0, "shuffle", "is shuffling"]]}], ids=str
)
def test_prose_and_times_do_not_count(change: dict[str, Any]) -> None:
    assert lines_of([EVENT | change]) == lines_of([EVENT])


@pytest.mark.parametrize(
    "change",
    [{"seat": 1}, {"checks": {"proofs": 3}}, {"reason": "late"}, {"more": 1}, {"steps": [[1, "shuffle", "shuffles"]]}],
    ids=str,
)
def test_everything_else_counts(change: dict[str, Any]) -> None:
    assert lines_of([EVENT | change]) != lines_of([EVENT])


def test_the_order_of_keys_counts() -> None:
    assert lines_of([dict(reversed(EVENT.items()))]) != lines_of([EVENT])


def test_pages_have_more_prose() -> None:
    asked = [{"type": "ask", "prompt": [["your move", None]]}, {"type": "ask", "prompt": []}]
    assert len(set(lines_of(asked, PAGE_PROSE))) == 1 and len(set(lines_of(asked))) == 2
