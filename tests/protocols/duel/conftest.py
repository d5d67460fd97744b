"""Backends as fixtures: `group` is each in turn, `fast` the quicker one of those that are there."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from nodealer.group import Group
from nodealer.group import group as make_group

HAS_NATIVE = find_spec("nodealer.group._core") is not None


@pytest.fixture(params=["reference", "native"])
def group(request: pytest.FixtureRequest) -> Group:
    if request.param == "native" and not HAS_NATIVE:
        pytest.skip("the native core is not built")
    return make_group(backend=request.param)


@pytest.fixture
def fast() -> Group:
    return make_group(backend="native" if HAS_NATIVE else "reference")
