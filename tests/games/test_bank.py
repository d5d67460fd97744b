"""The chips of one hand: no seat pays more than it has, and no chip appears or is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodealer.errors import BadParameter
from nodealer.games.bank import Bank


def test_a_hand() -> None:
    bank = Bank({0: 10, 1: 3, 2: 7}).pays(0, 2).pays(1, 5).pays(0, 3)
    assert bank.paid == {0: 5, 1: 3} and [bank.left(seat) for seat in range(3)] == [5, 0, 7]
    assert bank.net({1: 8}) == {0: -5, 1: 5, 2: 0} and bank.after({1: 8}) == {0: 5, 1: 8, 2: 7}


@pytest.mark.parametrize("won", [{}, {1: 7}, {1: 9}, {0: 9, 1: -1}])
def test_all_that_was_paid_is_divided(won: dict[int, int]) -> None:
    with pytest.raises(BadParameter, match="does not add up"):
        Bank({0: 10, 1: 3}, {0: 5, 1: 3}).net(won)


def test_no_negative_payments() -> None:
    with pytest.raises(BadParameter):
        Bank({0: 10}).pays(0, -1)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60))))
def test_chips_stay_the_same(stacks: list[int], payments: list[tuple[int, int]]) -> None:
    bank = Bank(dict(enumerate(stacks)))
    for seat, amount in payments:
        bank = bank.pays(seat % len(stacks), amount)
    assert all(0 <= bank.left(seat) <= chips for seat, chips in bank.chips.items())
    winner = {0: sum(bank.paid.values())}
    assert sum(bank.net(winner).values()) == 0 and sum(bank.after(winner).values()) == sum(stacks)
