"""Moves that nobody should make: what a player sends who wants to break the game, or whose program is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from nodealer.wire import INTEGER_MAX

#: Whatever the game: nothing of this is a move.
JUNK: Final = (
    b"null",
    b"0",
    b'""',
    b"[]",
    b"{}",
    b"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
    b'{"type":null}',
    b'{"type":"no such move"}',
    b'{"type":"no such move","type":"no such move"}',
    b'{"type":"' + b"x" * 5000 + b'"}',
    b"not json",
    b"\xff\xfe",
    b"",
)
#: For a number that is one: others that may not be.
NUMBERS: Final = (-1, 0, 1, 2, 7, 51, 52, 10_000, INTEGER_MAX, INTEGER_MAX + 1, 10**30)
#: For anything: what has another type.
OTHERS: Final[tuple[Any, ...]] = (None, True, 1.5, "x", [], {}, [0], -1)


def loose(move: bytes) -> Iterator[bytes]:
    """A move as no honest program writes it: the same meaning in other bytes, or more than it means."""
    said = json.loads(move)
    yield b" " + move
    yield move + b"\n"
    spaced = json.dumps(said).encode()
    if spaced != move:
        yield spaced
    if isinstance(said, dict):
        yield _written({**said, "and": 1})
        yield _written({"and": 1, **said})


def other(move: bytes) -> Iterator[bytes]:
    """Moves with something else in one place of them: another number, another type, or nothing. Some may be legal."""
    said = json.loads(move)
    for changed in _changed(said):
        if changed != said:
            yield _written(changed)
    if isinstance(said, dict):
        for name in said:
            yield _written({key: value for key, value in said.items() if key != name})
            yield from (_written({**said, name: value}) for value in OTHERS if type(value) is not type(said[name]))


def _changed(said: Any) -> Iterator[Any]:
    """The same with one number, or one list, changed."""
    if isinstance(said, dict):
        for name, inner in said.items():
            yield from ({**said, name: changed} for changed in _changed(inner))
    elif isinstance(said, list):
        yield [*said, *said]
        yield []
        for at, inner in enumerate(said):
            yield from ([*said[:at], changed, *said[at + 1 :]] for changed in _changed(inner))
    elif isinstance(said, int) and not isinstance(said, bool):
        yield from NUMBERS


def _written(said: Any) -> bytes:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode()
