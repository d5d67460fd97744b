"""Both backends for the tests of this room. A native core that is not built is an error here, not a skip."""

from __future__ import annotations

import pytest

from nodealer.group import Group, group


@pytest.fixture(scope="session", params=["reference", "native"])
def g(request: pytest.FixtureRequest) -> Group:
    return group("ristretto255", request.param)


@pytest.fixture(scope="session")
def other(g: Group) -> Group:
    """The same group on the other backend, whose values must not be mixed in."""
    return group("ristretto255", "native" if g.backend == "reference" else "reference")
