"""Fast hand ranking, for bots that compare many hands. Pots are decided by pokerkit, not by this module."""

from __future__ import annotations

from collections.abc import Iterable

Rank = tuple[int, ...]


def rank(faces: Iterable[int]) -> Rank:
    """Rank the best five of up to seven cards as a tuple that compares: the kind of hand, then its card ranks."""
    cards = [divmod(face, 13) for face in faces]
    suits = [0, 0, 0, 0]
    counts = [0] * 13
    for suit, value in cards:
        suits[suit] += 1
        counts[value] += 1
    flush: list[int] = []
    if max(suits) >= 5:
        suited = suits.index(max(suits))
        flush = sorted((value for suit, value in cards if suit == suited), reverse=True)
        straight_flush = _straight(flush)
        if straight_flush is not None:
            return 8, straight_flush
    # Largest group of equal ranks first, then the highest rank.
    kinds = sorted((value for value in range(13) if counts[value]), key=lambda v: (counts[v], v), reverse=True)
    most, second = counts[kinds[0]], counts[kinds[1]] if len(kinds) > 1 else 0
    if most == 4:
        return 7, kinds[0], max(value for value in kinds if value != kinds[0])
    if most == 3 and second >= 2:
        return 6, kinds[0], kinds[1]
    if flush:
        return 5, *flush[:5]
    straight = _straight(kinds)
    if straight is not None:
        return 4, straight
    if most == 3:
        return 3, kinds[0], *sorted((v for v in kinds if counts[v] == 1), reverse=True)[:2]
    if most == 2 and second == 2:
        return 2, kinds[0], kinds[1], max(value for value in kinds if value not in kinds[:2])
    return (1 if most == 2 else 0), *kinds[: 4 if most == 2 else 5]


def _straight(values: list[int]) -> int | None:
    """Return the highest rank of five in a row, or None. The ace also counts as below the two."""
    present = set(values)
    if 12 in present:
        present.add(-1)
    return next((high for high in range(12, 2, -1) if all(high - step in present for step in range(5))), None)
