"""The laws of groups, modules and fields, on every group and backend."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.group import Group, Points, Scalars, msm, vartime_msm
from sampling import times

from .group_facts import encoded

pytestmark = pytest.mark.sample

EDGES = [bytes(64), (1).to_bytes(64, "little"), b"\xff" * 64]
wide = st.one_of(st.sampled_from(EDGES), st.binary(min_size=64, max_size=64))
few = settings(deadline=None, max_examples=times(15, deep=300))


def scalars(g: Group, *seeds: bytes) -> list[Scalars]:
    return [g.wide_scalars(seed) for seed in seeds]


def points(g: Group, *seeds: bytes) -> list[Points]:
    return [g.map_to_points(uniform(g, seed)) for seed in seeds]


def uniform(g: Group, seed: bytes) -> bytes:
    return (seed * 2)[: g.uniform_size]


@given(wide, wide, wide)
@few
def test_points_are_a_commutative_group(g: Group, a: bytes, b: bytes, c: bytes) -> None:
    p, q, r = points(g, a, b, c)
    zero = g.identity(1)
    assert p + q == q + p
    assert (p + q) + r == p + (q + r)
    assert p + zero == p
    assert p - p == zero and p + -p == zero
    assert p - q == -(q - p)
    assert (p == q) == (p.to_bytes() == q.to_bytes())


@given(wide, wide, wide)
@few
def test_scalars_are_a_field(g: Group, a: bytes, b: bytes, c: bytes) -> None:
    x, y, z = scalars(g, a, b, c)
    zero, one = g.integers([0]), g.integers([1])
    assert x + y == y + x and x * y == y * x
    assert (x + y) + z == x + (y + z) and (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x + zero == x and x * one == x and x * zero == zero
    assert x - y == x + -y and x - x == zero
    if x != zero:
        assert x * x.invert() == one


@given(wide, wide, wide, wide)
@few
def test_multiplication_is_a_homomorphism(g: Group, a: bytes, b: bytes, c: bytes, d: bytes) -> None:
    (x, y), (p, q) = scalars(g, a, b), points(g, c, d)
    assert (x + y) * p == x * p + y * p
    assert x * (p + q) == x * p + x * q
    assert x * (y * p) == (x * y) * p
    assert -x * p == -(x * p)
    assert x * p.tabled() == x * p


@given(st.lists(st.tuples(wide, wide), min_size=1, max_size=5))
@few
def test_sums_and_products_of_arrays(g: Group, terms: list[tuple[bytes, bytes]]) -> None:
    x = g.wide_scalars(b"".join(a for a, _ in terms))
    p = g.map_to_points(b"".join(uniform(g, b) for _, b in terms))
    assert msm(x, p) == vartime_msm(x, p) == (x * p).sum()
    assert x.dot(x) == (x * x).sum()
    assert x.sum() * g.G == (x * g.G).sum()
    assert x.cumprod()[-1] == x.take(range(len(x))).cumprod()[-1]


@given(wide)
@few
def test_the_order_is_the_order(g: Group, seed: bytes) -> None:
    (p,) = points(g, seed)
    last = g.scalars(encoded(g, g.order - 1))
    assert last * p + p == g.identity(1)
    assert last == -g.integers([1])


@given(st.lists(wide, min_size=1, max_size=5))
@few
def test_encodings_round_trip(g: Group, seeds: list[bytes]) -> None:
    x, p = g.wide_scalars(b"".join(seeds)), g.map_to_points(b"".join(uniform(g, seed) for seed in seeds))
    assert g.scalars(x.to_bytes()) == x
    if p.first_identity() is None:
        assert g.points(p.to_bytes()) == p
        assert g.points(p.to_bytes()).to_bytes() == p.to_bytes()
