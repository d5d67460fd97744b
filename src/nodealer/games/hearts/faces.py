"""What is printed on a face: 13 × suit + rank, the clubs first, each suit from the two up to the ace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CARDS: Final = 52
RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
SIGNS: Final = "♣♦♥♠"
#: In words, for a sentence.
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

ALL: Final = frozenset(range(CARDS))
TWO_OF_CLUBS: Final = 0
QUEEN: Final = 13 * SPADES + RANKS.index("Q")
#: What a heart counts, the queen of spades, and all of them together.
QUEEN_POINTS: Final = 13
ALL_POINTS: Final = 26


def suit_of(face: int) -> int:
    """The suit of a face."""
    return face // 13


def rank_of(face: int) -> int:
    """The rank of a face: 0 is the two, 12 the ace."""
    return face % 13


def suit(number: int) -> frozenset[int]:
    """All faces of a suit."""
    return frozenset(range(13 * number, 13 * number + 13))


def points(face: int) -> int:
    """What a face counts for who takes it."""
    return QUEEN_POINTS if face == QUEEN else int(suit_of(face) == HEARTS)


#: The faces that count something, and those that count nothing.
COUNTING: Final = frozenset(face for face in ALL if points(face))
PLAIN: Final = ALL - COUNTING


def name(face: int) -> str:
    """As in every record: "Qs"."""
    return RANKS[rank_of(face)] + SUITS[suit_of(face)]


def sign(face: int) -> str:
    """For people: "Q♠"."""
    return RANKS[rank_of(face)] + SIGNS[suit_of(face)]


def in_hand(faces: Iterable[int]) -> list[int]:
    """In the order in which a hand is held: black and red by turns, each suit from the low cards up."""
    return sorted(faces, key=lambda face: ((CLUBS, DIAMONDS, SPADES, HEARTS).index(suit_of(face)), rank_of(face)))
