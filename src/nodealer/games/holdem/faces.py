"""Conversion between the index of a face and the name of its card.

Index = 13 × suit + rank: clubs, diamonds, hearts, spades, each suit from the two up to the ace. So 0 is the two of
clubs, 12 the ace of clubs, 13 the two of diamonds, and 51 the ace of spades. Cards are written as in every hand
history: "As", "Td", "2c".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nodealer.errors import BadParameter

CARDS: Final = 52
RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
_INDICES: Final = {name: index for index, name in enumerate(NAMES)}


def name(face: int) -> str:
    """Return the name of a face: "As". Raise `BadParameter` if there is no such face."""
    if type(face) is not int or not 0 <= face < CARDS:
        raise BadParameter(f"a face must be a number from 0 to {CARDS - 1}, not {face!r}")
    return NAMES[face]


def names(faces: Iterable[int]) -> tuple[str, ...]:
    """Return the names of several faces."""
    return tuple(name(face) for face in faces)


def index(text: str) -> int:
    """Return the face with this name. Raise `BadParameter` if there is none."""
    if text not in _INDICES:
        raise BadParameter(f"there is no card {text!r}")
    return _INDICES[text]


def indices(text: str) -> tuple[int, ...]:
    """Return the faces of several names written without spaces: "AsKd". Raise `BadParameter` if one is unknown."""
    return tuple(index(text[at : at + 2]) for at in range(0, len(text), 2))
