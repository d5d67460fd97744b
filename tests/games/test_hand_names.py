"""The names of poker hands."""

from __future__ import annotations

import pytest

from nodealer.games.holdem.faces import indices
from nodealer.games.holdem.hand_names import hand_name, name_with_kicker, with_article
from nodealer.games.holdem.ranking import rank


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("AsKd", "ace high"),
        ("6s6d", "pair of sixes"),
        ("AsKd 7c2h9s", "ace high"),
        ("AsAd 7c2h9s", "pair of aces"),
        ("AsKd AdKc9s", "two pair, aces and kings"),
        ("6s6d 6c2h9s", "three of a kind, sixes"),
        ("AsKd QcJhTs", "straight, ace high"),
        ("As2d 3c4h5s", "straight, five high"),
        ("As2s 7s4s9s", "flush, ace high"),
        ("AsAd AcKhKs", "full house, aces over kings"),
        ("AsAd AcAhKs", "four of a kind, aces"),
        ("9s8s 7s6s5s AdAc", "straight flush, nine high"),
        ("AsKs QsJsTs 2d2c", "royal flush"),
    ],
)
def test_on_whatever_board_there_is(cards: str, name: str) -> None:
    assert hand_name(indices(cards.replace(" ", ""))) == name


def test_a_kicker_is_named_where_it_decides() -> None:
    board = "Ad7c2h9s3s"
    king, queen, jacks = (rank(indices(hole + board)) for hole in ("AsKd", "AhQd", "JsJd"))
    assert name_with_kicker(king, queen) == "pair of aces, king kicker"
    assert name_with_kicker(king, jacks) == name_with_kicker(king, king) == "pair of aces"


def test_after_with() -> None:
    assert with_article("straight, ace high") == "a straight, ace high" and with_article("two pair, x") == "two pair, x"
    assert with_article("full house, x") == "a full house, x" and with_article("ace high") == "ace high"
