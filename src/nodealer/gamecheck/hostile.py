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
    data = json.loads(move)
    yield b" " + move
    yield move + b"\n"
    spaced = json.dumps(data).encode()
    if spaced != move:
        yield spaced
    if isinstance(data, dict):
        yield _to_json({**data, "and": 1})
        yield _to_json({"and": 1, **data})


def changed_variants(move: bytes) -> Iterator[bytes]:
    """Yield variants of a move with one value replaced or removed. Some may be legal."""
    data = json.loads(move)
    for changed in _variants(data):
        if changed != data:
            yield _to_json(changed)
    if isinstance(data, dict):
        for name in data:
            yield _to_json({key: value for key, value in data.items() if key != name})
            yield from (_to_json({**data, name: value}) for value in OTHERS if type(value) is not type(data[name]))


def _variants(data: Any) -> Iterator[Any]:
    """Yield the same data with one number or one list changed."""
    if isinstance(data, dict):
        for name, inner in data.items():
            yield from ({**data, name: changed} for changed in _variants(inner))
    elif isinstance(data, list):
        yield [*data, *data]
        yield []
        for at, inner in enumerate(data):
            yield from ([*data[:at], changed, *data[at + 1 :]] for changed in _variants(inner))
    elif isinstance(data, int) and not isinstance(data, bool):
        yield from NUMBERS


def _to_json(data: Any) -> bytes:
    """Encode data as compact JSON, without any check."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
