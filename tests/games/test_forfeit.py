"""Seats that leave in the middle of a hand, with and without further card operations."""

from __future__ import annotations

import pytest

from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Hand, HandStage, Holdem, HoldemEnding
from nodealer.games.pots import PotClaims, pots, winnings
from nodealer.wire import encode

from .dealer import (
    CALL,
    FOLD,
    MUCK,
    SHOW,
    Dealer,
    Dice,
    dealt,
    public,
    raise_to,
    script,
    stacks_after,
    table_of,
    wild,
)

RULES = Holdem(200, (1, 2))
DECK = "AsAd KsKd QsQd 2c7dJh 3s 9c"


def three(*stacks: int) -> Hand:
    """Seat 0 has the button, 1 the small blind and aces, 2 the big blind and kings."""
    return table_of(dict(enumerate(stacks or (200, 200, 200))), RULES)


def test_no_cards_the_last_player_in_takes_the_pot() -> None:
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), CALL, FOLD)
    end = hand.left((1,), cards=False)
    assert end.ending is HoldemEnding.FORFEIT and end.gone == {1}
    assert stacks_after(end) == {0: 212, 1: 190, 2: 198}


def test_no_cards_the_staying_players_share_the_pot() -> None:
    """No one knows who is ahead: staying hands get back what they paid and share what the others left."""
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), CALL, CALL)
    assert stacks_after(hand.left((2,), cards=False)) == {0: 205, 1: 205, 2: 190}
    # A bet that nobody has called yet is its own seat's.
    hand = script(hand, Dealer.stacked(DECK), raise_to(50))
    assert stacks_after(hand.left((2,), cards=False)) == {0: 205, 1: 205, 2: 190}
    assert stacks_after(hand.left((0, 2), cards=False)) == {0: 190, 1: 220, 2: 190}


def test_the_bets_of_the_gone_stay_in_the_pot() -> None:
    """Even a bet that no one has called yet: leaving takes no bet back."""
    hand = script(three(), Dealer.stacked(DECK), raise_to(100))
    # Three chips with an odd one; two of the raiser and the big blind; then 98, which both could have called.
    assert stacks_after(hand.left((0,), cards=False)) == {0: 100, 1: 199 + 2 + 49, 2: 198 + 1 + 2 + 49}
    hand = script(three(), Dealer.stacked(DECK), raise_to(100), FOLD)
    for cards in (True, False):
        assert stacks_after(hand.left((0,), cards=cards)) == {0: 100, 1: 199, 2: 301}


def test_an_unmatchable_bet_is_returned() -> None:
    """Seat 2 has 50 chips in all: it could never have won more than 50 from any player."""
    hand = script(three(200, 200, 50), Dealer.stacked(DECK), raise_to(150), FOLD)
    end = hand.left((0,), cards=False)
    assert stacks_after(end) == {0: 150, 1: 199, 2: 101}


def test_a_side_pot_of_the_gone_is_theirs() -> None:
    """Two bet more than the third has, and both leave: neither wins from the other; the third gets the main pot."""
    hand = script(three(200, 200, 50), Dealer.stacked(DECK), raise_to(150), CALL, CALL)
    end = hand.left((0, 1), cards=False)
    assert stacks_after(end) == {0: 150, 1: 150, 2: 150}


def test_a_folded_or_sitting_seat_leaves() -> None:
    """It has nothing in play; without its share of the keys no card opens, so the hand ends by the same rule."""
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), CALL, FOLD)
    assert stacks_after(hand.left((2,), cards=False)) == {0: 201, 1: 201, 2: 198}
    assert hand.left((2,), cards=True).wants == hand.wants
    sitting = table_of({0: 200, 1: 200, 2: 0}, RULES)
    assert sitting.players == (1, 0)
    end = dealt(sitting, Dealer.stacked(DECK)).left((2,), cards=False)
    assert end.ending is HoldemEnding.FORFEIT
    assert stacks_after(end) == {0: 200, 1: 200, 2: 0}


