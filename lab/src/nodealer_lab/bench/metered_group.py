"""A group whose every call is timed, to find how much of a program's work is arithmetic.

The wrapped arrays slow the program down, but the calls themselves are measured correctly. Their time is subtracted from
a run without meters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Any, Final, cast

from nodealer import keys
from nodealer.group import Group

_ARRAY: Final = (
    "__add__", "__sub__", "__neg__", "__mul__", "__eq__", "__getitem__", "__len__", "half", "invert", "sum", "dot",
    "powers", "cumprod", "take", "concat", "doubled", "tabled", "first_zero", "first_identity", "to_bytes",
    "ranked_sum", "vartime_first_in", "vartime_first_repeat",
)  # fmt: skip
_GROUP: Final = (
    "points", "scalars", "wide_scalars", "integers", "map_to_points", "identity", "msm", "combine", "vartime_msm",
    "vartime_sum", "msm_each", "products",
)  # fmt: skip
_FACTS: Final = ("name", "backend", "order", "scalar_size", "point_size", "wide_size", "uniform_size")


@dataclass
class Meter:
    """CPU seconds spent in calls so far, and the number of calls."""

    seconds: float = 0.0
    calls: int = 0

    def time(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, add its time, and return its result."""
        start = process_time()
        result = call(*arguments)
        self.seconds += process_time() - start
        self.calls += 1
        return result

    @property
    def net(self) -> float:
        """The seconds without the cost of reading the clock, so that the meter does not overstate the arithmetic."""
        meter = Meter()
        for _ in range(1000):
            meter.time(_nothing)
        return self.seconds - self.calls * meter.seconds / meter.calls


def _nothing() -> None:
    """Do nothing. The time of calling this is the overhead that the meter subtracts."""
    return None


class _Metered:
    """An array or a group with every call timed."""

    def __init__(self, inner: Any, group: Any, meter: Meter) -> None:
        """Wrap `inner`, an object of the real group. If `group` is None, this object is itself the wrapped group."""
        self.inner = inner
        self.group = group if group is not None else self
        self.meter = meter


class _MeteredArray(_Metered):
    __hash__ = None  # type: ignore[assignment]


class _MeteredGroup(_Metered):
    def __init__(self, inner: Any, meter: Meter) -> None:
        """Wrap a group: copy its constants, and wrap its generator."""
        super().__init__(inner, None, meter)
        # One object, as in the real groups, because a batch recognises the generator by its identity.
        self.G = _MeteredArray(inner.G, self, meter)
        for fact in _FACTS:
            setattr(self, fact, getattr(inner, fact))


def _unwrap(value: Any) -> Any:
    """Return an argument with all wrapped arrays in it replaced by the real ones."""
    if isinstance(value, _Metered):
        return value.inner
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return [tuple(item.inner for item in term) for term in value]
    if isinstance(value, list | tuple) and value and isinstance(value[0], _Metered):
        return [item.inner for item in value]
    return value


def _timed_method(name: str, wraps: bool) -> Callable[..., Any]:
    """Return a method that calls the real one on unwrapped arguments and adds its time to the meter.

    `wraps` says whether the result is an array to be wrapped again.
    """

    def call(self: _Metered, *arguments: Any) -> Any:
        """Time the real method, and wrap its result if needed."""
        result = self.meter.time(getattr(self.inner, name), *map(_unwrap, arguments))
        return _MeteredArray(result, self.group, self.meter) if wraps else result

    return call


for _name in _ARRAY:
    _is_array = _name not in ("__eq__", "__len__", "to_bytes") and "first_" not in _name
    setattr(_MeteredArray, _name, _timed_method(_name, _is_array))
for _name in _GROUP:
    setattr(_MeteredGroup, _name, _timed_method(_name, True))


def with_meter(group: Group, meter: Meter) -> Group:
    """Return the group with meters on it."""
    return cast(Group, _MeteredGroup(group, meter))


@contextmanager
def metered_signatures(meter: Meter) -> Iterator[None]:
    """Also time signing and verifying with identity keys until the end of the block."""
    sign, verify = keys.Identity.sign, keys.VerifyingKey.verify

    def timed_sign(self: keys.Identity, message: bytes) -> bytes:
        """Sign a message, on the meter."""
        return cast(bytes, meter.time(sign, self, message))

    def timed_verify(self: keys.VerifyingKey, signature: bytes, message: bytes) -> None:
        """Verify a signature, on the meter."""
        meter.time(verify, self, signature, message)

    keys.Identity.sign, keys.VerifyingKey.verify = timed_sign, timed_verify  # type: ignore[method-assign]
    try:
        yield
    finally:
        keys.Identity.sign, keys.VerifyingKey.verify = sign, verify  # type: ignore[method-assign]
