"""Names of poker hands: "straight, ace high"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nodealer.games.holdem.ranking import Rank, rank

RANKS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"
)  # fmt: skip


def hand_name(faces: Iterable[int]) -> str:
    """Return the name of the best hand that two to seven cards make."""
    return rank_name(rank(faces))


def rank_name(hand: Rank) -> str:
    """Return the name of a hand with its ranks, without kickers: "two pair, aces and tens"."""
    high = hand[1]
    match hand[0]:
        case 8:
            return "royal flush" if RANKS[high] == "ace" else f"straight flush, {RANKS[high]} high"
        case 7:
            return f"four of a kind, {_plural(high)}"
        case 6:
            return f"full house, {_plural(high)} over {_plural(hand[2])}"
        case 5:
            return f"flush, {RANKS[high]} high"
        case 4:
            return f"straight, {RANKS[high]} high"
        case 3:
            return f"three of a kind, {_plural(high)}"
        case 2:
            return f"two pair, {_plural(high)} and {_plural(hand[2])}"
        case 1:
            return f"pair of {_plural(high)}"
    return f"{RANKS[high]} high"


def name_with_kicker(hand: Rank, other: Rank) -> str:
    """Return the name of a hand, with the kicker that decides if another hand has the same name."""
    name = rank_name(hand)
    if rank_name(other) != name:
        return name
    kicker = next((mine for mine, theirs in zip(hand, other, strict=True) if mine != theirs), None)
    return name if kicker is None else f"{name}, {RANKS[kicker]} kicker"


def with_article(name: str) -> str:
    """Return a hand's name as it follows "with": "a straight, ace high", but "two pair"."""
    one = name.startswith(("pair", "straight", "flush", "full house", "royal flush"))
    return f"a {name}" if one else name


def _plural(value: int) -> str:
    """Return the plural of a rank's name, such as "sixes"."""
    return "sixes" if RANKS[value] == "six" else f"{RANKS[value]}s"
