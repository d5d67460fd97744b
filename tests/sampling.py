"""`make deep` runs everything in full. `make test` tries fewer times, and runs a sample of the tests marked `sample`.

In a sample each value of each parameter comes up, on each backend: every cheat, every seat and every index, and not
every cheat of every seat at every index. Which values meet is drawn from their names: the same for all. A test can
ask for fewer: `sample(cases=1)`, or `sample(reference=1)` for one on the slow backend, which says what the core says.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

import pytest

DEEP: Final = os.environ.get("HYPOTHESIS_PROFILE") == "deep"


def times(here: int, *, deep: int) -> int:
    """How often something is tried: in `make test`, and in `make deep`."""
    return deep if DEEP else here


#: Parameters that are groups or backends: each of their values has a sample of its own.
BACKENDS: Final = frozenset({"g", "both", "group", "ristretto255", "secp256k1", "backend"})

#: Parameters that were given together, and which objects they are. Within one run an object is its address.
Value = tuple[tuple[str, ...], tuple[int, ...]]
Values = frozenset[Value]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is not in a sample as deep."""
    sampled = {item.nodeid: item for item in items if item.get_closest_marker("sample") is not None}
    strata = defaultdict[tuple[str, Values], dict[str, Values]](dict)
    for name, item in sampled.items():
        values = values_of(item)
        backend = frozenset(value for value in values if BACKENDS & {*value[0]})
        strata[name.partition("[")[0], backend][name] = values
    for cases in strata.values():
        most = limit(sampled[next(iter(cases))])
        for name in cases.keys() - set(islice(sample(cases), most)):
            sampled[name].add_marker(pytest.mark.deep)


def values_of(item: pytest.Item) -> Values:
    """The parameters of a case: those of each `parametrize`, and those of each fixture."""
    params: dict[str, object] = item.callspec.params if hasattr(item, "callspec") else {}
    together: list[tuple[str, ...]] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0]
        together.append(tuple(names.replace(",", " ").split()) if isinstance(names, str) else tuple(names))
    together += [(name,) for name in params if not any(name in names for names in together)]
    return frozenset((names, tuple(id(params[name]) for name in names)) for names in together)


def limit(item: pytest.Item) -> int | None:
    """How many cases the test asks for at most."""
    marker = item.get_closest_marker("sample")
    assert marker is not None
    most: int | None = marker.kwargs.get("reference" if "reference" in item.nodeid.partition("[")[2] else "cases")
    return most


def sample(cases: Mapping[str, Values]) -> Iterator[str]:
    """Cases in which every value comes up: again and again the one with the most that is new."""
    left = sorted(cases, key=lambda name: hashlib.sha256(name.encode()).digest())
    seen: set[Value] = set()
    while left:
        best = max(left, key=lambda name: len(cases[name] - seen))
        yield best
        seen |= cases[best]
        left = [name for name in left if cases[name] - seen]
