"""Decoding of protocol messages: strict JSON outside, an exact number of points or scalars inside."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.wire import Message, decode

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], data: bytes) -> M:
    """Decode a message of this class."""
    return decode(kind, data, what=f"the {kind.__struct_config__.tag}")


# defence: fits-all, identity-key, zero
def read_points(group: Group, data: bytes, count: int, what: str) -> Points:
    """Decode exactly `count` points. Raise `DecodeError` if there are more or fewer, or one is the identity."""
    _expect(data, count * group.point_size, what)
    try:
        return group.points(data)
    except DecodeError as error:
        raise DecodeError(f"{what}: {error.what}", error.index) from None


def read_secrets(group: Group, data: bytes, count: int, what: str) -> Scalars:
    """Decode exactly `count` scalars. Raise `DecodeError` if there are more or fewer, or one is zero."""
    _expect(data, count * group.scalar_size, what)
    try:
        scalars = group.scalars(data)
    except DecodeError as error:
        raise DecodeError(f"{what}: {error.what}", error.index) from None
    if scalars.first_zero() is not None:
        raise DecodeError(f"{what}: zero", scalars.first_zero())
    return scalars


def _expect(data: bytes, size: int, what: str) -> None:
    """Raise `DecodeError` unless the data has this size."""
    if len(data) != size:
        raise DecodeError(f"{what}: {len(data)} bytes instead of {size}")


def read_choice(choice: bytes | None) -> list[int]:
    """Decode a person's choice among cards: a JSON list of positions. Raise `BadParameter` if it is not one."""
    if choice is None:
        raise BadParameter("a person must choose before this message can be sent")
    try:
        return msgspec.json.decode(choice, type=list[int])
    except msgspec.MsgspecError as error:
        raise BadParameter(f"a choice must be a list of positions: {error}") from None


def point_index(points: Points) -> dict[bytes, int]:
    """Return a map from encoding to index. It has fewer entries than the array if points repeat."""
    return {encoding: index for index, encoding in enumerate(encodings(points))}
