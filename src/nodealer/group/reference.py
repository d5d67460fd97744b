"""The interface of `api.py` in plain Python integers: the test oracle for the native core, and its replacement.

One pair of array classes serves every curve. To add a group, add a `Curve` at the end. Nothing here is constant-time,
and secrets are not erased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import accumulate, islice, repeat
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, overload

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import curve as multiplication
from nodealer.group.api import Group, Order, Points, Scalars
from nodealer.group.curve import Curve, Element, FixedBase
from nodealer.group.edwards import RISTRETTO255
from nodealer.group.integers import big
from nodealer.group.weierstrass import SECP256K1

MAX_LENGTH = 1 << 24
"""The native core's limit: far longer than any deck. Checked before memory is allocated."""
TABLE_PAYS_FROM = 5
"""From this many multiplications of one point on, building a table just for them pays off."""

V = TypeVar("V")
W = TypeVar("W")
A = TypeVar("A", bound="_Array[Any]")


class _Array(Generic[V]):
    """What both kinds of array share: a non-empty, immutable tuple of values, and the group they belong to."""

    __slots__ = ("_group", "_values")
    kind: ClassVar[str]
    __hash__: ClassVar[None] = None  # type: ignore[assignment]
    # Otherwise Python would iterate by index and yield arrays of one element.
    __iter__: ClassVar[None] = None
    __reversed__: ClassVar[None] = None

    def __init__(self, group: ReferenceGroup, values: tuple[V, ...]) -> None:
        """Store the values. Raise `BadParameter` if there are none."""
        if not values:
            raise BadParameter("an array has at least one element")
        self._group = group
        self._values = values

    @property
    def group(self) -> Group:
        """The group that the elements belong to."""
        return self._group

    @property
    def values(self) -> tuple[V, ...]:
        """The elements in the group's internal form, for use by the group only."""
        return self._values

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the kind, group and length, but no values."""
        return f"<{self.kind} {self._group.name} {self._group.backend} n={len(self)}>"

    def __reduce__(self) -> NoReturn:
        """Raise `TypeError`: an array must not be pickled or copied by mistake."""
        raise TypeError(f"{self.kind} cannot be pickled or copied: encode them with to_bytes()")

    def __getitem__(self, key: int | slice, /) -> Self:
        """Return one element or a non-empty slice without a step, as an array in both cases."""
        if isinstance(key, slice):
            return self._new(self._values[_require_contiguous(key)])
        return self._new((self._values[_resolve_index(key, len(self))],))

    def take(self, indices: Sequence[int] | Order, /) -> Self:
        """Return the elements at these indices, or all elements in a secret order."""
        if isinstance(indices, Order):
            # An order from either backend will do: nothing here is constant-time anyway.
            _require_same_length(self._values, indices)
            indices = indices.vartime_list()
        places = [_resolve_index(index, len(self)) for index in _list_items(indices, "indices")]
        return self._new(tuple(self._values[place] for place in places))

    def _new(self, values: tuple[V, ...]) -> Self:
        """Return an array of the same kind and group with other values."""
        return type(self)(self._group, values)

    def _concatenate(self, others: Sequence[object]) -> Self:
        """Append other arrays. Raise `BadParameter` for another kind or group, or if the result is too long."""
        parts = [self, *(self._group.require_own(other, type(self)) for other in _list_items(others, "arrays"))]
        _refuse_too_long(sum(map(len, parts)))
        return self._new(tuple(value for part in parts for value in part._values))


class ScalarArray(_Array[int]):
    """`api.Scalars` as reduced integers."""

    __slots__ = ()
    kind = "Scalars"

    def __add__(self, other: Scalars, /) -> ScalarArray:
        """Add elementwise, modulo the order."""
        return self._zip(other, lambda x, y: x + y)

    def __sub__(self, other: Scalars, /) -> ScalarArray:
        """Subtract elementwise, modulo the order."""
        return self._zip(other, lambda x, y: x - y)

    def __neg__(self) -> ScalarArray:
        """Negate each element modulo the order."""
        return self._new(tuple(-x % self._group.order for x in self._values))

    def half(self) -> ScalarArray:
        """Divide each element by two, modulo the order."""
        order = self._group.order
        return self._new(tuple((x + order * (x & 1)) >> 1 for x in self._values))

    @overload
    def __mul__(self, other: Scalars, /) -> ScalarArray: ...
    @overload
    def __mul__(self, other: Points, /) -> PointArray: ...
    def __mul__(self, other: Scalars | Points, /) -> ScalarArray | PointArray:
        """Multiply elementwise with scalars or points."""
        if isinstance(other, PointArray):
            return self._group.require_own(other, PointArray).multiply_by(self._values)
        return self._zip(other, lambda x, y: x * y)

    def __eq__(self, other: object, /) -> bool:
        """Compare the arrays as wholes. Arrays of different groups are never equal."""
        if not isinstance(other, ScalarArray) or other._group is not self._group:
            return NotImplemented
        return other._values == self._values

    def invert(self) -> ScalarArray:
        """Use Montgomery's trick: a single inversion, and three multiplications per element."""
        order = self._group.order
        if (zero := self.first_zero()) is not None:
            raise BadParameter(f"the scalar at index {zero} is zero and has no inverse")
        products = self.cumprod()._values
        rest, inverses = pow(products[-1], -1, order), []
        for value, before in zip(reversed(self._values), (*reversed(products[:-1]), big(1)), strict=True):
            inverses.append(rest * before % order)
            rest = rest * value % order
        return self._new(tuple(reversed(inverses)))

    def sum(self) -> ScalarArray:
        """Return the sum of all elements, as an array of one."""
        return self._new((sum(self._values) % self._group.order,))

    def dot(self, other: Scalars, /) -> ScalarArray:
        """Return the sum of the elementwise products. The lengths must be equal."""
        factors = self._group.require_own(other, ScalarArray)._values
        _require_same_length(self._values, factors)
        return self._new((sum(x * y for x, y in zip(self._values, factors, strict=True)) % self._group.order,))

    def powers(self, count: int, /) -> ScalarArray:
        """Return x, x², …, x^count for an array with the single element x."""
        length = _require_count(count)
        _require_single(self)
        return self._new(self._values * length).cumprod()

    def cumprod(self) -> ScalarArray:
        """Return the products of the first 1, 2, …, n elements."""
        order = self._group.order
        return self._new(tuple(accumulate(self._values, lambda x, y: x * y % order)))

    def concat(self, others: Sequence[Scalars], /) -> ScalarArray:
        """Append other arrays."""
        return self._concatenate(others)

    def first_zero(self) -> int | None:
        """Return the index of the first zero, or None."""
        return next((index for index, x in enumerate(self._values) if x == 0), None)

    def to_bytes(self) -> bytes:
        """Return the concatenated encodings."""
        curve = self._group.curve
        return b"".join(int(x).to_bytes(curve.scalar_size, curve.byteorder) for x in self._values)

    def _zip(self, other: object, operation: Callable[[int, int], int]) -> ScalarArray:
        """Apply an operation elementwise, broadcast, and reduce the results modulo the order."""
        order, right = self._group.order, self._group.require_own(other, ScalarArray)._values
        return self._new(tuple(operation(x, y) % order for x, y in _broadcast(self._values, right)))


