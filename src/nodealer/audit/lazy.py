"""A group that computes only what is asked for.

An array here is a recipe. Points that came as bytes are not decoded, sums are not added up, until somebody wants their
bytes or compares them, and then only for the elements that are wanted. Nothing is refused: so this is only for the part
of a log whose every message is checked elsewhere with the real group (see `parts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nodealer.group import Group

#: Makes the real array: all of it, or the elements at these places.
Recipe = Callable[[Sequence[int] | None], Any]


class Later:
    """Scalars or points, not made yet."""

    __slots__ = ("_data", "_length", "_made", "_of", "_recipe", "group")

    def __init__(self, group: LazyGroup, length: int, recipe: Recipe, data: bytes | None = None) -> None:
        self.group = group
        self._length = length
        self._recipe = recipe
        self._data = data
        #: The bytes that it was taken from, the size of an element, and the places.
        self._of: tuple[bytes, int, Sequence[int]] | None = None
        self._made: Any = None

    def make(self, places: Sequence[int] | None = None) -> Any:
        """The real array, or some of its elements."""
        if self._made is not None:
            return self._made if places is None else self._made.take(places)
        if places is not None:
            return self._recipe(places)
        self._made = self._recipe(None)
        return self._made

    @property
    def known(self) -> bytes | None:
        """Its bytes, if nothing has to be computed for them."""
        if self._data is None and self._of is not None:
            data, size, places = self._of
            self._data = b"".join([data[at * size : (at + 1) * size] for at in places])
        return self._data

    def to_bytes(self) -> bytes:
        if self.known is None:
            self._data = self.make().to_bytes()
        return self._data if self._data is not None else b""

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        """By bytes that are at hand. What would have to be computed is a check, which is not done here: it holds."""
        if not isinstance(other, Later):
            return False
        return self.known is None or other.known is None or self.known == other.known

    __hash__ = None  # type: ignore[assignment]

    # --- Elementwise: an element of the result needs only the elements at its place ---

    def _elementwise(self, other: Later, operation: Callable[[Any, Any], Any]) -> Later:
        length = max(len(self), len(other))

        def recipe(places: Sequence[int] | None) -> Any:
            one, two = (side.make(places if len(side) == length else None) for side in (self, other))
            return operation(one, two)

        if length == 1:
            return Later(self.group, 1, lambda places: operation(self.make(), other.make()))
        return Later(self.group, length, recipe)

    def __add__(self, other: Later) -> Later:
        return self._elementwise(other, lambda one, two: one + two)

    def __sub__(self, other: Later) -> Later:
        return self._elementwise(other, lambda one, two: one - two)

    def __mul__(self, other: Later) -> Later:
        return self._elementwise(other, lambda one, two: one * two)

    def __neg__(self) -> Later:
        return Later(self.group, len(self), lambda places: -self.make(places))

    # --- Some of the elements ---

    def take(self, indices: Sequence[int]) -> Later:
        def recipe(places: Sequence[int] | None) -> Any:
            return self.make(indices if places is None else [indices[place] for place in places])

        later = Later(self.group, len(indices), recipe)
        if self._data is not None:
            later._of = (self._data, len(self._data) // len(self), indices)
        return later

    def __getitem__(self, key: int | slice) -> Later:
        places = range(len(self))[key]
        return self.take([places] if isinstance(places, int) else places)

    # --- Whole arrays ---

    def _whole(self, length: int, operation: Callable[[Any], Any]) -> Later:
        def recipe(places: Sequence[int] | None) -> Any:
            made = operation(self.make())
            return made if places is None else made.take(places)

        return Later(self.group, length, recipe)

    def concat(self, others: Sequence[Later]) -> Later:
        parts = (self, *others)
        if not others:
            return self
        later = self._whole(sum(map(len, parts)), lambda made: made.concat([part.make() for part in others]))
        known = [part.known for part in parts]
        if None not in known:
            later._data = b"".join(data for data in known if data is not None)
        return later

    def sum(self) -> Later:
        return self._whole(1, lambda made: made.sum())

    def invert(self) -> Later:
        return self._whole(len(self), lambda made: made.invert())

    def dot(self, other: Later) -> Later:
        return self._whole(1, lambda made: made.dot(other.make()))

    def powers(self, count: int) -> Later:
        return self._whole(count, lambda made: made.powers(count))

    def cumprod(self) -> Later:
        return self._whole(len(self), lambda made: made.cumprod())

    def tabled(self) -> Later:
        # A table pays for itself after many multiplications, and here there are none.
        return self

    def first_identity(self) -> int | None:
        return None

    def first_zero(self) -> int | None:
        return None


class LazyGroup:
    """The same group, in no hurry."""

    def __init__(self, real: Group) -> None:
        self._real = real
        self.name, self.backend, self.order = real.name, real.backend, real.order
        self.scalar_size, self.point_size = real.scalar_size, real.point_size
        self.wide_size, self.uniform_size = real.wide_size, real.uniform_size
        self.G = self._made(real.G)

    def _made(self, array: Any) -> Later:
        return Later(self, len(array), lambda places: array if places is None else array.take(places))

    def _decoded(self, data: bytes, size: int, decode: Callable[[bytes], Any]) -> Later:
        def recipe(places: Sequence[int] | None) -> Any:
            if places is None:
                return decode(data)
            return decode(b"".join(data[at * size : (at + 1) * size] for at in places))

        return Later(self, len(data) // size, recipe, data)

    def points(self, data: bytes) -> Later:
        return self._decoded(data, self.point_size, self._real.points)

    def scalars(self, data: bytes) -> Later:
        return self._decoded(data, self.scalar_size, self._real.scalars)

    def wide_scalars(self, data: bytes) -> Later:
        return Later(self, len(data) // self.wide_size, self._then(lambda: self._real.wide_scalars(data)))

    def integers(self, values: Sequence[int]) -> Later:
        return Later(self, len(values), self._then(lambda: self._real.integers(values)))

    def map_to_points(self, data: bytes) -> Later:
        return Later(self, len(data) // self.uniform_size, self._then(lambda: self._real.map_to_points(data)))

    def identity(self, count: int) -> Later:
        return Later(self, count, lambda places: self._real.identity(count if places is None else len(places)))

    def msm(self, scalars: Later, points: Later) -> Later:
        return self.vartime_msm(scalars, points)

    def vartime_msm(self, scalars: Later, points: Later) -> Later:
        return Later(self, 1, lambda places: self._real.vartime_msm(scalars.make(), points.make()))

    def combine(self, a: Later, p: Later, b: Later, q: Later) -> Later:
        return a * p + b * q

    @staticmethod
    def _then(whole: Callable[[], Any]) -> Recipe:
        return lambda places: whole() if places is None else whole().take(places)
