"""What arrays do, and what they refuse: the same on both backends."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from operator import eq, ne
from typing import Any

import pytest

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Points, Scalars, concat, msm, vartime_msm

from .group_facts import ORDERS, SIZES, decoded, encoded

pytestmark = pytest.mark.sample

Use = Callable[[Group, Any], object]


def ints(array: Scalars) -> list[int]:
    return decoded(array.group, array.to_bytes())


def multiples(g: Group, *factors: int) -> Points:
    return g.integers(factors) * g.G


# What they do.


def test_the_handle(g: Group) -> None:
    assert g.backend in ("reference", "native")
    assert g.order == ORDERS[g.name]
    assert (g.scalar_size, g.point_size, g.wide_size, g.uniform_size) == SIZES[g.name]
    assert g.integers([1]).group is g and g.G.group is g and g.identity(1).group is g
    assert g.G == g.G and len(g.G) == 1


def test_repr_shows_no_values(g: Group) -> None:
    assert repr(g.integers([7, 8, 9])) == f"<Scalars {g.name} {g.backend} n=3>"
    assert repr(g.identity(2)) == f"<Points {g.name} {g.backend} n=2>"
    assert str(g.integers([7])) == f"<Scalars {g.name} {g.backend} n=1>"
    assert repr(g) == f"<Group {g.name} {g.backend}>"


def test_scalar_arithmetic(g: Group) -> None:
    x, y = g.integers([5, 6, 7]), g.integers([1, 2, 3])
    assert ints(x + y) == [6, 8, 10]
    assert ints(x - y) == [4, 4, 4]
    assert ints(x * y) == [5, 12, 21]
    assert ints(-y) == [g.order - 1, g.order - 2, g.order - 3]
    assert ints(y - x) == [g.order - 4] * 3
    assert ints(x.sum()) == [18] and ints(x.dot(y)) == [38]
    assert ints(x.cumprod()) == [5, 30, 210]
    assert ints(g.integers([3]).powers(4)) == [3, 9, 27, 81]
    assert ints(g.integers([0]).powers(2)) == [0, 0]
    assert ints(x * x.invert()) == [1, 1, 1]


def test_length_one_broadcasts(g: Group) -> None:
    one, three = g.integers([2]), g.integers([5, 6, 7])
    assert ints(one + three) == ints(three + one) == [7, 8, 9]
    assert ints(one - three) == ints(-(three - one))
    assert ints(one * three) == ints(three * one) == [10, 12, 14]
    p, q = multiples(g, 1), multiples(g, 4, 5)
    assert p + q == q + p == multiples(g, 5, 6)
    assert q - p == multiples(g, 3, 4) and p - q == -multiples(g, 3, 4)
    assert one * q == multiples(g, 8, 10)
    assert three * p == multiples(g, 5, 6, 7)
    assert one * p == multiples(g, 2)


def test_points_and_scalars_multiply_elementwise(g: Group) -> None:
    assert g.integers([2, 3]) * multiples(g, 5, 7) == multiples(g, 10, 21)


@pytest.mark.parametrize("count", [1, 4, 5, 11, 12, 40])
def test_tables_change_nothing_but_the_time(g: Group, count: int) -> None:
    x, p = g.wide_scalars(b"".join(bytes([i + 1]) * 64 for i in range(count))), multiples(g, 9)
    plain = concat(x[0] * p, *(x[i] * p for i in range(1, count)))
    assert x * p == x * p.tabled() == x * p.tabled().tabled() == plain
    assert x * p.tabled()[0] == x * p.tabled()[:] == x * p.tabled().take([0]) == plain
    assert p.tabled() == p and p.tabled().to_bytes() == p.to_bytes()


def test_a_table_goes_with_its_point_only(g: Group) -> None:
    x, p = g.integers([2, 3]), multiples(g, 9).tabled()
    assert x * -p == -(x * p)
    assert x * (p + g.G) == multiples(g, 20, 30)
    assert x * p.concat([g.G]) == multiples(g, 18, 3)


def test_msm(g: Group) -> None:
    x, p = g.integers([2, 3, 5]), multiples(g, 7, 11, 13)
    for value in (msm(x, p), vartime_msm(x, p), g.msm(x, p), g.vartime_msm(x, p)):
        assert value == multiples(g, 14 + 33 + 65)
    assert msm(x[0], p[0]) == multiples(g, 14)


def test_a_long_msm(g: Group) -> None:
    x = g.wide_scalars(b"".join(bytes([i % 251 + 1, i // 251]) * 32 for i in range(300)))
    assert msm(x, x * g.G) == vartime_msm(x, x * g.G) == x.dot(x) * g.G


def test_combine_is_two_products_and_broadcasts(g: Group) -> None:
    x, y = g.integers([3, 0, 7]), g.integers([5, 11, 2])
    p, q = x * g.G + g.G, y * g.G
    for a in (x, x[0]):
        for b in (y, y[1]):
            for left in (p, p[2], g.identity(3)):
                for right in (q, g.G):
                    assert g.combine(a, left, b, right) == a * left + b * right


def test_a_sum_of_terms_broadcasts_each(g: Group) -> None:
    w, x, p, q = g.integers([2, 3]), g.integers([5, 7]), multiples(g, 11, 13), multiples(g, 17)
    terms = [(w, x, p), (w[0], x, p), (w, x[0], p), (w[0], x[0], p), (w, x, q), (w[0], x[0], q)]
    added = 110 + 273 + 110 + 182 + 110 + 195 + 110 + 130 + (10 + 21) * 17 + 10 * 17
    assert g.vartime_sum(terms) == g.vartime_sum(tuple(terms)) == multiples(g, added)
    assert g.vartime_sum([(w, x, p), (w, x, p + g.identity(1))]) == multiples(g, 2 * (110 + 273))


def test_several_sums_in_one_call(g: Group) -> None:
    x, p = g.integers([3, 0, 7]), multiples(g, 5, 11, 2)
    sums = g.msm_each([(x, p), (x[2], g.G), (x[1], g.G), (x[:2], p[:2]), (x[0], p[1])])
    assert sums == multiples(g, 29, 7, 0, 15, 33) and sums.to_bytes() == multiples(g, 29, 7, 0, 15, 33).to_bytes()
    assert g.msm_each(((x, p),)) == msm(x, p)


def test_products_that_are_sent_are_products(g: Group) -> None:
    x, p = g.integers([3, 0, 7]), multiples(g, 5, 11, 2)
    for factors, bases in ((x, p), (x[0], p), (x, p[1]), (x, g.G), (x[0], g.G)):
        sent = g.products(factors, bases)
        assert sent == factors * bases and sent.to_bytes() == (factors * bases).to_bytes()
    assert g.products(x, p).first_identity() == 1


def test_two_halves_are_the_whole(g: Group) -> None:
    x = concat(g.integers([0, 1, 2, 3]), -g.integers([1, 2]))
    assert x.half() + x.half() == x and x.half()[:1] == g.integers([0]) and x.half()[2] == g.integers([1])


def test_what_stands_in_another_array_and_what_stands_twice(g: Group) -> None:
    p = multiples(g, 5, 7, 0, 11)
    assert p.vartime_first_in(multiples(g, 11, 7)) == 1 and p.vartime_first_in(multiples(g, 12, 0)) == 2
    assert p.vartime_first_in(multiples(g, 6)) is None and p.vartime_first_in(p) == 0
    assert p.vartime_first_repeat() is None and concat(p, p[1]).vartime_first_repeat() == 4
    assert multiples(g, 1, 2, 3, 2, 1).vartime_first_repeat() == 3


def test_arrays_keep_their_encodings_when_they_are_joined(g: Group) -> None:
    p, q = multiples(g, 5, 7), multiples(g, 11)
    plain = concat(p, q).to_bytes()
    assert concat(p, q).to_bytes() == plain == p.to_bytes() + q.to_bytes()
    assert concat(p, q).to_bytes() == concat(p, multiples(g, 11)).to_bytes() == plain


def test_a_ranked_sum_counts_from_one(g: Group) -> None:
    assert multiples(g, 5, 7, 0, 11).ranked_sum() == multiples(g, 5 + 14 + 44)
    assert multiples(g, 5).ranked_sum() == multiples(g, 5)


def test_indexing(g: Group) -> None:
    x, p = g.integers([5, 6, 7]), multiples(g, 5, 6, 7)
    cases: list[tuple[int | slice, list[int]]] = [
        (0, [5]),
        (2, [7]),
        (-1, [7]),
        (-3, [5]),
        (slice(None), [5, 6, 7]),
        (slice(1, None), [6, 7]),
        (slice(None, -1), [5, 6]),
        (slice(-2, 100), [6, 7]),
        (slice(-100, 1, 1), [5]),
        (slice(-(10**30), 10**30), [5, 6, 7]),
    ]
    for key, expected in cases:
        assert ints(x[key]) == expected
        assert p[key] == multiples(g, *expected)


def test_take_and_concat(g: Group) -> None:
    x, p = g.integers([5, 6, 7]), multiples(g, 5, 6, 7)
    assert ints(x.take([2, 0, 0, -1])) == [7, 5, 5, 7]
    assert p.take((2, 0, 1)) == multiples(g, 7, 5, 6)
    assert p.take(range(2)) == multiples(g, 5, 6)
    assert ints(x.concat([])) == [5, 6, 7]
    assert ints(concat(x, x[0], x[1:])) == [5, 6, 7, 5, 6, 7]
    assert concat(p) == p and concat(p, p[0]) == p.concat((p[0],)) == multiples(g, 5, 6, 7, 5)


def test_equality_is_of_whole_arrays(g: Group, other: Group) -> None:
    x, p = g.integers([5, 5]), multiples(g, 5, 5)
    assert eq(x, g.integers([5, 5])) is True and ne(x, g.integers([5, 5])) is False
    assert x != g.integers([5, 6]) and x != g.integers([6, 5])
    assert x != x[0] and x[0] != x and p != p[0] and p[0] != p
    assert p == multiples(g, 5, 5) and p != multiples(g, 5, 6)
    things: list[object] = [None, 5, b"", "x", [5, 5], other.integers([5, 5]), multiples(other, 5, 5)]
    for thing in things:
        assert x != thing and thing != x and p != thing and thing != p
    assert eq(x, p) is False and eq(p, x) is False and ne(x, p) is True


def test_first_zero_and_first_identity(g: Group) -> None:
    assert g.integers([1, 2]).first_zero() is None
    assert g.integers([1, 0, 0]).first_zero() == 1
    assert g.integers([0]).first_zero() == 0
    assert g.G.first_identity() is None
    assert multiples(g, 3, 4, 0, 0).first_identity() == 2
    assert (g.G - g.G).first_identity() == 0
    assert g.identity(3).first_identity() == 0
    known = multiples(g, 3, 4, 0, 0)
    assert len(known.to_bytes()) == 4 * g.point_size  # and from here on its encodings are looked at
    assert known.first_identity() == 2 and known[:2].first_identity() is None


def test_wide_scalars_are_little_endian_and_reduced(g: Group) -> None:
    data = bytes(range(64)) + b"\xff" * 64 + g.order.to_bytes(64, "little")
    expected = [int.from_bytes(data[i : i + 64], "little") % g.order for i in (0, 64, 128)]
    assert ints(g.wide_scalars(data)) == expected and expected[2] == 0


def test_scalars_decode_up_to_the_order(g: Group) -> None:
    data = encoded(g, 0, 1, g.order - 1)
    assert ints(g.scalars(data)) == [0, 1, g.order - 1]
    assert g.scalars(data).to_bytes() == data


def test_integers_up_to_64_bits(g: Group) -> None:
    assert ints(g.integers((0, 2**64 - 1))) == [0, 2**64 - 1]


def test_the_identity_encodes_to_zeros_and_does_not_decode(g: Group) -> None:
    assert g.identity(2).to_bytes() == bytes(2 * g.point_size)
    with pytest.raises(DecodeError) as caught:
        g.points(g.G.to_bytes() + g.identity(1).to_bytes())
    assert (caught.value.what, caught.value.index) == ("the identity where a point is due", 1)


# What they refuse.

REFUSED_SCALARS = [0, 1, 2**40, 2**252]


@pytest.mark.parametrize("excess", REFUSED_SCALARS)
@pytest.mark.parametrize("index", [0, 2])
def test_scalars_from_the_order_on_are_refused_with_their_index(g: Group, excess: int, index: int) -> None:
    values = [1, 2, 3]
    values[index] = g.order + excess % (2**256 - g.order)
    with pytest.raises(DecodeError) as caught:
        g.scalars(encoded(g, *values))
    assert caught.value.index == index


def test_all_ones_are_no_scalar(g: Group) -> None:
    with pytest.raises(DecodeError) as caught:
        g.scalars(bytes(32) + b"\xff" * 32)
    assert caught.value.index == 1


def test_lengths_that_are_no_multiple_are_refused_without_index(g: Group) -> None:
    decoders = zip([g.scalars, g.points, g.wide_scalars, g.map_to_points], SIZES[g.name], strict=True)
    for decode, size in decoders:
        for length in (0, 1, size - 1, size + 1, 2 * size - 1, 2 * size + 1):
            with pytest.raises(DecodeError) as caught:
                decode(b"\x01" * length)
            assert caught.value.index is None


class Index:
    def __repr__(self) -> str:
        return "Index()"

    def __index__(self) -> int:
        return 0


NOT_BYTES: list[Any] = [None, 0, "ab", bytearray(64), memoryview(bytes(64)), [0] * 64, object()]
NOT_INTEGERS: list[Any] = [None, True, False, 1.0, "1", b"1", [1], Index()]
NOT_SEQUENCES: list[Any] = [None, 0, 1.0, "00", b"\0", bytearray(1), memoryview(b"\0"), {0}, {0: 0}, iter([0]), Index()]


@pytest.mark.parametrize("data", NOT_BYTES, ids=lambda value: type(value).__name__)
def test_only_bytes_are_decoded(g: Group, data: Any) -> None:
    for decode in (g.points, g.scalars, g.wide_scalars, g.map_to_points):
        with pytest.raises(BadParameter):
            decode(data)


INTEGER_USES: dict[str, Use] = {
    "x[i]": lambda g, i: g.integers([5, 6])[i],
    "P[i]": lambda g, i: multiples(g, 5, 6)[i],
    "x[i:]": lambda g, i: g.integers([5, 6])[i:],
    "x[:i]": lambda g, i: g.integers([5, 6])[:i],
    "P[i:]": lambda g, i: multiples(g, 5, 6)[i:],
    "x[::i]": lambda g, i: g.integers([5, 6])[::i],
    "P[::i]": lambda g, i: multiples(g, 5, 6)[::i],
    "x.take([i])": lambda g, i: g.integers([5, 6]).take([0, i]),
    "P.take([i])": lambda g, i: multiples(g, 5, 6).take([0, i]),
    "powers": lambda g, i: g.integers([5]).powers(i),
    "identity": lambda g, i: g.identity(i),
    "integers": lambda g, i: g.integers([0, i]),
}


@pytest.mark.parametrize("value", NOT_INTEGERS, ids=repr)
@pytest.mark.parametrize("use", INTEGER_USES)
def test_only_integers_are_integers(g: Group, use: str, value: Any) -> None:
    if value is None and ":" in use:
        return  # a slice without this bound
    with pytest.raises(BadParameter):
        INTEGER_USES[use](g, value)


SEQUENCE_USES: dict[str, Use] = {
    "integers": lambda g, v: g.integers(v),
    "x.take": lambda g, v: g.integers([5]).take(v),
    "P.take": lambda g, v: g.G.take(v),
    "x.concat": lambda g, v: g.integers([5]).concat(v),
    "P.concat": lambda g, v: g.G.concat(v),
}


@pytest.mark.parametrize("values", NOT_SEQUENCES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("use", SEQUENCE_USES)
def test_only_sequences_are_sequences(g: Group, use: str, values: Any) -> None:
    with pytest.raises(BadParameter):
        SEQUENCE_USES[use](g, values)


SCALAR_USES: dict[str, Use] = {
    "x + y": lambda g, y: g.integers([1]) + y,
    "x - y": lambda g, y: g.integers([1]) - y,
    "x.dot(y)": lambda g, y: g.integers([1]).dot(y),
    "x.concat([y])": lambda g, y: g.integers([1]).concat([y]),
    "concat(x, y)": lambda g, y: concat(g.integers([1]), y),
    "g.msm(y, P)": lambda g, y: g.msm(y, g.G),
    "g.vartime_msm(y, P)": lambda g, y: g.vartime_msm(y, g.G),
}
POINT_USES: dict[str, Use] = {
    "P + Q": lambda g, q: g.G + q,
    "P - Q": lambda g, q: g.G - q,
    "P.concat([Q])": lambda g, q: g.G.concat([q]),
    "concat(P, Q)": lambda g, q: concat(g.G, q),
    "g.msm(x, Q)": lambda g, q: g.msm(g.integers([1]), q),
    "g.vartime_msm(x, Q)": lambda g, q: g.vartime_msm(g.integers([1]), q),
    "msm(x, Q)": lambda g, q: msm(g.integers([1]), q),
    "vartime_msm(x, Q)": lambda g, q: vartime_msm(g.integers([1]), q),
}
FOREIGN: dict[str, Callable[[Group, Group], object]] = {
    "none": lambda g, o: None,
    "integer": lambda g, o: 1,
    "bytes": lambda g, o: bytes(32),
    "list": lambda g, o: [1],
    "group": lambda g, o: g,
    "other backend's scalars": lambda g, o: o.integers([1]),
    "other backend's points": lambda g, o: o.G,
}


@pytest.mark.parametrize("value", FOREIGN)
@pytest.mark.parametrize("use", SCALAR_USES | POINT_USES | {"x * y": lambda g, y: g.integers([1]) * y})
def test_only_arrays_of_the_same_group_and_backend_mix(g: Group, other: Group, use: str, value: str) -> None:
    uses = SCALAR_USES | POINT_USES | {"x * y": lambda g, y: g.integers([1]) * y}
    with pytest.raises(BadParameter):
        uses[use](g, FOREIGN[value](g, other))


@pytest.mark.parametrize("use", SCALAR_USES)
def test_points_are_no_scalars(g: Group, use: str) -> None:
    with pytest.raises(BadParameter):
        SCALAR_USES[use](g, g.G)


@pytest.mark.parametrize("use", POINT_USES)
def test_scalars_are_no_points(g: Group, use: str) -> None:
    with pytest.raises(BadParameter):
        POINT_USES[use](g, g.integers([1]))


@pytest.mark.parametrize("value", FOREIGN)
def test_functions_take_arrays(g: Group, other: Group, value: str) -> None:
    thing: Any = FOREIGN[value](g, other)
    for use in (msm, vartime_msm):
        with pytest.raises(BadParameter):
            use(thing, g.G)
    if thing is None or "other" not in value:
        with pytest.raises(BadParameter):
            concat(thing)


MISMATCHED: dict[str, Callable[[Group], object]] = {
    "x + y": lambda g: g.integers([1, 2]) + g.integers([1, 2, 3]),
    "x - y": lambda g: g.integers([1, 2, 3]) - g.integers([1, 2]),
    "x * y": lambda g: g.integers([1, 2]) * g.integers([1, 2, 3]),
    "x * P": lambda g: g.integers([1, 2]) * g.identity(3),
    "P + Q": lambda g: g.identity(2) + g.identity(3),
    "P - Q": lambda g: g.identity(3) - g.identity(2),
    "dot": lambda g: g.integers([1, 2]).dot(g.integers([1, 2, 3])),
    "dot does not broadcast": lambda g: g.integers([1]).dot(g.integers([1, 2, 3])),
    "msm": lambda g: msm(g.integers([1, 2]), g.identity(3)),
    "msm does not broadcast": lambda g: msm(g.integers([1]), g.identity(3)),
    "msm does not broadcast points": lambda g: msm(g.integers([1, 2]), g.G),
    "combine, first product": lambda g: g.combine(g.integers([1, 2]), g.identity(3), g.integers([1]), g.G),
    "combine, second product": lambda g: g.combine(g.integers([1]), g.G, g.integers([1, 2]), g.identity(3)),
    "combine, sum": lambda g: g.combine(g.integers([1]), g.identity(2), g.integers([1]), g.identity(3)),
    "products": lambda g: g.products(g.integers([1, 2]), g.identity(3)),
    "msm_each": lambda g: g.msm_each([(g.integers([1]), g.G), (g.integers([1, 2]), g.identity(3))]),
    "msm_each does not broadcast": lambda g: g.msm_each([(g.integers([1, 2]), g.G)]),
    "msm_each of triples": lambda g: g.msm_each([(g.integers([1]), g.integers([1]), g.G)]),  # type: ignore[list-item]
    "vartime_msm": lambda g: vartime_msm(g.integers([1, 2]), g.identity(3)),
    "vartime_msm does not broadcast": lambda g: vartime_msm(g.integers([1, 2]), g.G),
    "vartime_sum, factors": lambda g: g.vartime_sum([(g.integers([1, 2]), g.integers([1, 2, 3]), g.G)]),
    "vartime_sum, points": lambda g: g.vartime_sum([(g.integers([1, 2]), g.integers([1]), g.identity(3))]),
    "vartime_sum of pairs": lambda g: g.vartime_sum([(g.integers([1]), g.G)]),  # type: ignore[list-item]
    "powers of many": lambda g: g.integers([1, 2]).powers(2),
    "tabled of many": lambda g: g.identity(2).tabled(),
}
OUT_OF_RANGE: dict[str, Callable[[Group], object]] = {
    "x[2]": lambda g: g.integers([1, 2])[2],
    "x[-3]": lambda g: g.integers([1, 2])[-3],
    "x[huge]": lambda g: g.integers([1, 2])[2**64],
    "x[-huge]": lambda g: g.integers([1, 2])[-(2**64)],
    "x[unprintable]": lambda g: g.integers([1, 2])[10**5000],
    "P[1]": lambda g: g.G[1],
    "P[-2]": lambda g: g.G[-2],
    "x.take": lambda g: g.integers([1, 2]).take([0, 2]),
    "x.take negative": lambda g: g.integers([1, 2]).take([0, -3]),
    "x.take huge": lambda g: g.integers([1, 2]).take([10**5000]),
    "P.take": lambda g: g.G.take([1]),
    "slice step 2": lambda g: g.integers([1, 2])[::2],
    "slice step -1": lambda g: g.integers([1, 2])[::-1],
    "slice step 0": lambda g: g.integers([1, 2])[::0],
    "slice of points with step": lambda g: g.identity(2)[::2],
    "integers -1": lambda g: g.integers([-1]),
    "integers 2^64": lambda g: g.integers([0, 2**64]),
    "integers huge": lambda g: g.integers([10**5000]),
    "powers 0": lambda g: g.integers([2]).powers(0),
    "powers -1": lambda g: g.integers([2]).powers(-1),
    "powers huge": lambda g: g.integers([2]).powers(2**64),
    "powers unprintable": lambda g: g.integers([2]).powers(10**5000),
    "powers too many": lambda g: g.integers([2]).powers(2**40),
    "identity 0": lambda g: g.identity(0),
    "identity -1": lambda g: g.identity(-1),
    "identity huge": lambda g: g.identity(2**64),
    "identity too many": lambda g: g.identity(2**40),
}
EMPTY: dict[str, Callable[[Group], object]] = {
    "integers": lambda g: g.integers([]),
    "vartime_sum": lambda g: g.vartime_sum([]),
    "msm_each": lambda g: g.msm_each([]),
    "x.take": lambda g: g.integers([1]).take([]),
    "P.take": lambda g: g.G.take(()),
    "x[1:1]": lambda g: g.integers([1, 2])[1:1],
    "x[1:0]": lambda g: g.integers([1, 2])[1:0],
    "x[5:]": lambda g: g.integers([1, 2])[5:],
    "x[:0]": lambda g: g.integers([1, 2])[:0],
    "P[1:]": lambda g: g.G[1:],
    "P[:-1]": lambda g: g.G[:-1],
}
WRONG = MISMATCHED | OUT_OF_RANGE | {f"empty {name}": use for name, use in EMPTY.items()}


@pytest.mark.parametrize("use", WRONG)
def test_wrong_use_is_refused(g: Group, use: str) -> None:
    with pytest.raises(BadParameter):
        WRONG[use](g)


@pytest.mark.parametrize("index", [0, 1, 3])
def test_a_zero_is_not_inverted_and_its_index_named(g: Group, index: int) -> None:
    values = [11, 12, 13, 14]
    values[index] = 0
    with pytest.raises(BadParameter, match=rf"\b{index}\b"):
        g.integers([*values, 0]).invert()


def test_no_value_is_in_an_error(g: Group) -> None:
    """They may be secret, and errors are logged."""
    with pytest.raises(BadParameter) as caught:
        g.integers([1, 123456789 << 64])
    assert str(123456789 << 64) not in str(caught.value)


def test_arrays_cannot_be_hashed_iterated_pickled_or_changed(g: Group) -> None:
    arrays: list[Any] = [g.integers([1, 2]), g.identity(2)]
    for array in arrays:
        for use in (hash, iter, reversed, list, pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                use(array)
        with pytest.raises(TypeError):
            array[0] = array[0]
        with pytest.raises(AttributeError):
            array.group = None
        with pytest.raises(AttributeError):
            array.note = 1


def test_points_have_no_other_product(g: Group) -> None:
    points: Any = g.G
    pairs: list[tuple[Any, Any]] = [(points, g.integers([1])), (points, points), (points, 2), (2, points)]
    for left, right in pairs:
        with pytest.raises(TypeError):
            left * right