class PointArray(_Array[Element]):
    """`api.Points` as elements of the curve. A single point may carry a table."""

    __slots__ = ("_table",)
    kind = "Points"

    def __init__(self, group: ReferenceGroup, values: tuple[Element, ...], table: FixedBase | None = None) -> None:
        """Store the points, and a table if there is a single point with one."""
        super().__init__(group, values)
        self._table = table

    def __getitem__(self, key: int | slice, /) -> PointArray:
        """Return one point or a non-empty slice without a step, as an array in both cases."""
        # Only an array of one element has a table, and any part of it is the whole, so the table still fits.
        return PointArray(self._group, super().__getitem__(key)._values, self._table)

    def __add__(self, other: Points, /) -> PointArray:
        """Add elementwise."""
        right = self._group.require_own(other, PointArray)._values
        return self._new(tuple(self._group.curve.add(p, q) for p, q in _broadcast(self._values, right)))

    def __sub__(self, other: Points, /) -> PointArray:
        """Subtract elementwise."""
        return self + -self._group.require_own(other, PointArray)

    def __neg__(self) -> PointArray:
        """Negate each point."""
        return self._new(tuple(map(self._group.curve.neg, self._values)))

    def __eq__(self, other: object, /) -> bool:
        """Compare the arrays as wholes. Arrays of different groups are never equal."""
        if not isinstance(other, PointArray) or other._group is not self._group:
            return NotImplemented
        return len(other) == len(self) and all(map(self._group.curve.equal, self._values, other._values))

    def sum(self) -> PointArray:
        """Return the sum of all points, as an array of one."""
        *_, total = accumulate(self._values, self._group.curve.add)
        return self._new((total,))

    def ranked_sum(self) -> PointArray:
        """Return 1·P_1 + 2·P_2 + … + n·P_n, as a sum of partial sums."""
        *_, total = accumulate(accumulate(reversed(self._values), self._group.curve.add), self._group.curve.add)
        return self._new((total,))

    def concat(self, others: Sequence[Points], /) -> PointArray:
        """Append other arrays."""
        return self._concatenate(others)

    def doubled(self) -> PointArray:
        """Double each point."""
        return self + self

    def tabled(self) -> PointArray:
        """Return the same single point with a table that speeds up multiplying it."""
        _require_single(self)
        return PointArray(self._group, self._values, self._table or self._group.build_table(self._values[0]))

    def multiply_by(self, scalars: tuple[int, ...]) -> PointArray:
        """Return the elementwise products, for `scalars * points`."""
        table = self._table
        if table is None and len(self) == 1 and len(scalars) >= TABLE_PAYS_FROM:
            table = self._group.build_table(self._values[0])
        return self._new(self._group.multiply_pairs(table, scalars, lambda: _broadcast(scalars, self._values)))

    def first_identity(self) -> int | None:
        """Return the index of the first identity, or None."""
        curve = self._group.curve
        return next((index for index, p in enumerate(self._values) if curve.equal(p, curve.identity)), None)

    def vartime_first_in(self, other: Points, /) -> int | None:
        """Return the index of the first point that is also in `other`, or None."""
        others = set(self._group.require_own(other, PointArray)._encodings())
        return next((index for index, encoding in enumerate(self._encodings()) if encoding in others), None)

    def vartime_first_repeat(self) -> int | None:
        """Return the index of the first point that equals an earlier one, or None."""
        first = dict[bytes, int]()
        numbered = enumerate(self._encodings())
        return next((index for index, encoding in numbered if first.setdefault(encoding, index) != index), None)

    def to_bytes(self) -> bytes:
        """Return the concatenated encodings."""
        return b"".join(self._encodings())

    def _encodings(self) -> Iterator[bytes]:
        """Return an iterator over the encoding of each point."""
        return map(self._group.curve.encode, self._values)


