"""The messages of `mask`. Points and scalars are concatenated encodings; the deck fixes how many."""

from __future__ import annotations

from typing import TypeVar

from nodealer.errors import DecodeError
from nodealer.group import Group, Points, Scalars
from nodealer.wire import Message, decode


class Shuffle(Message, frozen=True, tag="shuffle"):
    """My key joins, every card is masked and the deck permuted; the proof shows all three, and that I know my key."""

    key: bytes
    epk: bytes
    msg: bytes
    proof: bytes


class Reshuffle(Message, frozen=True, tag="reshuffle"):
    """Every gathered card is masked again and the pile permuted, under keys that are known already."""

    epk: bytes
    msg: bytes
    proof: bytes


class Rekey(Message, frozen=True, tag="rekey"):
    """Each card moves from my old key to a new one of its own: the new keys, what each card gains, and the proof."""

    keys: bytes
    gains: bytes
    proof: bytes


class Gather(Message, frozen=True, tag="gather"):
    """All cards that go back move to one new key of mine. Open cards have no mask to move: they gain nothing."""

    key: bytes
    knowledge: bytes
    gains: bytes
    proof: bytes


class Mask(Message, frozen=True, tag="mask"):
    """What I add to each card that goes back as it lies, so that its old keys say nothing about it."""

    epk: bytes
    msg: bytes
    proof: bytes


class Release(Message, frozen=True, tag="release"):
    """My keys of the cards that are dealt, opened or shown, in the order of the request."""

    keys: bytes


M = TypeVar("M", bound=Message)


def read(kind: type[M], data: bytes) -> M:
    """A message of one kind."""
    return decode(kind, data, what=f"the {kind.__name__.lower()}")


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
