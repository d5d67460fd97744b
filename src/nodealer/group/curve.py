"""The `Curve` record, and scalar multiplication on any curve.

A curve is a record of functions on opaque tuples of integers, and the algorithms below need nothing else.
`edwards.py` defines the one for ristretto255, `weierstrass.py` the one for secp256k1. Nothing here is constant-time:
Python integers cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Element = tuple[int, ...]
"""A point in the curve's own coordinates. Many tuples can represent one element: compare with `Curve.equal`."""

NAF_WIDTH = 5
TABLE_WIDTH = 5
PIPPENGER_FROM = 100
"""From about this many terms on, Pippenger's buckets are faster than Straus's tables (measured)."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A prime-order group in plain integers. `decode` returns None for non-canonical bytes and accepts the identity."""

    name: str
    order: int
    byteorder: Literal["little", "big"]
    scalar_size: int
    point_size: int
    wide_size: int
    uniform_size: int
    identity: Element
    generator: Element
    add: Callable[[Element, Element], Element]
    double: Callable[[Element], Element]
    neg: Callable[[Element], Element]
    equal: Callable[[Element, Element], bool]
    encode: Callable[[Element], bytes]
    decode: Callable[[bytes], Element | None]
    from_uniform: Callable[[bytes], Element]


def naf_digits(scalar: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the non-zero digits of the width-w non-adjacent form as (bit position, odd digit), lowest first."""
    place, full = 0, 1 << width
    while scalar:
        zeros = (scalar & -scalar).bit_length() - 1
        scalar >>= zeros
        place += zeros
        digit = int(scalar & (full - 1))
        digit -= full if digit >= full >> 1 else 0
        scalar -= digit
        yield place, digit


def window_count(order: int, width: int) -> int:
    """Return how many signed digits represent any scalar. The second spare bit takes the last window's carry."""
    return (order.bit_length() + 1) // width + 1


def signed_digits(scalar: int, width: int, count: int) -> list[int]:
    """Write a scalar in base 2^w with digits in [-2^(w-1), 2^(w-1)), lowest first."""
    full, half, digits = 1 << width, 1 << (width - 1), []
    for _ in range(count):
        digit = int(scalar & (full - 1))
        scalar >>= width
        if digit >= half:
            digit -= full
            scalar += 1
        digits.append(digit)
    return digits


def odd_multiples(curve: Curve, point: Element, count: int) -> list[Element]:
    """Return the first `count` odd multiples of P: P, 3P, 5P and so on."""
    twice, multiples = curve.double(point), [point]
    for _ in range(count - 1):
        multiples.append(curve.add(multiples[-1], twice))
    return multiples


def straus(curve: Curve, scalars: Sequence[int], points: Sequence[Element]) -> Element:
    """Return Σ s·P with Straus's method: a small table for each term, and one series of doublings for all."""
    due: list[list[Element]] = [[] for _ in range(curve.order.bit_length() + 1)]
    for scalar, point in zip(scalars, points, strict=True):
        odd = odd_multiples(curve, point, 1 << (NAF_WIDTH - 2))
        for place, digit in naf_digits(scalar, NAF_WIDTH):
            due[place].append(odd[digit >> 1] if digit > 0 else curve.neg(odd[-digit >> 1]))
    total = curve.identity
    for terms in reversed(due):
        total = curve.double(total)
        for term in terms:
            total = curve.add(total, term)
    return total


def pippenger(curve: Curve, scalars: Sequence[int], points: Sequence[Element]) -> Element:
    """Return Σ s·P with Pippenger's method: sort the points of each window into one bucket per digit."""
    width = bucket_width(curve.order, len(points))
    count = window_count(curve.order, width)
    digits = [signed_digits(scalar, width, count) for scalar in scalars]
    total = curve.identity
    for window in reversed(range(count)):
        for _ in range(width):
            total = curve.double(total)
        column = [row[window] for row in digits]
        total = curve.add(total, bucket_sum(curve, column, points, width))
    return total


def bucket_width(order: int, terms: int) -> int:
    """Return the cheapest window width: a window costs one addition per term and two per bucket."""
    return min(range(2, 16), key=lambda width: window_count(order, width) * (terms + (1 << width) + width))


def bucket_sum(curve: Curve, digits: Sequence[int], points: Sequence[Element], width: int) -> Element:
    """Return Σ digit·P for the digits of one window."""
    buckets: list[Element | None] = [None] * ((1 << (width - 1)) + 1)
    for digit, point in zip(digits, points, strict=True):
        if digit:
            term = point if digit > 0 else curve.neg(point)
            held = buckets[abs(digit)]
            buckets[abs(digit)] = term if held is None else curve.add(held, term)
    # Compute Σ j·B_j as the sum of the suffix sums: bucket j is in j of them.
    suffix = total = curve.identity
    for held in reversed(buckets[1:]):
        suffix = suffix if held is None else curve.add(suffix, held)
        total = curve.add(total, suffix)
    return total


def msm(curve: Curve, scalars: Sequence[int], points: Sequence[Element]) -> Element:
    """Return Σ s·P with whichever method is faster for this many terms."""
    return (straus if len(points) < PIPPENGER_FROM else pippenger)(curve, scalars, points)


class FixedBase:
    """A table of all multiples j·2^(wi)·P that a signed digit can need, so that multiplying P takes only additions."""

    __slots__ = ("_curve", "_rows")

    def __init__(self, curve: Curve, point: Element) -> None:
        """Compute the table for one point."""
        self._curve = curve
        self._rows: list[list[Element]] = []
        for _ in range(window_count(curve.order, TABLE_WIDTH)):
            row = [curve.identity, point]
            for _ in range((1 << (TABLE_WIDTH - 1)) - 1):
                row.append(curve.add(row[-1], point))
            self._rows.append(row)
            point = curve.double(row[-1])

    def multiply(self, scalar: int) -> Element:
        """Return scalar·P."""
        total = self._curve.identity
        for row, digit in zip(self._rows, signed_digits(scalar, TABLE_WIDTH, len(self._rows)), strict=True):
            if digit:
                total = self._curve.add(total, row[digit] if digit > 0 else self._curve.neg(row[-digit]))
        return total
