"""`fast` is the quickest group there is: the flow is the same in all, and 2048 bits are for what only they can show."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from nodealer.group import Group
from nodealer.group import group as make_group


@pytest.fixture
def fast() -> Group:
    return make_group(backend="native" if find_spec("nodealer.group._core") is not None else "reference")


@pytest.fixture
def squares() -> Group:
    return make_group("modp2048")
