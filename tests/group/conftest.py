"""Groups and backends for the tests of this room. A native core that is not built is an error here, not a skip, unless
NODEALER_NATIVE=skip says that there is to be none."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from backends import HAS_NATIVE
from nodealer.errors import BackendMissing
from nodealer.group import Group, group

from .group_facts import NAMES

BACKENDS = ("reference", "native")
REFERENCE_ONLY = not HAS_NATIVE and os.environ.get("NODEALER_NATIVE") == "skip"
collect_ignore = ["test_native.py"] if REFERENCE_ONLY else []


@contextmanager
def _where_it_applies() -> Iterator[None]:
    """In a reference-only installation, what asks for the native core does not apply."""
    try:
        yield
    except BackendMissing as missing:
        if not REFERENCE_ONLY:
            raise
        pytest.skip(str(missing))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    with _where_it_applies():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with _where_it_applies():
        return (yield)


@pytest.fixture(scope="session", params=[(name, backend) for name in NAMES for backend in BACKENDS], ids="-".join)
def g(request: pytest.FixtureRequest) -> Group:
    """Every group on every backend."""
    return group(*request.param)


@pytest.fixture(scope="session")
def other(g: Group) -> Group:
    """The same group on the other backend, whose values must not be mixed in."""
    return group(g.name, "native" if g.backend == "reference" else "reference")


@pytest.fixture(scope="session", params=BACKENDS)
def ristretto255(request: pytest.FixtureRequest) -> Group:
    return group("ristretto255", request.param)


@pytest.fixture(scope="session", params=BACKENDS)
def secp256k1(request: pytest.FixtureRequest) -> Group:
    return group("secp256k1", request.param)