class ReferenceGroup:
    """`api.Group` for one curve."""

    backend = "reference"

    def __init__(self, curve: Curve) -> None:
        """Create the group of one curve."""
        self.curve = curve

    def __repr__(self) -> str:
        """Return the name and the backend."""
        return f"<Group {self.name} {self.backend}>"

    @property
    def name(self) -> str:
        """The group's name, such as "ristretto255"."""
        return self.curve.name

    @property
    def order(self) -> int:
        """The number of elements, a prime."""
        return self.curve.order

    @property
    def scalar_size(self) -> int:
        """The size of an encoded scalar in bytes."""
        return self.curve.scalar_size

    @property
    def point_size(self) -> int:
        """The size of an encoded point in bytes."""
        return self.curve.point_size

    @property
    def wide_size(self) -> int:
        """The number of uniform bytes that `wide_scalars` reads per scalar."""
        return self.curve.wide_size

    @property
    def uniform_size(self) -> int:
        """The number of uniform bytes that `map_to_points` reads per point."""
        return self.curve.uniform_size

    @cached_property
    def G(self) -> PointArray:
        """The generator, with its table."""
        return PointArray(self, (self.curve.generator,)).tabled()

    def points(self, data: bytes, /) -> PointArray:
        """Decode concatenated points. Raise `DecodeError` for a non-canonical encoding or the identity."""
        points = []
        for index, encoding in enumerate(_split_encodings(data, self.point_size, "points")):
            point = self.curve.decode(encoding)
            if point is None:
                raise DecodeError("not a canonical point", index)
            if self.curve.equal(point, self.curve.identity):
                raise DecodeError("the identity where a point is due", index)
            points.append(point)
        return PointArray(self, tuple(points))

    def scalars(self, data: bytes, /) -> ScalarArray:
        """Decode concatenated scalars. Raise `DecodeError` for a value that is not below the order."""
        encodings = _split_encodings(data, self.scalar_size, "scalars")
        values = tuple(big(int.from_bytes(encoding, self.curve.byteorder)) for encoding in encodings)
        for index, value in enumerate(values):
            if value >= self.order:
                raise DecodeError("not a canonical scalar", index)
        return ScalarArray(self, values)

    def wide_scalars(self, data: bytes, /) -> ScalarArray:
        """Read each `wide_size` bytes as a little-endian integer and reduce it modulo the order."""
        wide = _split_encodings(data, self.wide_size, "wide scalars")
        return ScalarArray(self, tuple(big(int.from_bytes(part, "little")) % self.order for part in wide))

    def integers(self, values: Sequence[int], /) -> ScalarArray:
        """Convert integers in [0, 2^64) to scalars. Raise `BadParameter` for any others."""
        numbered = enumerate(_list_items(values, "integers"))
        return ScalarArray(self, tuple(big(_require_u64(value, index)) for index, value in numbered))

    def map_to_points(self, data: bytes, /) -> PointArray:
        """Map each `uniform_size` bytes to a point with the group's one-way map."""
        uniform = _split_encodings(data, self.uniform_size, "uniform bytes")
        return PointArray(self, tuple(map(self.curve.from_uniform, uniform)))

    def identity(self, count: int, /) -> PointArray:
        """Return an array of `count` identities."""
        return PointArray(self, (self.curve.identity,) * _require_count(count))

    def msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        """Return Σ scalars[i]·points[i]. The lengths must be equal."""
        left, right = self.require_own(scalars, ScalarArray)._values, self.require_own(points, PointArray)._values
        _require_same_length(left, right)
        return PointArray(self, (multiplication.msm(self.curve, left, right),))

    def products(self, scalars: Scalars, points: Points, /) -> PointArray:
        """Return the elementwise products of scalars and points."""
        return self.require_own(scalars, ScalarArray) * self.require_own(points, PointArray)

    def msm_each(self, terms: Sequence[tuple[Scalars, Points]], /) -> PointArray:
        """Return the `msm` of each term, as one array."""
        pairs = [_require_tuple(term, "scalars", "points") for term in _list_items(terms, "terms")]
        # Checked in this order, so that both backends raise the same error.
        parts = [
            (self.require_own(scalars, ScalarArray), self.require_own(points, PointArray)) for scalars, points in pairs
        ]
        for scalars, points in parts:
            _require_same_length(scalars._values, points._values)
        if not parts:
            raise BadParameter("an array has at least one element")
        first, *rest = (self.msm(scalars, points) for scalars, points in parts)
        return first.concat(rest)

    def combine(self, a: Scalars, p: Points, b: Scalars, q: Points, /) -> PointArray:
        """Return a·p + b·q, elementwise and broadcast."""
        scalars = self.require_own(a, ScalarArray)._values, self.require_own(b, ScalarArray)._values
        points = self.require_own(p, PointArray)._values, self.require_own(q, PointArray)._values
        # Checked in this order, so that both backends raise the same error.
        first, second = (list(_broadcast(x, y)) for x, y in zip(scalars, points, strict=True))
        pairs = _broadcast(first, second)
        return PointArray(self, tuple(multiplication.straus(self.curve, [x, y], [s, t]) for (x, s), (y, t) in pairs))

    def vartime_msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        """Return the same as `msm`, which is not constant-time here either."""
        return self.msm(scalars, points)

    def vartime_sum(self, terms: Sequence[tuple[Scalars, Scalars, Points]], /) -> PointArray:
        """Return Σ w[i]·s[i]·P[i] over all terms (w, s, P). Terms that share an array of points are added up first."""
        triples = [_require_tuple(term, "weights", "scalars", "points") for term in _list_items(terms, "terms")]
        parts = [
            (
                self.require_own(w, ScalarArray)._values,
                self.require_own(s, ScalarArray)._values,
                self.require_own(points, PointArray),
            )
            for w, s, points in triples
        ]
        sums = {id(points): (points, [0] * len(points)) for _, _, points in parts}
        _refuse_too_long(sum(len(points) for points, _ in sums.values()))
        for w, s, points in parts:
            cells = sums[id(points)][1]
            products = [x * y for x, y in _broadcast(w, s)]
            for product, at in _broadcast(products, range(len(points))):
                cells[at] += product
        if not sums:
            raise BadParameter("an array has at least one element")
        scalars = tuple(big(x % self.order) for _, cells in sums.values() for x in cells)
        joined = tuple(value for points, _ in sums.values() for value in points._values)
        return self.vartime_msm(ScalarArray(self, scalars), PointArray(self, joined))

    def build_table(self, point: Element) -> FixedBase | None:
        """Build a table that speeds up multiplications of one point, or return None if there should be none."""
        return FixedBase(self.curve, point)

    def multiply_pairs(
        self, table: FixedBase | None, scalars: tuple[int, ...], pairs: Callable[[], Iterator[tuple[int, Element]]]
    ) -> tuple[Element, ...]:
        """Multiply scalars with points pair by pair or, if there is a `table`, all scalars with its point."""
        if table is not None:
            return tuple(map(table.multiply, scalars))
        return tuple(multiplication.straus(self.curve, [x], [p]) for x, p in pairs())

    def require_own(self, value: object, kind: type[A]) -> A:
        """Return `value`. Raise `BadParameter` unless it is an array of this kind, group and backend."""
        if not isinstance(value, kind):
            raise BadParameter(f"expected {kind.kind} of {self.name} ({self.backend}), got {type(value).__name__}")
        if value._group is not self:
            raise BadParameter(f"expected {kind.kind} of {self.name}, got {value!r}")
        return value


