"""Points as polynomials in everybody's secrets: what can be computed from published points by adding and subtracting.

A point is the polynomial of its logarithm. Whoever knows a scalar sees a number in its place; everything else stays a
symbol. A card is safe if its symbol is not in the linear span of what was published. This is the generic-group view: it
finds every leak that is a sum of published points with known factors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

#: Coefficients are taken modulo a prime, so that cancelling is exact and accidents do not happen.
P: Final = 2**127 - 1
Monomial = tuple[str, ...]


@dataclass(frozen=True)
class Poly:
    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(terms: dict[Monomial, int]) -> Poly:
        return Poly(tuple(sorted((m, c % P) for m, c in terms.items() if c % P)))

    def __add__(self, other: Poly) -> Poly:
        total = dict(self.terms)
        for monomial, value in other.terms:
            total[monomial] = total.get(monomial, 0) + value
        return Poly.of(total)

    def __neg__(self) -> Poly:
        return Poly.of({monomial: -value for monomial, value in self.terms})

    def __sub__(self, other: Poly) -> Poly:
        return self + -other

    def __mul__(self, other: Poly) -> Poly:
        total: dict[Monomial, int] = {}
        for one, a in self.terms:
            for two, b in other.terms:
                monomial = tuple(sorted((*one, *two)))
                total[monomial] = total.get(monomial, 0) + a * b
        return Poly.of(total)

    def seen_with(self, known: Iterable[str]) -> Poly:
        """The same with numbers for the symbols that are known."""
        names, total = frozenset(known), Poly(())
        for monomial, value in self.terms:
            part = Poly.of({tuple(n for n in monomial if n not in names): value})
            for name in monomial:
                part = part * Poly.of({(): _number(name)}) if name in names else part
            total += part
        return total


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest(), "big") % P


def symbol(name: str) -> Poly:
    return Poly.of({(name,): 1})


ZERO: Final = Poly(())
ONE: Final = Poly.of({(): 1})


def in_span(target: Poly, published: Iterable[Poly]) -> bool:
    """Whether `target` is a sum of published polynomials with factors of one's choice."""
    rows: dict[Monomial, dict[Monomial, int]] = {}
    for poly in published:
        row = _reduced(dict(poly.terms), rows)
        if row:
            lead = min(row)
            inverse = pow(row[lead], -1, P)
            rows[lead] = {monomial: value * inverse % P for monomial, value in row.items()}
    return not _reduced(dict(target.terms), rows)


def _reduced(row: dict[Monomial, int], rows: dict[Monomial, dict[Monomial, int]]) -> dict[Monomial, int]:
    done: dict[Monomial, int] = {}
    while row:
        lead = min(row)
        value = row.pop(lead)
        if lead not in rows:
            done[lead] = value
            continue
        for monomial, other in rows[lead].items():
            if monomial != lead:
                row[monomial] = (row.get(monomial, 0) - value * other) % P
                if not row[monomial]:
                    del row[monomial]
    return done
