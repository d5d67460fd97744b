"""Chi-square: how far counts are from what is expected, and how often chance alone goes as far."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

#: A test fails where chance alone goes as far once in a million.
THRESHOLD: Final = 1e-6
Order = tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """What a test says of a sample."""

    test: str
    samples: int
    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        """How often chance goes as far."""
        return survival(self.statistic, self.freedom)

    @property
    def passes(self) -> bool:
        return self.p >= THRESHOLD

    @property
    def deviation(self) -> float:
        """Roughly how many standard deviations beyond what is expected (Fisher)."""
        return math.sqrt(2 * self.statistic) - math.sqrt(2 * self.freedom - 1)


def survival(statistic: float, freedom: int) -> float:
    """P(χ² with so many degrees of freedom ≥ statistic): the upper regularized incomplete gamma function."""
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, 10_000):
            term *= x / (a + n)
            total += term
            if term < total * 1e-16:
                break
        return max(0.0, 1 - scale * total)
    # Lentz's continued fraction.
    b, tiny = x + 1 - a, 1e-300
    c, d = 1 / tiny, 1 / b
    h = d
    for n in range(1, 10_000):
        step = -n * (n - a)
        b += 2
        d = 1 / (step * d + b or tiny)
        c = b + step / c or tiny
        h *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return scale * h


def against(test: str, seen: Iterable[Hashable], expected: Mapping[Hashable, float]) -> Result:
    """Counts against probabilities. What is not expected at all is infinitely far."""
    counts = Counter(seen)
    total = counts.total()
    if counts.keys() - expected.keys():
        return Result(test, total, math.inf, len(expected) - 1)
    statistic = sum((counts[what] - total * p) ** 2 / (total * p) for what, p in expected.items())
    return Result(test, total, statistic, len(expected) - 1)


def uniform(test: str, seen: Iterable[Hashable], cells: Iterable[Hashable]) -> Result:
    """Counts against each of the cells being as likely as any other."""
    there = list(cells)
    return against(test, seen, dict.fromkeys(there, 1 / len(there)))


# --- Of orders ---


def positions(orders: Sequence[Order]) -> Result:
    """Which card lies where: a table whose rows and columns all have the same sums, so (n − 1)² degrees of freedom."""
    n, total = len(orders[0]), len(orders)
    counts = Counter((place, card) for order in orders for place, card in enumerate(order))
    expected = total / n
    statistic = sum((counts[place, card] - expected) ** 2 for place in range(n) for card in range(n)) / expected
    return Result("positions", total, statistic * (n - 1) / n, (n - 1) ** 2)


def pairs(orders: Sequence[Order]) -> Result:
    """Where the first two cards lie, together."""
    n = len(orders[0])
    cells = [(a, b) for a in range(n) for b in range(n) if a != b]
    return uniform("pairs", ((order.index(0), order.index(1)) for order in orders), cells)


def cycles(orders: Sequence[Order]) -> Result:
    """How many cycles an order has: of n cards, k of them in Stirling(n, k) of n! orders."""
    n = len(orders[0])
    ways = stirling(n)
    return against("cycles", map(cycle_count, orders), {k: ways[k] / math.factorial(n) for k in range(1, n + 1)})


def whole(orders: Sequence[Order]) -> Result:
    """Every order, for small decks."""
    return uniform("orders", orders, permutations(range(len(orders[0]))))


def hands(orders: Sequence[Order]) -> Result:
    """Where a card lies in two hands, one after the other, of the same players: every pair of places as often."""
    n = len(orders[0])
    seen = ((one.index(0), two.index(0)) for one, two in zip(orders[::2], orders[1::2], strict=False))
    return uniform("hands", seen, ((a, b) for a in range(n) for b in range(n)))


TESTS: Final[tuple[Callable[[Sequence[Order]], Result], ...]] = (positions, pairs, cycles, whole, hands)


def cycle_count(order: Order) -> int:
    left, count = set(range(len(order))), 0
    while left:
        at, count = left.pop(), count + 1
        while (at := order[at]) in left:
            left.remove(at)
    return count


def stirling(n: int) -> list[int]:
    """Unsigned Stirling numbers of the first kind."""
    row = [1]
    for m in range(n):
        row = [(row[k - 1] if k else 0) + m * (row[k] if k < len(row) else 0) for k in range(len(row) + 1)]
    return row
