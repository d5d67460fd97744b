"""What the tests know of the groups by themselves, and not from what they test."""

from __future__ import annotations

from typing import Literal

from nodealer.group import Group

ORDERS = {
    "ristretto255": 2**252 + 27742317777372353535851937790883648493,
    "secp256k1": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
}
BYTEORDERS: dict[str, Literal["little", "big"]] = {"ristretto255": "little", "secp256k1": "big"}
# Of a scalar, a point, what is reduced to a scalar, what is mapped to a point.
SIZES = {"ristretto255": (32, 32, 64, 64), "secp256k1": (32, 33, 64, 96)}
NAMES = tuple(ORDERS)


def encoded(g: Group, *values: int) -> bytes:
    """Scalars, which need not be below the order."""
    return b"".join(value.to_bytes(32, BYTEORDERS[g.name]) for value in values)


def decoded(g: Group, data: bytes) -> list[int]:
    return [int.from_bytes(data[i : i + 32], BYTEORDERS[g.name]) for i in range(0, len(data), 32)]
