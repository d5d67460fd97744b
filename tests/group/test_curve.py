"""The multiplications of the reference against each other, and against none at all."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.group.curve import (
    Curve,
    Element,
    FixedBase,
    bucket_width,
    msm,
    naf_digits,
    pippenger,
    signed_digits,
    straus,
    window_count,
)
from nodealer.group.edwards import RISTRETTO255, SQRT_M1, D, P
from nodealer.group.integers import big
from nodealer.group.weierstrass import SECP256K1
from sampling import times

pytestmark = pytest.mark.sample

CURVES = (RISTRETTO255, SECP256K1)
curves = pytest.mark.parametrize("C", CURVES, ids=lambda curve: curve.name)

# Negative ones count from the order.
EDGES = [0, 1, 2, 15, 16, 17, 31, 32, 2**251, 2**252 - 1, 2**252, *(C.order // 2 for C in CURVES), -2, -1]
scalars = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**256 - 1))


def naive(C: Curve, scalar: int, point: Element) -> Element:
    """Double and add, straight from the definition."""
    total = C.identity
    for bit in bin(scalar)[2:]:
        total = C.double(total)
        total = C.add(total, point) if bit == "1" else total
    return total


def point(C: Curve, seed: int) -> Element:
    """The two points that are no other's image, then those of the map."""
    if seed < 2:
        return (C.identity, C.generator)[seed]
    return C.from_uniform(seed.to_bytes(C.uniform_size, "little"))


seeds = st.one_of(st.integers(0, 1), st.integers(2, 2**512 - 1))


@curves
@given(st.lists(st.tuples(scalars, seeds), min_size=1, max_size=6))
@settings(deadline=None, max_examples=times(15, deep=300))
def test_straus_pippenger_and_the_definition_agree(C: Curve, terms: list[tuple[int, int]]) -> None:
    factors, elements = [big(s % C.order) for s, _ in terms], [point(C, seed) for _, seed in terms]
    expected = reduce(C.add, (naive(C, s, p) for s, p in zip(factors, elements, strict=True)))
    assert C.equal(straus(C, factors, elements), expected)
    assert C.equal(pippenger(C, factors, elements), expected)
    assert C.equal(msm(C, factors, elements), expected)


@curves
@pytest.mark.parametrize("count", [50, 99, 100, 101, 400])
def test_straus_and_pippenger_agree_on_long_sums(C: Curve, count: int) -> None:
    factors = [big(pow(3, 500 + i, C.order)) for i in range(count)]
    elements = [point(C, i) for i in range(count)]
    expected = straus(C, factors, elements)
    assert C.equal(pippenger(C, factors, elements), expected)
    assert C.equal(msm(C, factors, elements), expected)


@curves
@pytest.mark.parametrize("edge", EDGES)
def test_edge_scalars(C: Curve, edge: int) -> None:
    scalar = edge % C.order
    for element in (C.identity, C.generator, point(C, 2)):
        expected = naive(C, scalar, element)
        assert C.equal(FixedBase(C, element).multiply(big(scalar)), expected)
        assert C.equal(straus(C, [big(scalar)], [element]), expected)
        assert C.equal(pippenger(C, [big(scalar)], [element]), expected)


@curves
@given(scalars)
@settings(deadline=None)
def test_a_table_multiplies(C: Curve, scalar: int) -> None:
    reduced = big(scalar % C.order)
    assert C.equal(TABLES[C.name].multiply(reduced), naive(C, reduced, C.generator))


TABLES = {C.name: FixedBase(C, C.generator) for C in CURVES}


@curves
@given(scalars, st.integers(2, 8))
def test_naf_is_the_scalar_in_odd_digits(C: Curve, scalar: int, width: int) -> None:
    scalar %= C.order
    digits = list(naf_digits(scalar, width))
    assert sum(digit << place for place, digit in digits) == scalar
    assert all(digit % 2 and abs(digit) < 1 << (width - 1) for _, digit in digits)
    assert all(place <= C.order.bit_length() for place, _ in digits)


@given(st.integers(0, 2**256 - 1), st.integers(2, 15))
def test_signed_digits_are_the_scalar(scalar: int, width: int) -> None:
    """Also for scalars up to 2^256, so that a curve of that order loses no carry."""
    digits = signed_digits(scalar, width, window_count(2**256 - 1, width))
    assert sum(digit << (width * place) for place, digit in enumerate(digits)) == scalar
    assert all(-(1 << (width - 1)) <= digit < 1 << (width - 1) for digit in digits)


def test_the_top_scalar_loses_no_carry() -> None:
    for width in range(2, 16):
        digits = signed_digits(2**256 - 1, width, window_count(2**256 - 1, width))
        assert sum(digit << (width * place) for place, digit in enumerate(digits)) == 2**256 - 1


def test_buckets_grow_with_the_sum() -> None:
    widths = [bucket_width(RISTRETTO255.order, 10**exponent) for exponent in range(6)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1] <= 15


@given(seeds, seeds)
@settings(deadline=None, max_examples=times(15, deep=300))
def test_coordinates_stay_on_the_edwards_curve(first: int, second: int) -> None:
    C = RISTRETTO255
    p, q = point(C, first), point(C, second)
    for x, y, z, t in (C.add(p, q), C.double(p), C.neg(q), C.add(p, p), C.add(p, C.neg(p))):
        assert z % P and (x * y - z * t) % P == 0
        assert (y * y - x * x - z * z - D * t * t) % P == 0


@given(seeds, st.integers(0, 3))
@settings(deadline=None, max_examples=times(15, deep=300))
def test_the_four_points_of_a_coset_are_one_element(seed: int, turns: int) -> None:
    C = RISTRETTO255
    p = point(C, seed)
    torsion: Element = (SQRT_M1, big(0), big(1), big(0))
    moved = p
    for _ in range(turns):
        moved = C.add(moved, torsion)
    assert C.equal(p, moved)
    assert C.encode(p) == C.encode(moved)
    scaled: Element = tuple(7 * coordinate % P for coordinate in moved)
    assert C.equal(p, scaled) and C.encode(scaled) == C.encode(p)
