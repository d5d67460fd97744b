"""Two friends who look at a card first gain next to nothing if leaving has its full price."""

from __future__ import annotations

import pytest

from nodealer.games.holdem import Holdem
from nodealer.games.holdem.leave_price import LeavePricing
from sampling import times

from .friends import fifty_each, gain_per_hand

STRICT = Holdem(200, (1, 2))
GENTLE = Holdem(200, (1, 2), leaving=LeavePricing.GENTLE)
#: In big blinds a hand.
MOST = 0.5


def deep_stacks(leaving: LeavePricing) -> Holdem:
    return Holdem(400, (1, 2), leaving=leaving)


@pytest.mark.timeout(3600)
def test_with_fifty_big_blinds_each_on_the_turn(capsys: pytest.CaptureFixture[str]) -> None:
    hands = range(times(50, deep=2000))
    strict, gentle = (fifty_each(deep_stacks(leaving), hands) for leaving in (LeavePricing.STRICT, LeavePricing.GENTLE))
    with capsys.disabled():
        print(f"\nfifty big blinds each, {len(hands)} hands: strict {strict:+.2f}, gentle {gentle:+.2f} a hand")
    assert strict < MOST
    assert gentle > 3 * strict, "the attack is one: without the price it pays"


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_any_two_seats_of_a_table_of_bots(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole hands, as bots play them: pots of all sizes, including all-in seats that leave for nothing."""
    for rules in (STRICT, GENTLE):
        gains = gain_per_hand(rules, range(2000))
        with capsys.disabled():
            print(f"\n{rules.leaving.value}:", {pair: f"{gain:+.2f}" for pair, gain in gains.items()})
        assert rules is GENTLE or max(gains.values()) < MOST


def test_a_few_hands_of_bots() -> None:
    """Too few for a figure, because one pot may decide; the test above gives the figure."""
    gains = gain_per_hand(STRICT, range(1000, 1020))
    assert sum(gains.values()) / len(gains) < MOST
