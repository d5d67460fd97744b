"""Both backends give the same results and refuse the same input, for the same reason and with the same index."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Points, Scalars, concat, group, hash_to_points, msm, vartime_msm
from nodealer.group.hash import expand_message_xmd
from sampling import times

from .group_facts import NAMES, ORDERS, encoded

pytestmark = pytest.mark.sample

OWN_NAMES = re.compile(r"reference|native|(Scalar|Point)Array|ReferenceGroup|(Ristretto255|Secp256k1)(Scalars|Points)?")
many = settings(deadline=None, max_examples=times(20, deep=300))


@pytest.fixture(scope="module", params=NAMES)
def both(request: pytest.FixtureRequest) -> tuple[Group, Group]:
    return group(request.param, "reference"), group(request.param, "native")


def outcome(use: Callable[[Group], Any], g: Group) -> tuple[object, ...]:
    """What came out, without the names that the backends have for themselves. Any other exception is a failure."""
    try:
        value = use(g)
    except DecodeError as error:
        return "DecodeError", error.what, error.index
    except BadParameter as error:
        return "BadParameter", OWN_NAMES.sub("…", str(error))
    if value is None or isinstance(value, bool | int):
        return type(value), value
    return repr(value).replace(g.backend, "…"), value.to_bytes(), value.group is g


def agree(both: tuple[Group, Group], use: Callable[[Group], Any]) -> tuple[object, ...]:
    """The outcome that both have."""
    left, right = (outcome(use, g) for g in both)
    assert left == right
    return left


# Values: the edges of the ranges more often than chance would have them.
EDGES = [0, 1, 2, 15, 16, 2**64 - 1, 2**252, *(order // 2 for order in ORDERS.values()), -2, -1]
numbers = st.lists(st.one_of(st.sampled_from(EDGES), st.integers(0, 2**256)), min_size=1, max_size=4)
# A list of integers makes small multiples of the generator, with identities; bytes are mapped.
elements = st.one_of(
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.lists(st.binary(min_size=96, max_size=96), min_size=1, max_size=4),
)


def scalars(g: Group, values: list[int]) -> Scalars:
    return g.scalars(encoded(g, *(value % g.order for value in values)))


def points(g: Group, values: list[Any]) -> Points:
    if isinstance(values[0], int):
        return g.integers(values) * g.G
    return g.map_to_points(b"".join(value[: g.uniform_size] for value in values))


SCALAR_OPERATIONS: dict[str, Callable[[Scalars, Scalars], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x, y: -x,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "half": lambda x, y: x.half(),
    "invert": lambda x, y: x.invert(),
    "sum": lambda x, y: x.sum(),
    "dot": lambda x, y: x.dot(y),
    "powers": lambda x, y: x.powers(len(y)),
    "cumprod": lambda x, y: x.cumprod(),
    "concat": lambda x, y: concat(x, y, x),
    "first_zero": lambda x, y: x.first_zero(),
}
POINT_OPERATIONS: dict[str, Callable[[Points, Points], Any]] = {
    "add": lambda p, q: p + q,
    "sub": lambda p, q: p - q,
    "neg": lambda p, q: -p,
    "eq": lambda p, q: p == q,
    "ne": lambda p, q: p != q,
    "sum": lambda p, q: p.sum(),
    "ranked_sum": lambda p, q: concat(p, q).ranked_sum(),
    "doubled": lambda p, q: p.doubled(),
    "tabled": lambda p, q: p.tabled(),
    "concat": lambda p, q: concat(p, q, p),
    "first_identity": lambda p, q: p.first_identity(),
    "vartime_first_in": lambda p, q: p.vartime_first_in(q),
    "vartime_first_repeat": lambda p, q: concat(p, q).vartime_first_repeat(),
}
PRODUCTS: dict[str, Callable[[Scalars, Points], Any]] = {
    "mul": lambda x, p: x * p,
    "mul with a table": lambda x, p: x * p.tabled(),
    "products": lambda x, p: p.group.products(x, p),
    "msm_each": lambda x, p: p.group.msm_each([(x, p), (x[0], p.group.G), (x[0], p[0])]),
    "msm": msm,
    "vartime_msm": vartime_msm,
    "vartime_sum": lambda x, p: p.group.vartime_sum([(x[0], x, p), (x, x, p), (x, x[0], p[0])]),
}


@pytest.mark.parametrize("name", SCALAR_OPERATIONS)
@given(numbers, numbers)
@settings(many, max_examples=times(30, deep=1000))
def test_scalars(both: tuple[Group, Group], name: str, x: list[int], y: list[int]) -> None:
    agree(both, lambda g: SCALAR_OPERATIONS[name](scalars(g, x), scalars(g, y)))


@pytest.mark.parametrize("name", POINT_OPERATIONS)
@given(elements, elements)
@many
def test_points(both: tuple[Group, Group], name: str, p: list[Any], q: list[Any]) -> None:
    agree(both, lambda g: POINT_OPERATIONS[name](points(g, p), points(g, q)))


@pytest.mark.parametrize("name", PRODUCTS)
@given(numbers, elements)
@many
def test_products(both: tuple[Group, Group], name: str, x: list[int], p: list[Any]) -> None:
    agree(both, lambda g: PRODUCTS[name](scalars(g, x), points(g, p)))


@pytest.mark.parametrize("count", [1, 2, 5, 13, 99, 130, 200])
def test_long_products(both: tuple[Group, Group], count: int) -> None:
    """On both sides of every threshold: tables, Straus, Pippenger."""

    def arrays(g: Group) -> tuple[Scalars, Points]:
        messages = [b"%d" % i for i in range(count)]
        wide = b"".join(expand_message_xmd("sha512", message, b"scalars", 64) for message in messages)
        return g.wide_scalars(wide), hash_to_points(g, b"points", messages)

    for name in ("mul", "msm", "msm_each", "vartime_msm"):
        agree(both, lambda g, name=name: PRODUCTS[name](*arrays(g)))  # type: ignore[misc]
    agree(both, lambda g: arrays(g)[0] * arrays(g)[1][0])
    agree(both, lambda g: arrays(g)[0][0] * arrays(g)[1])
    agree(both, lambda g: arrays(g)[0].invert())


@given(st.binary(max_size=200), st.integers(0, 4))
@settings(many, max_examples=times(50, deep=1000))
def test_bytes_of_any_length(both: tuple[Group, Group], data: bytes, which: int) -> None:
    agree(both, lambda g: [g.points, g.scalars, g.wide_scalars, g.map_to_points, g.points][which](data))


def likely_point(g: Group, data: bytes) -> bytes:
    """Without what alone makes most random bytes no point: a quarter of these are points, or a half."""
    if g.name == "ristretto255":
        return bytes([data[0] & 0xFE]) + data[1:31] + bytes([data[31] & 0x0F])
    return bytes([2 + data[0] % 2]) + data[1:33]


@given(st.lists(st.binary(min_size=96, max_size=96), min_size=1, max_size=4))
@settings(many, max_examples=times(50, deep=1000))
def test_bytes_of_the_right_length(both: tuple[Group, Group], data: list[bytes]) -> None:
    agree(both, lambda g: g.points(b"".join(part[: g.point_size] for part in data)))
    agree(both, lambda g: g.points(b"".join(likely_point(g, part) for part in data)))
    agree(both, lambda g: g.scalars(b"".join(part[:32] for part in data)))
    agree(both, lambda g: g.scalars(b"".join(bytes(1) + part[:30] + bytes(1) for part in data)))
    agree(both, lambda g: g.wide_scalars(b"".join(part[:64] for part in data)))
    agree(both, lambda g: g.map_to_points(b"".join(part[: g.uniform_size] for part in data)))


@given(st.integers(0, 95), st.integers(1, 255))
@settings(many, max_examples=times(50, deep=1000))
def test_a_changed_byte(both: tuple[Group, Group], place: int, change: int) -> None:
    """An encoding with one byte changed is another point or none, and no two encodings are one point."""
    data = bytearray((both[0].integers([1, 2, 3]) * both[0].G).to_bytes())
    data[place] ^= change
    got = agree(both, lambda g: g.points(bytes(data)))
    assert (got[0] == "DecodeError" and got[2] == place // both[0].point_size) or got[1] == bytes(data)


@given(st.integers(-3, 2**256 + 3))
@settings(many, max_examples=times(50, deep=1000))
def test_scalars_around_the_order(both: tuple[Group, Group], offset: int) -> None:
    order = ORDERS[both[0].name]
    value = (order + offset) % 2**256
    got = agree(both, lambda g: g.scalars(encoded(g, value)))
    assert (got[0] == "DecodeError") == (value >= order)


bounds = st.one_of(st.none(), st.integers(-6, 6), st.sampled_from([2**63, -(2**63) - 1, 2**64, 10**30]))


@given(st.integers(1, 4), bounds, bounds, st.one_of(st.none(), st.integers(-2, 2)))
@settings(many, max_examples=times(50, deep=1000))
def test_slices(both: tuple[Group, Group], length: int, start: Any, stop: Any, step: Any) -> None:
    agree(both, lambda g: g.integers(range(length))[start:stop:step])
    agree(both, lambda g: (g.integers(range(length)) * g.G)[start:stop:step])


@given(st.integers(1, 4), st.lists(st.integers(-5, 5), max_size=5))
@settings(many, max_examples=times(50, deep=1000))
def test_indices(both: tuple[Group, Group], length: int, indices: list[int]) -> None:
    agree(both, lambda g: g.integers(range(length)).take(indices))
    agree(both, lambda g: (g.integers(range(length)) * g.G).take(indices))
    for index in indices:
        agree(both, lambda g, i=index: g.integers(range(length))[i])  # type: ignore[misc]


@given(st.lists(st.one_of(st.integers(-1, 2**64), st.integers(2**64 - 2, 2**64 + 2)), max_size=4))
@settings(many, max_examples=times(50, deep=1000))
def test_integers(both: tuple[Group, Group], values: list[int]) -> None:
    got = agree(both, lambda g: g.integers(values))
    assert (got[0] == "BadParameter") == (not values or not all(0 <= value < 2**64 for value in values))


# Anything at all in the place of every argument.


class Index:
    def __index__(self) -> int:
        return 0


class Number(int):
    pass


class Text(bytes):
    pass


THINGS: dict[str, Callable[[Group, Group], Any]] = {
    "none": lambda g, o: None,
    "true": lambda g, o: True,
    "0": lambda g, o: 0,
    "-1": lambda g, o: -1,
    "1": lambda g, o: 1,
    "2^24 + 1": lambda g, o: 2**24 + 1,
    "2^64": lambda g, o: 2**64,
    "10^5000": lambda g, o: 10**5000,
    "-10^5000": lambda g, o: -(10**5000),
    "float": lambda g, o: 1.0,
    "nan": lambda g, o: float("nan"),
    "__index__": lambda g, o: Index(),
    "subclass of int": lambda g, o: Number(1),
    "text": lambda g, o: "0" * 64,
    "bytes": lambda g, o: b"\0" * 64,
    "encoding": lambda g, o: g.G.to_bytes() * 2,
    "subclass of bytes": lambda g, o: Text(g.G.to_bytes() * 2),
    "bytearray": lambda g, o: bytearray(64),
    "memoryview": lambda g, o: memoryview(bytes(64)),
    "[]": lambda g, o: [],
    "[0]": lambda g, o: [0],
    "(0,)": lambda g, o: (0,),
    "range": lambda g, o: range(1),
    "[True]": lambda g, o: [True],
    "[-1]": lambda g, o: [-1],
    "[2^64]": lambda g, o: [2**64],
    "[10^5000]": lambda g, o: [10**5000],
    "[0.0]": lambda g, o: [0.0],
    "[None]": lambda g, o: [None],
    "[[0]]": lambda g, o: [[0]],
    "set": lambda g, o: {0},
    "dict": lambda g, o: {0: 0},
    "iterator": lambda g, o: iter([0]),
    "slice": lambda g, o: slice(None),
    "empty slice": lambda g, o: slice(0, 0),
    "slice with step": lambda g, o: slice(None, None, 2),
    "slice with step 1": lambda g, o: slice(None, None, 1),
    "slice with step True": lambda g, o: slice(None, None, True),
    "slice of texts": lambda g, o: slice("a", "b"),
    "slice of bools": lambda g, o: slice(False, True),
    "slice of __index__": lambda g, o: slice(Index(), None),
    "huge slice": lambda g, o: slice(-(10**5000), 10**5000),
    "scalars": lambda g, o: g.integers([7]),
    "points": lambda g, o: g.G,
    "[scalars]": lambda g, o: [g.integers([7])],
    "[points]": lambda g, o: [g.G],
    "foreign scalars": lambda g, o: o.integers([7]),
    "foreign points": lambda g, o: o.G,
    "[foreign points]": lambda g, o: [o.G],
    "group": lambda g, o: g,
    "type": lambda g, o: int,
}
PLACES: dict[str, Callable[[Group, Any], Any]] = {
    "x + _": lambda g, v: g.integers([5]) + v,
    "x - _": lambda g, v: g.integers([5]) - v,
    "x * _": lambda g, v: g.integers([5]) * v,
    "x == _": lambda g, v: operator.eq(g.integers([5]), v),
    "x.dot(_)": lambda g, v: g.integers([5]).dot(v),
    "x.powers(_)": lambda g, v: g.integers([5]).powers(v),
    "x.take(_)": lambda g, v: g.integers([5]).take(v),
    "x.concat(_)": lambda g, v: g.integers([5]).concat(v),
    "x[_]": lambda g, v: g.integers([5])[v],
    "P + _": lambda g, v: g.G + v,
    "P - _": lambda g, v: g.G - v,
    "P == _": lambda g, v: operator.eq(g.G, v),
    "P.take(_)": lambda g, v: g.G.take(v),
    "P.concat(_)": lambda g, v: g.G.concat(v),
    "P.vartime_first_in(_)": lambda g, v: g.G.vartime_first_in(v),
    "P[_]": lambda g, v: g.G[v],
    "g.points(_)": lambda g, v: g.points(v),
    "g.scalars(_)": lambda g, v: g.scalars(v),
    "g.wide_scalars(_)": lambda g, v: g.wide_scalars(v),
    "g.integers(_)": lambda g, v: g.integers(v),
    "g.map_to_points(_)": lambda g, v: g.map_to_points(v),
    "g.identity(_)": lambda g, v: g.identity(v),
    "g.msm(_, P)": lambda g, v: g.msm(v, g.G),
    "g.msm(x, _)": lambda g, v: g.msm(g.integers([5]), v),
    "g.products(_, P)": lambda g, v: g.products(v, g.G),
    "g.products(x, _)": lambda g, v: g.products(g.integers([5]), v),
    "g.msm_each(_)": lambda g, v: g.msm_each(v),
    "g.msm_each([_])": lambda g, v: g.msm_each([v]),
    "g.msm_each([(_, P)])": lambda g, v: g.msm_each([(v, g.G)]),
    "g.msm_each([(x, _)])": lambda g, v: g.msm_each([(g.integers([5]), v)]),
    "g.combine(_, P, y, Q)": lambda g, v: g.combine(v, g.G, g.integers([5]), g.G),
    "g.combine(x, _, y, Q)": lambda g, v: g.combine(g.integers([5]), v, g.integers([5]), g.G),
    "g.combine(x, P, _, Q)": lambda g, v: g.combine(g.integers([5]), g.G, v, g.G),
    "g.combine(x, P, y, _)": lambda g, v: g.combine(g.integers([5]), g.G, g.integers([5]), v),
    "g.vartime_msm(_, P)": lambda g, v: g.vartime_msm(v, g.G),
    "g.vartime_msm(x, _)": lambda g, v: g.vartime_msm(g.integers([5]), v),
    "g.vartime_sum(_)": lambda g, v: g.vartime_sum(v),
    "g.vartime_sum([_])": lambda g, v: g.vartime_sum([v]),
    "g.vartime_sum([(_, x, P)])": lambda g, v: g.vartime_sum([(v, g.integers([5]), g.G)]),
    "g.vartime_sum([(x, _, P)])": lambda g, v: g.vartime_sum([(g.integers([5]), v, g.G)]),
    "g.vartime_sum([(x, y, _)])": lambda g, v: g.vartime_sum([(g.integers([5]), g.integers([5]), v)]),
    "msm(_, P)": lambda g, v: msm(v, g.G),
    "concat(x, _)": lambda g, v: concat(g.integers([5]), v),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("thing", THINGS)
def test_anything_anywhere(both: tuple[Group, Group], place: str, thing: str) -> None:
    def use(g: Group) -> Any:
        (other,) = (candidate for candidate in both if candidate is not g)
        return PLACES[place](g, THINGS[thing](g, other))

    agree(both, use)


def test_the_handles_agree(both: tuple[Group, Group]) -> None:
    for name in ("name", "order", "scalar_size", "point_size", "wide_size", "uniform_size"):
        assert getattr(both[0], name) == getattr(both[1], name)
    assert both[0].G.to_bytes() == both[1].G.to_bytes()
