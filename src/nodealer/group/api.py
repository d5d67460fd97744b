"""The interface of a group as the rest of the package sees it: a handle, and two kinds of immutable arrays.

Notation: lowercase letters are scalars, capitals are points, and the group is written additively. Both kinds of array
are one-dimensional, have at least one element, and broadcast if their length is one. On the native backend, operations
that are not named `vartime_…` take time that does not depend on the values. The reference cannot promise that.

There are two implementations of these protocols: the Rust core (`group/native.py`) and plain Python integers
(`group/reference.py`). Wrong use raises `BadParameter`; bytes that are not canonical raise `DecodeError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, overload, runtime_checkable


@runtime_checkable
class Order(Protocol):
    """A secret order of 0 … n − 1: a permutation π. Not a sequence, so that it cannot be iterated by mistake.

    `repr` reveals nothing about it. The native backend erases it, and reorders arrays in steps and at memory addresses
    that are the same for every order of this length. `order.py` draws orders and builds them from chosen indices.
    """

    def __len__(self) -> int:
        """Return n, the number of places."""

    def inverse(self) -> Order:
        """Return the inverse permutation."""

    def vartime_list(self) -> list[int]:
        """Return π(0), π(1), … as integers. What Python does with them leaks the order through timing and memory."""


class Scalars(Protocol):
    """Integers modulo the group's order. They may be secret: `repr` shows none, and the native backend erases them."""

    @property
    def group(self) -> Group:
        """The group that the scalars belong to."""

    def __len__(self) -> int:
        """Return the number of elements."""

    def __getitem__(self, key: int | slice, /) -> Scalars:
        """Return one element or a non-empty slice without a step, as an array in both cases."""

    def __add__(self, other: Scalars, /) -> Scalars:
        """Add elementwise, modulo the order."""

    def __sub__(self, other: Scalars, /) -> Scalars:
        """Subtract elementwise, modulo the order."""

    def __neg__(self) -> Scalars:
        """Negate each element modulo the order."""

    @overload
    def __mul__(self, other: Scalars, /) -> Scalars: ...
    @overload
    def __mul__(self, other: Points, /) -> Points: ...
    def __eq__(self, other: object, /) -> bool:
        """Compare the arrays as wholes, in constant time if they have the same length."""

    def half(self) -> Scalars:
        """Divide each element by two."""

    def invert(self) -> Scalars:
        """Invert each element, as one batch. Raise `BadParameter`, with the index, if one is zero."""

    def sum(self) -> Scalars:
        """Return the sum of all elements, as an array of one."""

    def dot(self, other: Scalars, /) -> Scalars:
        """Return the sum of the elementwise products. The lengths must be equal."""

    def powers(self, count: int, /) -> Scalars:
        """Return x, x², …, x^count for an array with the single element x."""

    def cumprod(self) -> Scalars:
        """Return the products of the first 1, 2, …, n elements."""

    def take(self, indices: Sequence[int] | Order, /) -> Scalars:
        """Return the elements at these public indices, or all elements in a secret order."""

    def concat(self, others: Sequence[Scalars], /) -> Scalars:
        """Append other arrays."""

    def first_zero(self) -> int | None:
        """Return the index of the first zero, if there is one."""

    def to_bytes(self) -> bytes:
        """Return the concatenated encodings."""


