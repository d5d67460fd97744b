"""The cards of hearts. A face is 13 × suit + rank: clubs first, each suit from the two up to the ace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CARDS: Final = 52
RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
SIGNS: Final = "♣♦♥♠"
#: The suits in words.
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

ALL: Final = frozenset(range(CARDS))
TWO_OF_CLUBS: Final = 0
QUEEN: Final = 13 * SPADES + RANKS.index("Q")
#: The points of the queen of spades, and of all hearts and the queen together. Each heart is one point.
QUEEN_POINTS: Final = 13
ALL_POINTS: Final = 26


def suit_of(face: int) -> int:
    """Return the suit of a face."""
    return face // 13


def rank_of(face: int) -> int:
    """Return the rank of a face: 0 is the two, 12 the ace."""
    return face % 13


def suit(number: int) -> frozenset[int]:
    """Return all faces of a suit."""
    return frozenset(range(13 * number, 13 * number + 13))


def points(face: int) -> int:
    """Return the points of a face for the player who takes it."""
    return QUEEN_POINTS if face == QUEEN else int(suit_of(face) == HEARTS)


#: The faces that are worth points, and those that are not.
COUNTING: Final = frozenset(face for face in ALL if points(face))
PLAIN: Final = ALL - COUNTING


def name(face: int) -> str:
    """Return the name of a face in letters: "Qs"."""
    return RANKS[rank_of(face)] + SUITS[suit_of(face)]


def sign(face: int) -> str:
    """Return the name of a face with its suit symbol: "Q♠"."""
    return RANKS[rank_of(face)] + SIGNS[suit_of(face)]


def sort_hand(faces: Iterable[int]) -> list[int]:
    """Sort cards as a hand is held: black and red suits alternate, each suit from low to high."""
    return sorted(faces, key=lambda face: ((CLUBS, DIAMONDS, SPADES, HEARTS).index(suit_of(face)), rank_of(face)))
