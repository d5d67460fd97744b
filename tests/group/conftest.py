"""Groups and backends for the tests of this room. A native core that is not built is an error here, not a skip."""

from __future__ import annotations

import pytest

from nodealer.group import Group, group

from .group_facts import NAMES

BACKENDS = ("reference", "native")


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
