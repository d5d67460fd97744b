"""The group of the source: 2048 bits are for what only they can show, since the flow is the same in all groups."""

from __future__ import annotations

import pytest

from nodealer.group import Group
from nodealer.group import group as make_group


@pytest.fixture
def squares() -> Group:
    return make_group("modp2048")
