"""Helpers for cheats that change one element of an encoded array, or one card."""

from __future__ import annotations

from nodealer.group import Group, Points, Scalars
from nodealer.protocols.duel.bits import Bits


def set_at(data: bytes, index: int, element: bytes) -> bytes:
    """Return an encoded array with another element at `index`. A negative index counts from the end."""
    size = len(element)
    at = index * size if index >= 0 else len(data) + index * size
    return data[:at] + element + data[at + size :]


def multiply(group: Group, factor: int, point: Points) -> Points:
    """Return `factor` times a point."""
    return group.integers([factor]) * point


def falsify_first(keys: Scalars) -> bytes:
    """Return the encoded keys with 1 added to the first, which makes it a false key."""
    return set_at(keys.to_bytes(), 0, (keys[0] + keys.group.integers([1])).to_bytes())


def alter_card(card: Points | Bits) -> Points | Bits:
    """Return a changed card of a duel: twice the point, or a bit string with some bits flipped."""
    return card * Bits((7,)) if isinstance(card, Bits) else multiply(card.group, 2, card)


def restore_card(card: Points | Bits) -> Points | Bits:
    """Undo `alter_card`."""
    return card * Bits((7,)) if isinstance(card, Bits) else card.group.integers([2]).invert() * card
