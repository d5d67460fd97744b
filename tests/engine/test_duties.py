"""Duties: one object for each, and what stays open stays what it was."""

from __future__ import annotations

from nodealer.engine.duties import ClosedDuty, Duties
from nodealer.group import Group
from nodealer.protocols.base import Binding, Duty
from nodealer.records import replace

ANCHOR = bytes(32)


def _table(group: Group, hand: int = 0) -> Binding:
    return Binding("mask", 0, bytes(32), bytes(32), hand, (0, 1), (), group)


def test_a_table_has_one_object_for_each_duty(fast: Group) -> None:
    table = _table(fast)
    one = table.duty(0, 1, "release", ANCHOR)
    assert one is table.duty(0, 1, "release", ANCHOR) and one == Duty(table, 0, 1, "release", ANCHOR)
    others = (
        table.duty(1, 1, "release", ANCHOR),
        table.duty(None, 1, "release", ANCHOR),
        table.duty(0, 0, "release", ANCHOR),
        table.duty(0, 1, "rekey", ANCHOR),
        table.duty(0, 1, "release", bytes(31) + b"1"),
        _table(fast, 1).duty(0, 1, "release", ANCHOR),
    )
    assert len({one.id, *(other.id for other in others)}) == len(others) + 1
    # What else is said of a duty does not change which one it is.
    recalled = table.duty(0, 1, "release", ANCHOR, recalls=bytes(32))
    chosen = table.duty(0, 1, "release", ANCHOR, choice=True, optional=True, may_choose=True)
    assert chosen == Duty(table, 0, 1, "release", ANCHOR, choice=True, optional=True, may_choose=True)
    assert recalled.recalls == bytes(32) and one.id == recalled.id == chosen.id
    # A table that somebody has left is another one.
    assert replace(table, seats=(0,)).duty(0, 1, "release", ANCHOR) is not one


def test_what_stays_open_stays_what_it_was(fast: Group) -> None:
    table = _table(fast)
    first, second = table.duty(0, 0, "release", ANCHOR), table.duty(0, 1, "release", ANCHOR)
    both = Duties().with_open((first, second), 3)
    assert both.with_open((first, second), 4) is both
    rest = both.with_open((second,), 5)
    assert rest.open == {second.id: both.open[second.id]} and rest.open[second.id].since == 3
    assert rest.find_closed(first.id, 4) == ClosedDuty(0, 3, 5)
    # It is the newest word on a duty that counts, and it is open as long as before.
    freed = replace(second, optional=True)
    after = rest.with_open((freed, first), 6)
    assert after.open[second.id].duty is freed and after.open[second.id].since == 3
    assert after.open[first.id].since == 6 and rest.open[second.id].duty is second
    assert after.find_closed(second.id, 5) == ClosedDuty(1, 3, 6)
