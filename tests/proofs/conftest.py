"""Backends as fixtures. `group` is each backend in turn, for small decks; `native` is for large ones."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from nodealer.group import Group
from nodealer.group import group as make_group

HAS_NATIVE = find_spec("nodealer.group._core") is not None


def _native() -> Group:
    if not HAS_NATIVE:
        pytest.skip("the native core is not built")
    return make_group(backend="native")


@pytest.fixture(params=["reference", "native"])
def group(request: pytest.FixtureRequest) -> Group:
    return _native() if request.param == "native" else make_group(backend="reference")


@pytest.fixture
def native() -> Group:
    return _native()


@pytest.fixture
def fast() -> Group:
    """The quicker one of those that are there: for tests of many trials, which need not run on both."""
    return make_group(backend="native" if HAS_NATIVE else "reference")
