"""What a hand is called: "straight, ace high", on whatever board there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nodealer.games.holdem.ranking import Rank, rank

RANKS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"
)  # fmt: skip


def hand_name(faces: Iterable[int]) -> str:
    """The best hand that two to seven cards make."""
    return called(rank(faces))


def called(hand: Rank) -> str:
    """The kind of a hand, and the cards that make it so."""
    high = hand[1]
    match hand[0]:
        case 8:
            return "royal flush" if RANKS[high] == "ace" else f"straight flush, {RANKS[high]} high"
        case 7:
            return f"four of a kind, {_several(high)}"
        case 6:
            return f"full house, {_several(high)} over {_several(hand[2])}"
        case 5:
            return f"flush, {RANKS[high]} high"
        case 4:
            return f"straight, {RANKS[high]} high"
        case 3:
            return f"three of a kind, {_several(high)}"
        case 2:
            return f"two pair, {_several(high)} and {_several(hand[2])}"
        case 1:
            return f"pair of {_several(high)}"
    return f"{RANKS[high]} high"


def told_apart(hand: Rank, other: Rank) -> str:
    """The name of a hand, down to the card that makes it better or worse than another of the same name."""
    name = called(hand)
    if called(other) != name:
        return name
    kicker = next((mine for mine, theirs in zip(hand, other, strict=True) if mine != theirs), None)
    return name if kicker is None else f"{name}, {RANKS[kicker]} kicker"


def as_one(name: str) -> str:
    """A hand after "with": "a straight, ace high", but "two pair"."""
    one = name.startswith(("pair", "straight", "flush", "full house", "royal flush"))
    return f"a {name}" if one else name


def _several(value: int) -> str:
    return "sixes" if RANKS[value] == "six" else f"{RANKS[value]}s"
