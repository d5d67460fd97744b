"""Copies of records: as `dataclasses.replace` makes them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property

import pytest

from nodealer.records import replace


@dataclass(frozen=True)
class Plain:
    a: int
    b: tuple[int, ...] = ()
    c: dict[str, int] = field(default_factory=dict)

    @cached_property
    def kept(self) -> int:
        return 10 * self.a


@dataclass(frozen=True)
class Checked:
    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


@dataclass(frozen=True, slots=True)
class Slotted:
    a: int
    b: int = 2


def test_a_copy_is_what_the_constructor_makes() -> None:
    one = Plain(1, (2,), {"x": 3})
    assert one.kept == 10
    other = replace(one, a=5, b=(7,))
    assert other == dataclasses.replace(one, a=5, b=(7,)) == Plain(5, (7,), {"x": 3})
    assert other.kept == 50 and one.kept == 10 and one == Plain(1, (2,), {"x": 3})
    assert replace(one) == one and replace(one) is not one and other.c is one.c
    with pytest.raises(dataclasses.FrozenInstanceError):
        other.a = 6  # type: ignore[misc]


def test_records_with_a_check_or_slots_go_through_their_constructor() -> None:
    with pytest.raises(ValueError, match="negative"):
        replace(Checked(1), a=-1)
    assert replace(Checked(1), a=2) == Checked(2)
    assert replace(Slotted(1), a=3) == Slotted(3, 2)


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypeError):
        replace(Plain(1), d=2)  # type: ignore[call-arg]


def test_a_copy_shares_nothing_but_the_values() -> None:
    one = Plain(1)
    other = replace(one)
    assert other.kept == 10 and "kept" not in vars(one) and vars(other) is not vars(one)
    again = replace(other, a=2)
    assert again.kept == 20 and vars(again).keys() == {"a", "b", "c", "kept"} and other.kept == 10
