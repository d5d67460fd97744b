"""The npm package, installed once. Where it cannot be had its tests are skipped, and under CI=true they fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from nodealer_lab.npm import NodeSeat, NpmMissing, install


@pytest.fixture(scope="session")
def package() -> Path:
    """The folder with the package."""
    try:
        return install()
    except NpmMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@pytest.fixture
def node(package: Path) -> Iterator[Callable[[], NodeSeat]]:
    """Starts seats of the package, which end with the test."""
    with ExitStack() as seats:
        yield lambda: seats.enter_context(NodeSeat(package))
