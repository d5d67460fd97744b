"""`make deep` runs everything in full. `make test` tries fewer times, and runs a sample of the tests marked `sample`.

In a sample each value of each parameter comes up, on each backend: every cheat, every seat and every index, and not
every cheat of every seat at every index. Which values meet is drawn from their names: the same for everybody.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import pytest

DEEP: Final = os.environ.get("HYPOTHESIS_PROFILE") == "deep"


def times(here: int, *, deep: int) -> int:
    """How often something is tried: in `make test`, and in `make deep`."""
    return deep if DEEP else here


#: Parameters that are groups or backends: each of their values has a sample of its own.
BACKENDS: Final = frozenset({"g", "both", "group", "ristretto255", "secp256k1", "backend"})

Values = frozenset[tuple[str, int]]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is not in the sample as deep."""
    cases = defaultdict[tuple[str, Values], dict[pytest.Function, Values]](dict)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sample") is not None:
            values = frozenset(item.callspec.indices.items()) if hasattr(item, "callspec") else frozenset()
            backend = frozenset(value for value in values if value[0] in BACKENDS)
            cases[item.nodeid.partition("[")[0], backend][item] = values
    for stratum in cases.values():
        for item in stratum.keys() - set(sample(stratum)):
            item.add_marker(pytest.mark.deep)


def sample(cases: dict[pytest.Function, Values]) -> Iterable[pytest.Function]:
    """Cases in which every value comes up: again and again the one with the most that is new."""
    left = sorted(cases, key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
    seen: set[tuple[str, int]] = set()
    while left:
        best = max(left, key=lambda item: len(cases[item] - seen))
        if seen and not cases[best] - seen:
            return
        yield best
        seen |= cases[best]
        left = [item for item in left if cases[item] - seen]
