"""Invalid moves: what an attacker or a broken program might send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from nodealer.wire import INTEGER_MAX

#: Not a move in any game.
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
#: Replacements for a number in a move.
NUMBERS: Final = (-1, 0, 1, 2, 7, 51, 52, 10_000, INTEGER_MAX, INTEGER_MAX + 1, 10**30)
#: Replacements of other types for any value in a move.
OTHERS: Final[tuple[Any, ...]] = (None, True, 1.5, "x", [], {}, [0], -1)


def loose_variants(move: bytes) -> Iterator[bytes]:
    """Yield a move as no honest program writes it: the same data in other bytes, or with extra fields."""
    said = json.loads(move)
    yield b" " + move
    yield move + b"\n"
    spaced = json.dumps(said).encode()
    if spaced != move:
        yield spaced
    if isinstance(said, dict):
        yield _to_json({**said, "and": 1})
        yield _to_json({"and": 1, **said})


def changed_variants(move: bytes) -> Iterator[bytes]:
    """Yield variants of a move with one value replaced or removed. Some may be legal."""
    said = json.loads(move)
    for changed in _variants(said):
        if changed != said:
            yield _to_json(changed)
    if isinstance(said, dict):
        for name in said:
            yield _to_json({key: value for key, value in said.items() if key != name})
            yield from (_to_json({**said, name: value}) for value in OTHERS if type(value) is not type(said[name]))


def _variants(said: Any) -> Iterator[Any]:
    """Yield the same data with one number or one list changed."""
    if isinstance(said, dict):
        for name, inner in said.items():
            yield from ({**said, name: changed} for changed in _variants(inner))
    elif isinstance(said, list):
        yield [*said, *said]
        yield []
        for at, inner in enumerate(said):
            yield from ([*said[:at], changed, *said[at + 1 :]] for changed in _variants(inner))
    elif isinstance(said, int) and not isinstance(said, bool):
        yield from NUMBERS


def _to_json(said: Any) -> bytes:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode()
