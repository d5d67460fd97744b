"""A second, independent implementation of hold'em: who has the better hand, and who gets which chips."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from nodealer.games.holdem.faces import RANKS, name


def _five(cards: Sequence[str]) -> tuple[int, list[int]]:
    values = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    by_count = sorted(Counter(values).items(), key=lambda pair: (-pair[1], -pair[0]))
    shape = [count for _, count in by_count]
    ordered = [value for value, count in by_count for _ in range(count)]
    flush = len({card[1] for card in cards}) == 1
    if values == [12, 3, 2, 1, 0]:
        values = ordered = [3, 2, 1, 0, -1]
    straight = all(high - low == 1 for high, low in itertools.pairwise(values))
    if straight or flush:
        return {(True, True): 8, (False, True): 5, (True, False): 4}[straight, flush], ordered
    return {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0), ordered


def best(hole: Sequence[int], board: Sequence[int]) -> tuple[int, list[int]]:
    """Return the value of the best five of seven cards."""
    cards = [name(face) for face in (*hole, *board)]
    return max(_five(five) for five in itertools.combinations(cards, 5))


def pay(
    put_in: Mapping[int, int], values: Mapping[int, tuple[int, list[int]] | None], order: Sequence[int]
) -> dict[int, int]:
    """Return what each seat gets. `values` has the hands still in at the end, None if there is nothing to compare.

    Slices are cut off the bottom of what was put in. Consecutive slices with the same winners are one pot, and all
    its odd chips go to the first winner in `order`.
    """
    left = {seat: amount for seat, amount in put_in.items() if amount}
    shares: list[tuple[list[int], int]] = []
    while left:
        slice_ = min(left.values())
        contest = [seat for seat in order if seat in left and seat in values]
        if contest:
            top = max((v for seat in contest if (v := values[seat]) is not None), default=None)
            winners = [seat for seat in contest if values[seat] == top]
        else:
            # Chips of folded hands above every hand that is still in belong to what lies below.
            winners = shares[-1][0]
        if shares and shares[-1][0] == winners:
            shares[-1] = (winners, shares[-1][1] + slice_ * len(left))
        else:
            shares.append((winners, slice_ * len(left)))
        left = {seat: amount - slice_ for seat, amount in left.items() if amount > slice_}
    paid = dict.fromkeys(put_in, 0)
    for winners, amount in shares:
        for seat in winners:
            paid[seat] += amount // len(winners)
        paid[winners[0]] += amount % len(winners)
    return paid
