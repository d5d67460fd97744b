"""Pots and side pots, compared with a second way to count them, and checked for invariants."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from nodealer.games.pots import Pot, PotClaims, pots, winnings

from .independent import pay


@st.composite
def contests(draw: st.DrawFn) -> PotClaims:
    """Seats that have put something in; some of them are still in, and all of these can be compared."""
    put_in = dict(enumerate(draw(st.lists(st.integers(1, 40), min_size=2, max_size=6))))
    staying = tuple(sorted(draw(st.sets(st.sampled_from(sorted(put_in)), min_size=1))))
    return PotClaims(put_in, staying, {seat: draw(st.integers(0, 3)) for seat in staying})


@st.composite
def forfeits(draw: st.DrawFn) -> PotClaims:
    """The same with hands that cannot be compared, and seats that have left."""
    claims = draw(contests())
    known = {seat: strength for seat, strength in claims.known.items() if draw(st.booleans())}
    gone = tuple(seat for seat in claims.put_in if seat not in claims.staying and draw(st.booleans()))
    reach = {seat: claims.put_in[seat] + draw(st.integers(0, 30)) for seat in claims.staying}
    return PotClaims(claims.put_in, claims.staying, known, gone, reach if draw(st.booleans()) else {})


def total(chips: Mapping[int, int]) -> int:
    return sum(chips.values())


@given(contests())
def test_the_same_by_other_means(claims: PotClaims) -> None:
    values = {seat: (strength, list[int]()) for seat, strength in claims.known.items()}
    assert winnings(claims) == pay(claims.put_in, values, sorted(claims.put_in))


@given(forfeits())
def test_no_chip_is_made_or_lost(claims: PotClaims) -> None:
    won = winnings(claims)
    assert total(won) == total(claims.put_in) and min(won.values()) >= 0
    divided = pots(claims)
    uncalled = total(claims.put_in) - sum(pot.amount for pot in divided)
    assert 0 <= uncalled <= max(claims.put_in.values())


@given(forfeits())
def test_winners_of_a_pot(claims: PotClaims) -> None:
    for pot in pots(claims):
        assert pot.winners and set(pot.winners) <= {*claims.staying, *claims.gone}
        best = max((claims.known[seat] for seat in pot.winners if seat in claims.known), default=None)
        assert {claims.known.get(seat, best) for seat in pot.winners} == {best}, "one that nobody can compare is a tie"
    assert all(one.winners != two.winners for one, two in zip(pots(claims), pots(claims)[1:], strict=False))


@given(contests())
def test_no_seat_wins_more_from_another_than_it_put_in(claims: PotClaims) -> None:
    won, most = winnings(claims), max(claims.put_in[seat] for seat in claims.staying)
    for seat in claims.put_in:
        own = claims.put_in[seat]
        if seat not in claims.staying:
            assert won[seat] == 0, "who gave up gets nothing"
        elif own < most:
            assert won[seat] <= sum(min(own, other) for other in claims.put_in.values())


@given(st.integers(1, 1_000), st.lists(st.integers(0, 9), min_size=1, max_size=9, unique=True))
def test_odd_chips_are_the_first_winners(amount: int, winners: list[int]) -> None:
    first, *others = Pot(amount, tuple(winners)).shares.items()
    assert first[0] == winners[0] and {share for _, share in others} <= {amount // len(winners)}
    assert first[1] == amount // len(winners) + amount % len(winners)


def test_main_pot_side_pot_and_an_uncalled_bet() -> None:
    claims = PotClaims({0: 10, 1: 30, 2: 50, 3: 5}, (0, 1, 2), {0: 9, 1: 5, 2: 3})
    assert pots(claims) == (Pot(35, (0,)), Pot(40, (1,)))
    assert winnings(claims) == {0: 35, 1: 40, 2: 20, 3: 0}