def test_all_live_seats_are_gone() -> None:
    """The folded seat that remains gets nothing: no one gains by claiming that the others have left."""
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), CALL, FOLD)
    for cards in (True, False):
        assert stacks_after(hand.left((0, 1), cards=cards)) == {0: 201, 1: 201, 2: 198}


def test_a_shown_hand_that_is_beaten_gets_nothing() -> None:
    dealer = Dealer.stacked(DECK)
    hand = script(three(), dealer, *[CALL] * 12, SHOW, SHOW)
    # Aces and kings are shown, queens are not, and now a card can open no more.
    assert hand.wants == Turn((0,))
    end = hand.left((), cards=False)
    assert stacks_after(end) == {0: 201, 1: 201, 2: 198}
    assert stacks_after(hand.left((0,), cards=False)) == {0: 198, 1: 204, 2: 198}


def test_an_uncontested_pot_is_won_whoever_leaves() -> None:
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), FOLD, FOLD)
    for gone in ((0,), (1,), (0, 1, 2)):
        end = hand.left(gone, cards=False)
        assert end.ending is HoldemEnding.FOLDED
        assert stacks_after(end) == {0: 203, 1: 199, 2: 198}
    assert hand.left((1,), cards=True).wants == Turn((0,))
    assert hand.left((0,), cards=True).ending is HoldemEnding.FOLDED
    boasting = hand.moved(0, SHOW)
    assert boasting.left((0,), cards=True).ending is HoldemEnding.FOLDED
    assert boasting.left((1,), cards=True).wants == boasting.wants
    mucked = script(three(), Dealer.stacked(DECK), *[CALL] * 12, MUCK, MUCK)
    assert stacks_after(mucked.left((0,), cards=False)) == {0: 204, 1: 198, 2: 198}


# --- With cards ---


def test_an_absent_seat_checks_and_folds_in_its_turn() -> None:
    dealer = Dealer.stacked(DECK)
    hand = dealt(three(), dealer).left((1,), cards=True)
    hand = hand.moved(0, CALL)
    # The small blind was to call one chip: it has folded, and the big blind is asked.
    assert hand.wants == Turn((2,)) and hand.table.live == (2, 0)
    end = script(hand, dealer, CALL, *[CALL] * 6, SHOW, SHOW)
    assert end.ending is HoldemEnding.SHOWDOWN and stacks_after(end) == {0: 198, 1: 199, 2: 203}
    assert isinstance(end.wants, Done) and end.wants.result["gone"] == [1]


def test_an_absent_all_in_hand_loses() -> None:
    """Aces all in, and the player left: the hand goes on, and the others compare theirs at the showdown."""
    dealer = Dealer.stacked(DECK)
    hand = script(three(200, 20, 200), dealer, CALL, raise_to(20), CALL, CALL)
    hand = hand.left((1,), cards=True)
    hand = script(hand, dealer, *[CALL] * 6)
    assert hand.ending is HoldemEnding.SHOWDOWN
    assert stacks_after(hand) == {0: 180, 1: 0, 2: 240}
    assert set(hand.shown) == {0, 2}


def test_gone_while_cards_are_on_their_way() -> None:
    dealer = Dealer.stacked(DECK)
    hand = three().left((2,), cards=True)
    assert isinstance(hand.wants, Ask)
    hand = dealt(hand, dealer)
    assert hand.wants == Turn((0,))
    hand = script(hand, dealer, raise_to(6), CALL)
    assert hand.table.live == (1, 0)
    # All in and revealing, one of three never shows.
    hand = script(three(50, 50, 50), dealer := Dealer.stacked(DECK), raise_to(50), CALL).moved(2, CALL)
    assert hand.stage is HandStage.REVEALING
    end = dealt(hand.left((1,), cards=True), dealer)
    assert stacks_after(end) == {0: 0, 1: 0, 2: 150}
    assert stacks_after(hand.left((1, 2), cards=True)) == {0: 150, 1: 0, 2: 0}


