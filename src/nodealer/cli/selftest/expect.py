"""What a self-test says when it fails. Not `assert`: Python can be told to skip those."""

from __future__ import annotations

from collections.abc import Callable


class SelfTestFailed(Exception):
    """A primitive did not do what it must."""


def expect(what: str, found: object, wanted: object) -> None:
    """Raise unless the two are equal."""
    if found != wanted:
        raise SelfTestFailed(f"{what} is wrong")


def expect_refused(what: str, error: type[Exception], call: Callable[[], object]) -> None:
    """Raise unless `call` raises `error`."""
    try:
        call()
    except error:
        return
    raise SelfTestFailed(f"{what} was not refused")
