"""`bench hand`: its rows on a tiny hand, and a meter that knows every operation of a group."""

from __future__ import annotations

import pytest

from nodealer.group import Group, default_backend
from nodealer_lab.bench import hand, metered_group
from nodealer_lab.bench.rounds import BenchEffort


def test_the_meter_knows_every_operation() -> None:
    known = {name for name in vars(Group) if not name.startswith("_")}
    assert known == {*metered_group._GROUP, *metered_group._FACTS, "G"}


@pytest.mark.skipif(default_backend() != "native", reason="measures the native core")
@pytest.mark.parametrize("protocol", ["mask", "lock"])
def test_a_hand(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand, "SEATS", (3,))
    monkeypatch.setattr(hand, "SEATS_OF", {})
    rows = list(hand.run(BenchEffort(pairs=2, seconds=0.0, shrink=4), protocol))
    assert {row.name for row in rows} >= {"play a hand, CPU of one seat", "verify its log", "saved log"}
