"""The price of leaving in the middle of a card operation: who pays how much, and who gets it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.cards.events import Half
from nodealer.engine.ledger import Ledger
from nodealer.games.base import Done
from nodealer.games.holdem import Call, Fold, Hand, HandStage, Holdem, Move, Muck, NoHand, Raise, ShowHand
from nodealer.games.holdem.export import hand_history
from nodealer.games.holdem.leave_price import LeavePricing

from .dealer import CALL, FOLD, Dealer, Dice, checks_down, dealt, play, raise_to, step, table_of, wild

RULES = Holdem(200, (1, 2))
GENTLE = Holdem(200, (1, 2), leaving=LeavePricing.GENTLE)
DECK = "AsAd KsKd QsQd 2c7dJh 3s 9c"


def flop(rules: Holdem = RULES, *stacks: int, last: bytes = CALL) -> Hand:
    """Seats 0 to 2 have 50 each in the pot, or all they have, and the flop is being opened."""
    hand = table_of(dict(enumerate(stacks or (200, 200, 200))), rules)
    hand = dealt(hand, Dealer.stacked(DECK)).moved(0, raise_to(50)).moved(1, CALL).moved(2, last)
    assert hand.stage is HandStage.BOARD
    return hand


def charge(hand: Hand, seat: int, *halves: Half) -> dict[int, int]:
    for half in halves:
        hand = hand.charged(seat, half)
    return dict(hand.charges)


@pytest.mark.parametrize(("half", "strict", "gentle"), [(Half.DEALT, 2, 2), (Half.OPENED, 50, 2), (Half.REBUILT, 2, 2)])
def test_prices(half: Half, strict: int, gentle: int) -> None:
    """The most that another live hand has in the pot if a card may have been seen; otherwise one big blind."""
    assert charge(flop(), 0, half) == {0: strict}
    assert charge(flop(GENTLE), 0, half) == {0: gentle}
    assert charge(flop(), 7, half) == {}, "who is not dealt in pays nothing"


def test_it_pays_from_what_it_has_behind_and_the_largest_once() -> None:
    assert charge(flop(RULES, 60, 200, 200), 0, Half.OPENED) == {0: 10}
    assert charge(flop(RULES, 50, 200, 200), 0, Half.OPENED) == {0: 0}
    for halves in ((Half.DEALT, Half.OPENED), (Half.OPENED, Half.REBUILT), (Half.OPENED, Half.OPENED)):
        assert charge(flop(), 1, *halves) == {1: 50}


def test_only_live_hands_count_and_one_that_folded_pays_as_well() -> None:
    hand = flop(last=FOLD)
    assert charge(hand, 2, Half.OPENED) == {2: 50}
    alone = hand.left((1,), cards=True)
    assert alone.stage is HandStage.OVER, "one hand is left"
    # The other two have 40 and 50; with the one gone that has 50, 40 is the most.
    uneven = flop(RULES, 200, 40, 200)
    assert charge(uneven, 2, Half.OPENED) == {2: 50}
    assert charge(uneven.left((0,), cards=True), 2, Half.OPENED) == {2: 40}


def ended() -> Hand:
    """Seat 1 leaves with the flop half open, and the others check down: kings win."""
    over = play(flop().charged(1, Half.OPENED).left((1,), cards=True), after_the_deal(), checks_down)
    assert isinstance(over, Hand)
    return over


def after_the_deal() -> Dealer:
    """The rest of the deck of `flop`."""
    dealer = Dealer.stacked(DECK)
    dealer.dealt = list(range(6))
    return dealer


def test_the_hand_is_dead_and_the_bets_stay_and_the_charge_is_in_no_pot_of_this_hand() -> None:
    over = ended()
    done = over.wants
    assert isinstance(done, Done) and done.charged == {1: 50} and done.dead == 0
    assert done.net == {0: -50, 1: -50, 2: 100} and sum(pot.amount for pot in over.pots) == 150
    assert done.result["charged"] == [{"seat": 1, "amount": 50}] and done.result["dead"] == 0
    assert [row["after"] for row in done.result["stacks"]] == [150, 100, 300]
    assert hand_history(over).user_defined_fields["_charged"] == [50, 0, 0]


def test_dead_money_lies_in_the_next_pot_and_its_leaver_is_not_dealt_in() -> None:
    """For as many hands as seats were dealt in; the button and the blinds skip it."""
    over = ended()
    account = Ledger({0: 200, 1: 200, 2: 200}).close_hand(0, done_of(over), over.players, books=False)
    assert account.chips == {0: 150, 1: 100, 2: 300} and [one.amount for one in account.dead] == [50]
    hand: Hand | NoHand = over
    for number in range(1, 4):
        begun = RULES.begin(number, (0, 1, 2), hand, account.chips)
        assert isinstance(begun, Hand) and set(begun.players) == {0, 2}
        assert begun.dead == (50 if number == 1 else 0) and begun.pot == 3 + begun.dead
        hand = play(begun, Dealer.shuffled("next", number), checks_down)
        done = done_of(hand)
        assert sum(done.net.values()) == done.dead == begun.dead
        account = account.close_hand(number, done, hand.players, books=False)
        assert sum(account.chips.values()) == 600 and not account.dead
    again = RULES.begin(4, (0, 1, 2), hand, account.chips)
    assert set(again.players) == {0, 1, 2}


def done_of(hand: Hand | NoHand) -> Done:
    assert isinstance(hand.wants, Done)
    return hand.wants


def test_side_pots_and_odd_chips() -> None:
    """Dead money is in the main pot: a player who is all in for less can win it. Odd chips go as in every pot."""
    # Seats 1 and 0 have the same hand, the best; seat 0 has 20 chips in all.
    hand = replace(table_of({0: 20, 1: 200, 2: 200}, RULES), dead=7)
    over = play(hand, Dealer.stacked("AsKd QsQd AdKs 2c7dJh Ah 9c"), shoves)
    assert isinstance(over, Hand)
    assert [(pot.amount, pot.shares) for pot in over.pots] == [(67, {1: 34, 0: 33}), (40, {1: 40})]
    assert over.stacks_after == {0: 33, 1: 160 + 34 + 40, 2: 160}


def shoves(hand: Hand, seat: int) -> Move:
    """Seat 1 raises to 40, which seat 0 does not have; then they check."""
    legal = hand.legal(seat)
    if legal.call is None:
        return ShowHand()
    return Raise(40) if seat == 1 and legal.raise_to is not None and hand.table.bets[1] == 1 else Call()


def test_without_a_next_hand_the_others_dealt_in_have_it() -> None:
    over = ended()
    account = Ledger({0: 200, 1: 200, 2: 200, 3: 9}).close_hand(0, done_of(over), over.players, books=False)
    assert account.close_session().chips == {0: 175, 1: 100, 2: 325, 3: 9}
    # A hand that is not played is not played for it.
    idle = NoHand(1, (0, 1, 2), over.carry, account.chips)
    assert account.close_hand(1, done_of(idle), (), books=False).dead == account.dead


def test_two_at_a_table_wait_out_the_hands() -> None:
    """No one can play them: they are over at once, and then the two play again."""
    hand = dealt(table_of({0: 200, 1: 200}, RULES), Dealer.stacked(DECK)).moved(0, CALL).moved(1, CALL)
    over = hand.charged(1, Half.OPENED).left((1,), cards=False)
    chips = {0: 202, 1: 196}
    first = RULES.begin(1, (0, 1), over, chips)
    second = RULES.begin(2, (0, 1), first, chips)
    third = RULES.begin(3, (0, 1), second, chips)
    assert isinstance(first, NoHand) and isinstance(second, NoHand) and isinstance(third, Hand)
    assert third.dead == 2 and set(third.players) == {0, 1}


def test_a_hand_without_result_passes_dead_money_on() -> None:
    over = ended()
    chips = {0: 150, 1: 100, 2: 300}
    broken = RULES.begin(1, (0, 2), over, chips)
    assert isinstance(broken, Hand) and broken.dead == 50
    again = RULES.begin(2, (0, 2), broken.charged(0, Half.OPENED), chips)
    assert isinstance(again, NoHand) and again.carry.dead == 50


# --- Alone nobody gains ---


@pytest.mark.parametrize("seed", range(3))
def test_leaving_is_never_better_than_folding(seed: int) -> None:
    paired(seed)


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_many_leavers() -> None:
    for seed in range(100, 1000):
        paired(seed)


def paired(seed: int) -> None:
    """At every step of a hand, for every seat: continue the same deal twice, once leaving and once folding.

    A seat that folds checks if it can, and shows nothing unless it must.
    """
    dice = Dice("paired", seed)
    stacks = {seat: 2 + dice.below((30, 300)[dice.below(2)]) for seat in range(2 + dice.below(4))}
    hand = table_of(
        stacks, Holdem(300, (1, 2), dice.below(2), (LeavePricing.STRICT, LeavePricing.GENTLE)[dice.below(2)])
    )
    dealer, policy = Dealer.shuffled("paired", seed), wild(dice)
    at = 0
    while not isinstance(hand.wants, Done):
        for seat in hand.players:
            folds = finished(hand, dealer, seat, (seed, at))
            for cards in (True, False):
                left = finished(hand.left((seat,), cards=cards), dealer, seat, (seed, at))
                # A price comes off, and changes nothing else.
                for half in Half:
                    paid = hand.charged(seat, half).charges[seat]
                    assert 0 <= left.after[seat] - paid <= folds.after[seat], (seed, at, seat, cards, half)
                assert left.after[seat] <= folds.after[seat] and sum(left.after.values()) == sum(stacks.values())
        hand, at = step(hand, dealer, policy), at + 1


def finished(hand: Hand, dealer: Dealer, seat: int, seed: tuple[int, int]) -> Hand:
    """Finish the hand on the same cards; the others play the same, and this seat folds."""
    twin = Dealer(list(dealer.order), dealer.stride, list(dealer.dealt))
    others = wild(Dice("others", *seed))
    over = play(hand, twin, lambda h, s: _folds(h, s) if s == seat else others(h, s))
    assert isinstance(over, Hand)
    return over


def _folds(hand: Hand, seat: int) -> Move:
    legal = hand.legal(seat)
    if legal.call is None:
        return Muck()
    return Fold() if legal.fold else Call()
