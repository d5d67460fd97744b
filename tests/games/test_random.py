"""Random hands: two replicas agree, old values do not change, chips are conserved, and pots are paid correctly."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.engine.ledger import Ledger
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Hand, HandStage, Holdem, Move, Raise
from nodealer.games.holdem.adapter import strength
from nodealer.wire import encode
from sampling import times

from .dealer import Dealer, Dice, Policy, play, public, stacks_after, table_of, wild
from .independent import best, pay


def _posted(hand: Hand, rules: Holdem) -> dict[int, int]:
    """Return the antes and blinds, computed from the rules instead of the table."""
    blinds = {hand.small_blind: rules.blinds[0], hand.big_blind: rules.blinds[1]}
    put_in = {}
    for seat in hand.players:
        ante = min(hand.chips[seat], rules.ante)
        put_in[seat] = ante + min(hand.chips[seat] - ante, blinds.get(seat, 0))
    return put_in


def _reckoned(policy: Policy, put_in: dict[int, int], folded: set[int]) -> Policy:
    """Return the policy, which also counts the chips it puts in."""

    def reckoned(hand: Hand, seat: int) -> Move:
        move, legal = policy(hand, seat), hand.legal(seat)
        match move:
            case Raise(to=to):
                put_in[seat] += to - hand.table.bets[seat]
            case _ if type(move).__name__ == "Call":
                put_in[seat] += legal.call or 0
            case _ if type(move).__name__ in ("Fold", "Muck") and hand.stage is not HandStage.CLAIMING:
                folded.add(seat)
        return move

    return reckoned


def _one_hand(seed: str | int) -> Hand:
    dice = Dice("random hand", seed)
    scale = (6, 40, 400, 3000)[dice.below(4)]
    stacks = {seat: 1 + dice.below(scale) for seat in range(0, 2 * (2 + dice.below(8)), 2)}
    small = 1 + dice.below(5)
    rules = Holdem(3000, (small, small + dice.below(6)), dice.below(4) * dice.below(2))
    hand = table_of(stacks, rules, button=sorted(stacks)[dice.below(len(stacks))])
    put_in, folded = _posted(hand, rules), set[int]()
    policy = _reckoned(wild(dice), put_in, folded)
    dealer, replica, past = Dealer.shuffled("random hand", seed, stride=(1, 5)[dice.below(2)]), hand, []
    while not isinstance(hand.wants, Done):
        past.append((hand, public(hand)))
        if isinstance(hand.wants, Ask):
            events = dealer.answer(hand.wants)
            hand, replica = hand.told(events), replica.told(events)
        else:
            assert isinstance(hand.wants, Turn)
            (seat,) = hand.wants.seats
            move = encode(policy(hand, seat))
            hand, replica = hand.moved(seat, move), replica.moved(seat, move)
        assert public(hand) == public(replica)
        assert hand.wants == replica.wants
    assert all(public(old) == then for old, then in past), "an old value has changed"
    assert len({then for _, then in past}) == len(past)

    values = {
        seat: best(hand.shown[seat], hand.board) if seat in hand.shown and len(hand.board) == 5 else None
        for seat in hand.players
        if seat not in folded
    }
    paid = pay(put_in, values, hand.players)
    assert hand.after == {seat: stacks[seat] - put_in[seat] + paid[seat] for seat in hand.players}
    _refuse_false_result(hand, stacks)
    return hand


def _refuse_false_result(hand: Hand, stacks: dict[int, int]) -> None:
    assert isinstance(hand.wants, Done)
    result = hand.wants.result
    assert sum(row["before"] for row in result["stacks"]) == sum(row["after"] for row in result["stacks"])
    assert all(row["after"] >= 0 for row in result["stacks"])
    gains = {row["seat"]: row["after"] - row["before"] for row in result["stacks"]}
    won = Counter[int]()
    for pot in result["pots"]:
        assert sum(winner["amount"] for winner in pot["winners"]) == pot["amount"] > 0
        for winner in pot["winners"]:
            won[winner["seat"]] += winner["amount"]
    # What nobody called is in no pot: a seat's gain is what it won less at most what it put in.
    for seat, put_in in zip(hand.players, hand.table.put_in, strict=True):
        assert won[seat] - put_in <= gains[seat] <= won[seat]
    assert encode(result)


def _many(seeds: range) -> Counter[str]:
    seen = Counter[str]()
    for seed in seeds:
        hand = _one_hand(seed)
        seen[hand.ending.value if hand.ending else "?"] += 1
        seen["all in"] += hand.table.all_in
        seen["side pots"] += len(hand.pots) > 1
        seen["split"] += any(len(pot.winners) > 1 for pot in hand.pots)
        seen["odd"] += any(pot.amount % len(pot.winners) for pot in hand.pots)
        seen[f"{len(hand.players)} seats"] += 1
    return seen


def test_random_hands() -> None:
    seen = _many(range(times(60, deep=160)))
    for kind in ("showdown", "folded", "all in", "side pots", "split", "2 seats", "9 seats"):
        assert seen[kind], f"no hand with {kind}: {seen}"


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_many_random_hands() -> None:
    seen = _many(range(1000, 9000))
    assert seen["odd"] > 20, seen


def _session(seed: int, hands: int) -> None:
    """Play hands one after another; seats join, leave, miss hands and run out of chips."""
    dice = Dice("session", seed)
    rules = Holdem(60, (1, 2), dice.below(2))
    before, account = None, Ledger()
    seats = tuple(range(3 + dice.below(5)))
    for number in range(hands):
        account = account.add_seats(seats, rules.stake)
        hand = rules.begin(number, seats, before, {seat: account.chips[seat] for seat in seats})
        before = play(hand, Dealer.shuffled("session", seed, number), wild(dice))
        assert isinstance(before.wants, Done)
        account = account.close_hand(number, before.wants, before.players, books=False)
        chips, known = account.chips, set(account.chips)
        assert {seat: chips[seat] for seat in seats} == stacks_after(before)
        assert sum(chips.values()) == 60 * len(known)
        if isinstance(before, Hand):
            assert set(before.players) <= set(seats)
            assert all(before.chips[seat] > 0 for seat in before.players)
        else:
            assert sum(chips[seat] > 0 for seat in seats) < 2
        everyone = range(12)
        seats = tuple(s for s in everyone if (s in seats) != (dice.below(6) == 0 and (s in seats or s in known)))
        if len(seats) < 2 or dice.below(4) == 0:
            seats = tuple(sorted({*seats, *(dice.below(12) for _ in range(3))}))[:9]
        if len(seats) < 2:
            seats = (0, 1, 2)


def test_sessions() -> None:
    for seed in range(5):
        _session(seed, 20)


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_many_sessions() -> None:
    for seed in range(100, 200):
        _session(seed, 60)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 51), min_size=9, max_size=9, unique=True))
def test_two_evaluators(cards: list[int]) -> None:
    """pokerkit evaluates hands; another evaluator orders them the same way."""
    board, one, two = cards[:5], cards[5:7], cards[7:]
    ours, theirs = (best(one, board), best(two, board)), (strength(one, board), strength(two, board))
    assert (ours[0] > ours[1]) == (theirs[0] > theirs[1])
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
