"""What a group is to the rest of the package: a handle, and two kinds of immutable arrays.

Notation: small letters are scalars, capitals are points, the group is written additively. Both arrays are
one-dimensional, have at least one element, and broadcast when their length is one. Everything that is not named
`vartime_…` takes time that does not depend on the values (native backend only: the reference cannot promise it).

Two implementations stand behind these protocols: the Rust core (`group/native.py`) and plain Python integers
(`group/reference.py`). Wrong use raises `BadParameter`, bytes that are not canonical raise `DecodeError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, overload, runtime_checkable


@runtime_checkable
class Order(Protocol):
    """A secret order of 0 … n − 1: a permutation π. No sequence, so that nobody goes through it by mistake.

    `repr` shows nothing of it. The native backend erases it, and takes arrays in it by steps, at places in memory, that
    are the same for every order of this length. `order.py` draws orders and makes them of chosen places.
    """

    def __len__(self) -> int: ...
    def inverse(self) -> Order: ...
    def vartime_list(self) -> list[int]:
        """π(0), π(1), … as integers. Python then goes by them at places and in times that show the order."""


class Scalars(Protocol):
    """Integers modulo the group's order. May be secret: `repr` shows none, the native backend erases them."""

    @property
    def group(self) -> Group: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int | slice, /) -> Scalars:
        """One element, or a non-empty run of them (no step): an array in both cases."""

    def __add__(self, other: Scalars, /) -> Scalars: ...
    def __sub__(self, other: Scalars, /) -> Scalars: ...
    def __neg__(self) -> Scalars: ...
    @overload
    def __mul__(self, other: Scalars, /) -> Scalars: ...
    @overload
    def __mul__(self, other: Points, /) -> Points: ...
    def __eq__(self, other: object, /) -> bool:
        """Whether two arrays are equal as wholes, in constant time for arrays of one length."""

    def half(self) -> Scalars:
        """What twice makes each element."""

    def invert(self) -> Scalars:
        """The inverse of each element, batched. A zero is refused with its index."""

    def sum(self) -> Scalars: ...
    def dot(self, other: Scalars, /) -> Scalars:
        """The sum of the elementwise products. The lengths must be equal."""

    def powers(self, count: int, /) -> Scalars:
        """x, x², …, x^count of an array of one."""

    def cumprod(self) -> Scalars:
        """The products of the first 1, 2, …, n elements."""

    def take(self, indices: Sequence[int] | Order, /) -> Scalars:
        """The elements at these places, which are public; or all of them in a secret order."""

    def concat(self, others: Sequence[Scalars], /) -> Scalars: ...
    def first_zero(self) -> int | None:
        """The index of the first zero, if there is one."""

    def to_bytes(self) -> bytes: ...


class Points(Protocol):
    """Elements of the group, always valid: the only ways in are strict decoding, hashing and arithmetic."""

    @property
    def group(self) -> Group: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int | slice, /) -> Points: ...
    def __add__(self, other: Points, /) -> Points: ...
    def __sub__(self, other: Points, /) -> Points: ...
    def __neg__(self) -> Points: ...
    def __eq__(self, other: object, /) -> bool: ...
    def sum(self) -> Points: ...
    def ranked_sum(self) -> Points:
        """1·P_1 + 2·P_2 + … + n·P_n, by 2n additions."""

    def take(self, indices: Sequence[int] | Order, /) -> Points: ...
    def concat(self, others: Sequence[Points], /) -> Points: ...
    def doubled(self) -> Points:
        """Twice each point. On ristretto255 with their encodings, all at once: each costs a fraction of one alone."""

    def tabled(self) -> Points:
        """The same single point with a table that makes `scalars * point` several times faster.

        For points that are multiplied often: the generator has one, a joint key deserves one.
        """

    def first_identity(self) -> int | None:
        """The index of the first identity, if there is one."""

    def vartime_first_in(self, other: Points, /) -> int | None:
        """The index of the first element that stands in `other` too, if there is one. For public points."""

    def vartime_first_repeat(self) -> int | None:
        """The index of the first element that stood before in this array, if there is one. For public points."""

    def to_bytes(self) -> bytes: ...


class Group(Protocol):
    """A group of prime order, on one backend. Two handles of the same name and backend are the same object."""

    def __hash__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def order(self) -> int: ...
    @property
    def scalar_size(self) -> int: ...
    @property
    def point_size(self) -> int: ...
    @property
    def wide_size(self) -> int:
        """How many uniform bytes `wide_scalars` takes for a scalar: enough that the reduction shows no bias."""

    @property
    def uniform_size(self) -> int:
        """How many uniform bytes `map_to_points` takes for a point."""

    @property
    def G(self) -> Points:
        """The generator, with its table."""

    def points(self, data: bytes, /) -> Points:
        """Decode concatenated encodings. Refuses what is not canonical, and the identity."""

    def scalars(self, data: bytes, /) -> Scalars:
        """Decode concatenated encodings. Refuses what is not below the order. Zero is a scalar."""

    def wide_scalars(self, data: bytes, /) -> Scalars:
        """One scalar from each `wide_size` bytes, read as a little-endian integer and reduced modulo the order."""

    def integers(self, values: Sequence[int], /) -> Scalars:
        """Scalars from integers in [0, 2^64)."""

    def map_to_points(self, data: bytes, /) -> Points:
        """The group's one-way map, one point from each `uniform_size` bytes."""

    def identity(self, count: int, /) -> Points:
        """An array of identities: what a sum starts from. Never decoded, never sent."""

    def msm(self, scalars: Scalars, points: Points, /) -> Points:
        """Σ scalars[i]·points[i], in constant time. The lengths must be equal."""

    def products(self, scalars: Scalars, points: Points, /) -> Points:
        """scalars * points. On ristretto255 with their encodings, as `doubled`: for products that are sent."""

    def msm_each(self, terms: Sequence[tuple[Scalars, Points]], /) -> Points:
        """The sum of each term as `msm` makes it, in one array. On ristretto255 with their encodings, as `doubled`."""

    def combine(self, a: Scalars, p: Points, b: Scalars, q: Points, /) -> Points:
        """a·p + b·q, elementwise and broadcast, in constant time: cheaper than the two products alone."""

    def vartime_msm(self, scalars: Scalars, points: Points, /) -> Points:
        """The same for public values, faster."""

    def vartime_sum(self, terms: Sequence[tuple[Scalars, Scalars, Points]], /) -> Points:
        """Σ w[i]·s[i]·P[i] over all terms (w, s, P), each broadcast, for public values.

        An array of points that stands in several terms, the same object and not an equal one, enters the sum once.
        """


class Array(Protocol):
    """What both arrays share; lets `concat` be one function."""

    def concat(self, others: Sequence[Self], /) -> Self: ...