class Points(Protocol):
    """Elements of the group. Always valid: they only come from strict decoding, hashing and arithmetic."""

    @property
    def group(self) -> Group:
        """The group that the points belong to."""

    def __len__(self) -> int:
        """Return the number of points."""

    def __getitem__(self, key: int | slice, /) -> Points:
        """Return one point or a non-empty slice without a step, as an array in both cases."""

    def __add__(self, other: Points, /) -> Points:
        """Add elementwise."""

    def __sub__(self, other: Points, /) -> Points:
        """Subtract elementwise."""

    def __neg__(self) -> Points:
        """Negate each point."""

    def __eq__(self, other: object, /) -> bool:
        """Compare the arrays as wholes."""

    def sum(self) -> Points:
        """Return the sum of all points, as an array of one."""

    def ranked_sum(self) -> Points:
        """Return 1·P_1 + 2·P_2 + … + n·P_n, computed with 2n additions."""

    def take(self, indices: Sequence[int] | Order, /) -> Points:
        """Return the points at these public indices, or all points in a secret order."""

    def concat(self, others: Sequence[Points], /) -> Points:
        """Append other arrays."""

    def doubled(self) -> Points:
        """Double each point. On ristretto255 the results are also encoded, as one batch, which is much cheaper."""

    def tabled(self) -> Points:
        """Return the same single point with a precomputed table that makes `scalars * point` several times faster.

        Use it for points that are multiplied often. The generator has one; a joint key deserves one.
        """

    def first_identity(self) -> int | None:
        """Return the index of the first identity, if there is one."""

    def vartime_first_in(self, other: Points, /) -> int | None:
        """Return the index of the first element that is also in `other`, if there is one. For public points."""

    def vartime_first_repeat(self) -> int | None:
        """Return the index of the first element that equals an earlier one, if there is one. For public points."""

    def to_bytes(self) -> bytes:
        """Return the concatenated encodings."""


class Group(Protocol):
    """A group of prime order, on one backend. Two handles of the same name and backend are the same object."""

    def __hash__(self) -> int:
        """Return a hash, so that a group can be a key of a cache."""

    @property
    def name(self) -> str:
        """The group's name, such as "ristretto255"."""

    @property
    def backend(self) -> str:
        """The name of the implementation, such as "native"."""

    @property
    def order(self) -> int:
        """The number of elements, a prime."""

    @property
    def scalar_size(self) -> int:
        """The size of an encoded scalar in bytes."""

    @property
    def point_size(self) -> int:
        """The size of an encoded point in bytes."""

    @property
    def wide_size(self) -> int:
        """The number of uniform bytes that `wide_scalars` reads per scalar: enough to make the bias negligible."""

    @property
    def uniform_size(self) -> int:
        """The number of uniform bytes that `map_to_points` reads per point."""

    @property
    def G(self) -> Points:
        """The generator, with its table."""

    def points(self, data: bytes, /) -> Points:
        """Decode concatenated points. Raise `DecodeError` for a non-canonical encoding or the identity."""

    def scalars(self, data: bytes, /) -> Scalars:
        """Decode concatenated scalars. Raise `DecodeError` for a value not below the order. Zero is allowed."""

    def wide_scalars(self, data: bytes, /) -> Scalars:
        """Read each `wide_size` bytes as a little-endian integer and reduce it modulo the order."""

    def integers(self, values: Sequence[int], /) -> Scalars:
        """Convert integers in [0, 2^64) to scalars."""

    def map_to_points(self, data: bytes, /) -> Points:
        """Map each `uniform_size` bytes to a point with the group's one-way map."""

    def identity(self, count: int, /) -> Points:
        """Return an array of identities, to start a sum from. Identities are never decoded and never sent."""

    def msm(self, scalars: Scalars, points: Points, /) -> Points:
        """Return Σ scalars[i]·points[i], in constant time. The lengths must be equal."""

    def products(self, scalars: Scalars, points: Points, /) -> Points:
        """Return scalars * points for sending. On ristretto255 the results are also encoded, as by `doubled`."""

    def msm_each(self, terms: Sequence[tuple[Scalars, Points]], /) -> Points:
        """Return the `msm` of each term, as one array. On ristretto255 they are also encoded, as by `doubled`."""

    def combine(self, a: Scalars, p: Points, b: Scalars, q: Points, /) -> Points:
        """Return a·p + b·q, elementwise and broadcast, in constant time. Cheaper than two separate products."""

    def vartime_msm(self, scalars: Scalars, points: Points, /) -> Points:
        """Return the same as `msm` for public values: faster, but not in constant time."""

    def vartime_sum(self, terms: Sequence[tuple[Scalars, Scalars, Points]], /) -> Points:
        """Return Σ w[i]·s[i]·P[i] over all terms (w, s, P), each broadcast, for public values.

        If several terms share an array of points (the same object, not an equal one), it enters the sum only once.
        """


class Array(Protocol):
    """What both kinds of array have in common, so that `concat` can be a single function."""

    def concat(self, others: Sequence[Self], /) -> Self:
        """Append other arrays of the same kind."""
