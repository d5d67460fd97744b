"""The binary form of a proof: a version byte, its points, its scalars. The statement determines how many of each."""

from __future__ import annotations

from nodealer.errors import DecodeError
from nodealer.group import Group, Points, Scalars
from nodealer.proofs.labels import VERSION


def encode_proof(points: Points, scalars: Scalars) -> bytes:
    """Encode a proof."""
    return bytes([VERSION]) + points.to_bytes() + scalars.to_bytes()


# defence: zero
def decode_proof(group: Group, data: bytes, *, points: int, scalars: int, what: str) -> tuple[Points, Scalars]:
    """Decode a proof with this many points and scalars. Raise `DecodeError`, naming `what`, if it is invalid."""
    boundary = 1 + points * group.point_size
    size = boundary + scalars * group.scalar_size
    if len(data) != size:
        raise DecodeError(f"the {what} has {len(data)} bytes instead of {size}")
    if data[0] != VERSION:
        raise DecodeError(f"the {what} has version {data[0]} instead of {VERSION}")
    try:
        return group.points(data[1:boundary]), group.scalars(data[boundary:])
    except DecodeError as error:
        raise DecodeError(f"the {what} is malformed: {error.what}", error.index) from None


def encodings(points: Points) -> list[bytes]:
    """Return the encoding of each point, for comparison and lookup."""
    data, size = points.to_bytes(), points.group.point_size
    return [data[at : at + size] for at in range(0, len(data), size)]
