"""Hands as hand histories: written, read back, and played again by pokerkit to the same stacks."""

from __future__ import annotations

import pytest
from pokerkit import HandHistory

from nodealer.errors import BadParameter
from nodealer.games.holdem import Hand, Holdem
from nodealer.games.holdem.export import hand_history

from .dealer import CALL, FOLD, SHOW, Dealer, Dice, play, raise_to, script, table_of, wild

RULES = Holdem(200, (1, 2))


@pytest.mark.parametrize("seed", range(25))
def test_histories_replay(seed: int) -> None:
    dice = Dice("history", seed)
    stacks = {seat: 2 + dice.below(200) for seat in range(2 + dice.below(5))}
    hand = play(table_of(stacks, Holdem(200, (1, 2), dice.below(2))), Dealer.shuffled("history", seed), wild(dice))
    assert isinstance(hand, Hand)
    text = hand_history(hand, {seat: f"player {seat}" for seat in stacks}, event="a test").dumps()
    read = HandHistory.loads(text)
    assert read.players == [f"player {seat}" for seat in hand.players]
    assert read.finishing_stacks == [hand.after[seat] for seat in hand.players]
    *_, last = read
    assert not last.status
    assert last.stacks == read.finishing_stacks


def test_the_words_of_a_history() -> None:
    hand = script(
        table_of({0: 200, 1: 200}, RULES),
        Dealer.stacked("AsAd KsKd 2c7dJh 3s 9c"),
        raise_to(6),
        CALL,
        *[CALL] * 6,
        SHOW,
        SHOW,
    )
    told = hand_history(hand)
    assert told.actions == [
        "d dh p1 ????",
        "d dh p2 ????",
        "p2 cbr 6",
        "p1 cc",
        "d db 2c7dJh",
        "p1 cc",
        "p2 cc",
        "d db 3s",
        "p1 cc",
        "p2 cc",
        "d db 9c",
        "p1 cc",
        "p2 cc",
        "p1 sm AsAd",
        "p2 sm KsKd",
    ]
    assert told.seats == [2, 1] and told.hand == 1


def test_a_forfeit_says_so() -> None:
    hand = script(table_of({0: 200, 1: 200, 2: 200}, RULES), Dealer.shuffled("gone"), raise_to(10), CALL, FOLD)
    with pytest.raises(BadParameter, match="finished hand"):
        hand_history(hand)
    text = hand_history(hand.left((1,), cards=False)).dumps()
    read = HandHistory.loads(text)
    assert read.user_defined_fields == {"_ended": "forfeit", "_gone": [1]}
    assert read.finishing_stacks == [190, 198, 212]
    for _ in read:
        pass