def test_gone_while_it_shows() -> None:
    dealer = Dealer.stacked(DECK)
    hand = script(three(), dealer, *[CALL] * 12).moved(1, SHOW).left((1,), cards=True)
    assert isinstance(hand.wants, Ask)
    end = dealt(hand, dealer)
    assert end.ending is HoldemEnding.SHOWDOWN and stacks_after(end) == {0: 198, 1: 198, 2: 204}


def test_leaving_twice_and_after_the_end() -> None:
    hand = script(three(), Dealer.stacked(DECK), raise_to(10), CALL, FOLD)
    end = hand.left((1,), cards=False)
    assert end.left((0,), cards=False) is end
    assert public(hand.left((7,), cards=True)) == public(hand)


# --- Random ---


@pytest.mark.parametrize("seed", range(80))
def test_random_forfeits(seed: int) -> None:
    """Seats leave at any time. Chips are conserved, no bet is taken back, and replicas agree."""
    _forfeits(seed)


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_many_random_forfeits() -> None:
    for seed in range(1000, 5000):
        _forfeits(seed)


def _forfeits(seed: int) -> None:
    dice = Dice("forfeit", seed)
    stacks = {seat: 1 + dice.below((30, 300)[dice.below(2)]) for seat in range(2 + dice.below(6))}
    hand = replica = table_of(stacks, Holdem(300, (1, 2), dice.below(2)))
    dealer, policy = Dealer.shuffled("forfeit", seed), wild(dice)
    while not isinstance(hand.wants, Done):
        if dice.below(10) == 0:
            before, cards = hand, dice.below(3) > 0
            gone = tuple(seat for seat in stacks if seat not in hand.gone and dice.below(3) == 0)
            hand, replica = hand.left(gone, cards=cards), replica.left(gone, cards=cards)
            if hand.stage is HandStage.OVER and hand.ending is HoldemEnding.FORFEIT:
                _check_no_gain_by_leaving(before, hand)
        elif isinstance(hand.wants, Ask):
            events = dealer.answer(hand.wants, hand.gone)
            hand, replica = hand.told(events), replica.told(events)
        else:
            assert isinstance(hand.wants, Turn)
            seat = hand.wants.seats[0]
            assert seat not in hand.gone
            move = encode(policy(hand, seat))
            hand, replica = hand.moved(seat, move), replica.moved(seat, move)
        assert public(hand) == public(replica)
    assert sum(stacks_after(hand).values()) == sum(stacks.values())
    assert all(stack >= 0 for stack in stacks_after(hand).values())


def _check_no_gain_by_leaving(before: Hand, after: Hand) -> None:
    """While another player stays in, a seat that left ends the hand with at most what it began with."""
    if after.contenders:
        for seat in after.gone & set(after.players):
            folded = set(after.players) - set(before.table.live)
            assert after.after[seat] <= after.chips[seat] or folded


def test_layers() -> None:
    put_in = {0: 5, 1: 100, 2: 40, 3: 100}
    all_in, behind = {0: 5, 2: 40}, {0: 5, 2: 240}
    assert winnings(PotClaims(put_in, (0, 2), {}, (1, 3), all_in)) == {0: 10, 1: 60, 2: 115, 3: 60}
    assert winnings(PotClaims(put_in, (0, 2), {}, (1, 3), behind)) == {0: 10, 1: 0, 2: 235, 3: 0}
    blinds, rich = {0: 0, 1: 0, 2: 1, 3: 2}, {0: 200, 1: 200}
    assert winnings(PotClaims(blinds, (0, 1), {}, (2, 3), rich)) == {0: 2, 1: 1, 2: 0, 3: 0}
    assert winnings(PotClaims(blinds, (0, 1), {}, (2, 3), {0: 1, 1: 200})) == {0: 1, 1: 2, 2: 0, 3: 0}
    assert pots(PotClaims({0: 7, 1: 7}, (1,), {}, (0,), {1: 9}))[0].shares == {1: 14}
