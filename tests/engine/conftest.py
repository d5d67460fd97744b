"""The clear protocol and the tiny game, for the tests of what stands around every protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Game
from nodealer.group import Group, group


@pytest.fixture
def clear() -> Group:
    return group()


@pytest.fixture
def game() -> Callable[..., Game]:
    """A table of clear text: `protocol` has options of `ClearProtocol`, the rest are options of `Game`."""

    def make(rules: TinyRules | None = None, protocol: dict[str, Any] | None = None, **options: Any) -> Game:
        made = ClearProtocol(group(), **(protocol or {}))
        liars = options.pop("liars", {})
        lying = {s: ClearProtocol(group(), **(protocol or {}), lies=lies) for s, lies in liars.items()}
        return Game(made, rules or TinyRules(), liars=lying, **options)

    return make
