"""Turn order around a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodealer.errors import BadParameter
from nodealer.games.turns import after, around

seats = st.sets(st.integers(0, 19), min_size=1)


@pytest.mark.parametrize(
    ("seat", "steps", "expected"), [(2, 1, 5), (7, 1, 2), (2, -1, 7), (2, 2, 7), (5, 3, 5), (5, -4, 2)]
)
def test_after(seat: int, steps: int, expected: int) -> None:
    assert after(seat, {7, 2, 5}, steps) == expected


@pytest.mark.parametrize(("seat", "left", "right"), [(0, 2, 7), (3, 5, 2), (6, 7, 5), (9, 2, 7)])
def test_after_a_seat_that_is_not_there(seat: int, left: int, right: int) -> None:
    assert (after(seat, (2, 5, 7)), after(seat, (2, 5, 7), -1)) == (left, right)


def test_around() -> None:
    assert around(5, (2, 5, 7)) == (5, 7, 2) and around(3, (2, 5, 7)) == (5, 7, 2)
    assert around(8, (2, 5, 7)) == (2, 5, 7) and around(1, ()) == ()


def test_no_seat_follows_in_an_empty_circle() -> None:
    with pytest.raises(BadParameter):
        after(0, ())


@given(seats, st.integers(0, 19))
def test_one_after_the_other_is_once_around(among: set[int], first: int) -> None:
    order = around(first, among)
    assert set(order) == among and len(order) == len(among)
    assert [after(seat, among) for seat in order] == [*order[1:], order[0]]
    assert order[0] == (first if first in among else after(first, among))
    assert all(after(after(seat, among), among, -1) == seat for seat in among)
