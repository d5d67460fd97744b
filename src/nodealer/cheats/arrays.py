"""Changing one element of an array that is sent as the encodings of its elements, one after the other."""

from __future__ import annotations

from nodealer.group import Group, Points, Scalars
from nodealer.protocols.duel.bits import Bits


def put(data: bytes, index: int, element: bytes) -> bytes:
    """The array with another element at an index. An index below zero counts from the end."""
    size = len(element)
    at = index * size if index >= 0 else len(data) + index * size
    return data[:at] + element + data[at + size :]


def times(group: Group, factor: int, point: Points) -> Points:
    """A multiple of a point."""
    return group.integers([factor]) * point


def one_more(keys: Scalars) -> bytes:
    """Keys, of which the first is another one."""
    return put(keys.to_bytes(), 0, (keys[0] + keys.group.integers([1])).to_bytes())


def twice(card: Points | Bits) -> Points | Bits:
    """Twice a card of a duel; where cards are strings of bits, another string that it can be told from."""
    return card * Bits((7,)) if isinstance(card, Bits) else times(card.group, 2, card)


def half(card: Points | Bits) -> Points | Bits:
    """What `twice` makes the card of."""
    return card * Bits((7,)) if isinstance(card, Bits) else card.group.integers([2]).invert() * card
