"""Recognises faces that are multiples of one point, which they stay whatever they are multiplied by."""

from __future__ import annotations

from nodealer.cheats.arrays import multiply
from nodealer.group import Points
from nodealer.proofs.encoding import encodings


def order_of_multiples(cards: Points) -> list[int] | None:
    """Return the face of each card if face i is i + 1 times one point, otherwise None.

    One of the cards is then the first face, and the others are its multiples.
    """
    group, size = cards.group, len(cards)
    for first in range(size):
        multiple = multiply(group, 1, cards[first])
        known = {multiple.to_bytes(): 0}
        for face in range(1, size):
            multiple = multiple + cards[first]
            known[multiple.to_bytes()] = face
        found = [known.get(card) for card in encodings(cards)]
        if None not in found:
            return [face for face in found if face is not None]
    return None
