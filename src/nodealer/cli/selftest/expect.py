"""Checks for self-tests. They do not use `assert`, which `python -O` skips."""

from __future__ import annotations

from collections.abc import Callable


class SelfTestFailed(Exception):
    """A primitive gave a wrong result."""


def expect(what: str, found: object, wanted: object) -> None:
    """Raise `SelfTestFailed` unless the two are equal."""
    if found != wanted:
        raise SelfTestFailed(f"{what} is wrong")


def expect_refused(what: str, error: type[Exception], call: Callable[[], object]) -> None:
    """Raise `SelfTestFailed` unless `call` raises `error`."""
    try:
        call()
    except error:
        return
    raise SelfTestFailed(f"{what} was not refused")
