"""What the bench of `offset` measures is what it says: a real second shuffle, verified, and all that proves it."""

from __future__ import annotations

import pytest

from nodealer.errors import NodealerError
from nodealer.group import group
from nodealer_lab.bench import offset
from nodealer_lab.bench.rounds import BenchEffort


@pytest.mark.parametrize("protocol", ["offset", "mask"])
def test_a_step_verifies_and_a_false_one_does_not(protocol: str) -> None:
    due = offset.second_shuffle(group(), protocol, 4)
    assert (due.duty.seat, due.duty.kind) == (1, "shuffle")
    message = due.prove()
    due.verify(message)
    other = offset.second_shuffle(group(), protocol, 5)
    with pytest.raises(NodealerError):
        due.verify(other.prove())
    with pytest.raises(NodealerError):
        due.verify(message.replace(b'"proof":"A', b'"proof":"B'))


def test_rows() -> None:
    rows = list(offset.rows(BenchEffort(pairs=1, seconds=0.0, shrink=13), group()))
    assert [row.required for row in rows] == [4.0, None, 4.0, None, 10_000]
    assert rows[-1].value == 160 * 4 + 610
    assert all(row.ratio is not None and row.ratio > 0 for row in rows[:-1])
