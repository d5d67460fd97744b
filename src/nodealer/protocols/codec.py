"""Reading the messages of the card protocols: strict JSON outside, exactly so many points or scalars inside."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Points, Scalars
from nodealer.proofs.encoding import encodings
from nodealer.wire import Message, decode

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], data: bytes) -> M:
    """A message of one kind."""
    return decode(kind, data, what=f"the {kind.__struct_config__.tag}")


# defence: fits-all, identity-key, zero
def read_points(group: Group, data: bytes, count: int, what: str) -> Points:
    """Exactly `count` points, none the identity."""
    _expect(data, count * group.point_size, what)
    try:
        return group.points(data)
    except DecodeError as error:
        raise DecodeError(f"{what}: {error.what}", error.index) from None


def read_secrets(group: Group, data: bytes, count: int, what: str) -> Scalars:
    """Exactly `count` scalars, none zero."""
    _expect(data, count * group.scalar_size, what)
    try:
        scalars = group.scalars(data)
    except DecodeError as error:
        raise DecodeError(f"{what}: {error.what}", error.index) from None
    if scalars.first_zero() is not None:
        raise DecodeError(f"{what}: zero", scalars.first_zero())
    return scalars


def _expect(data: bytes, size: int, what: str) -> None:
    if len(data) != size:
        raise DecodeError(f"{what}: {len(data)} bytes instead of {size}")


def read_choice(choice: bytes | None) -> list[int]:
    """What a person chose about cards that it looked at: positions, as a JSON list."""
    if choice is None:
        raise BadParameter("this is for a person to choose")
    try:
        return msgspec.json.decode(choice, type=list[int])
    except msgspec.MsgspecError as error:
        raise BadParameter(f"a choice is a list of positions: {error}") from None


def point_index(points: Points) -> dict[bytes, int]:
    """Encoding to index, for looking points up. Shorter than the array where points repeat."""
    return {encoding: index for index, encoding in enumerate(encodings(points))}