def _split_encodings(data: object, size: int, what: str) -> Iterator[bytes]:
    """Split concatenated encodings. Not a generator function, so that the length is checked at the call."""
    if not isinstance(data, bytes):
        raise BadParameter(f"{what} are decoded from bytes, not from {type(data).__name__}")
    if not data or len(data) % size:
        raise DecodeError(f"{what}: {len(data)} bytes are not a positive multiple of {size}")
    _refuse_too_long(len(data) // size)
    return (data[start : start + size] for start in range(0, len(data), size))


def _list_items(values: Sequence[W], what: str) -> list[W]:
    """Return the items of a sequence as a list. Raise `BadParameter` unless there are `len(values)` of them."""
    # Text is a sequence of texts and bytes are a sequence of integers, but passing either here is a mistake.
    if not isinstance(values, Sequence) or isinstance(values, str | bytes | bytearray | memoryview):
        raise BadParameter(f"expected a sequence of {what}, got {type(values).__name__}")
    try:
        length = len(values)
    except (OverflowError, ValueError):
        length = MAX_LENGTH + 1
    if length > MAX_LENGTH:
        raise BadParameter(f"a sequence of {what} is too long")
    items = list(islice(values, length + 1))
    if len(items) != length:
        raise BadParameter(f"a sequence of {what} is not as long as it says")
    return items


def _require_tuple(term: object, *names: str) -> tuple[object, ...]:
    """Return `term`. Raise `BadParameter` unless it is a tuple with one item for each name."""
    if not isinstance(term, tuple) or len(term) != len(names):
        raise BadParameter(f"expected a tuple of {', '.join(names)}, got {type(term).__name__}")
    return term


def _is_integer(value: object) -> bool:
    """Return whether a value is an integer. A bool is an `int` to Python, but a mistake here."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_displayable(value: int) -> bool:
    """Return whether a message can show this number. Python refuses to print numbers with thousands of digits."""
    return -(1 << 63) <= value < 1 << 63


def _require_u64(value: int, index: int) -> int:
    """Return `value`. Raise `BadParameter`, with the index, unless it is an integer in [0, 2^64)."""
    if not _is_integer(value):
        raise BadParameter(f"expected an integer, got {type(value).__name__}")
    if not 0 <= value < 1 << 64:
        raise BadParameter(f"the integer at index {index} is not in [0, 2^64)")
    return value


def _require_count(value: int) -> int:
    """Return `value`. Raise `BadParameter` unless it is an integer from 1 to `MAX_LENGTH`."""
    if not _is_integer(value):
        raise BadParameter(f"expected a count, got {type(value).__name__}")
    if not _is_displayable(value):
        raise BadParameter("a count is at least 1 and not as large as this")
    if value < 1:
        raise BadParameter(f"a count is at least 1, not {value}")
    _refuse_too_long(value)
    return value


def _refuse_too_long(length: int) -> None:
    """Raise `BadParameter` if an array of this length would be longer than `MAX_LENGTH`."""
    if length > MAX_LENGTH:
        raise BadParameter(f"an array of {length} elements is too long")


def _resolve_index(index: int, length: int) -> int:
    """Return an index as a number from 0 to length − 1. Raise `BadParameter` if it is outside the array."""
    if not _is_integer(index):
        raise BadParameter(f"expected an index, got {type(index).__name__}")
    if not _is_displayable(index):
        raise BadParameter(f"an index is far outside an array of {length}")
    if not -length <= index < length:
        raise BadParameter(f"index {index} is not in an array of {length}")
    return index % length


def _require_contiguous(key: slice) -> slice:
    """Return `key`. Raise `BadParameter` if the slice has a step or a bound that is not an integer."""
    if key.step is not None and not (_is_integer(key.step) and key.step == 1):
        raise BadParameter("a slice of an array has no step")
    for bound in (key.start, key.stop):
        if bound is not None and not _is_integer(bound):
            raise BadParameter(f"expected an index, got {type(bound).__name__}")
    return key


def _require_single(array: _Array[V]) -> None:
    """Raise `BadParameter` unless the array has exactly one element."""
    if len(array) != 1:
        raise BadParameter(f"this is for an array of one, not of {len(array)}")


def _require_same_length(left: Sized, right: Sized) -> None:
    """Raise `BadParameter` unless both have the same length."""
    if len(left) != len(right):
        raise BadParameter(f"arrays of {len(left)} and {len(right)} do not match")


def _broadcast(left: Sequence[V], right: Sequence[W]) -> Iterator[tuple[V, W]]:
    """Pair up two arrays of the same length, or repeat the element of one that has a single element."""
    if len(left) == 1:
        return zip(repeat(left[0]), right, strict=False)
    if len(right) == 1:
        return zip(left, repeat(right[0]), strict=False)
    _require_same_length(left, right)
    return zip(left, right, strict=True)


ristretto255: Group = ReferenceGroup(RISTRETTO255)
secp256k1: Group = ReferenceGroup(SECP256K1)
