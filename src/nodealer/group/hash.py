"""Hashing to a group (RFC 9380): points of which nobody knows the discrete logarithm."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from nodealer.errors import BadParameter
from nodealer.group.api import Group, Points

Hash = Literal["sha256", "sha512"]

HASH_OF_GROUP: dict[str, Hash] = {"ristretto255": "sha512", "secp256k1": "sha256", "modp2048": "sha512"}
"""The hash of each group's suite: ristretto255_XMD:SHA-512_R255MAP_RO_ (RFC 9380, appendix B), and
secp256k1_XMD:SHA-256_SSWU_RO_ (section 8.7). The squares modulo a prime have no suite; they take the same expansion."""

#: Sizes in bytes.
BLOCK_AND_DIGEST: dict[Hash, tuple[int, int]] = {"sha256": (64, 32), "sha512": (128, 64)}


def hash_to_points(group: Group, dst: bytes, messages: Sequence[bytes]) -> Points:
    """One point from each message. `dst` separates uses from each other and must not be empty."""
    if not isinstance(messages, Sequence) or not messages:
        raise BadParameter("hashing to points takes a non-empty sequence of messages")
    name = HASH_OF_GROUP.get(getattr(group, "name", ""))
    if name is None:
        raise BadParameter(f"no way to hash into {group!r}")
    return group.map_to_points(
        b"".join(expand_message_xmd(name, message, dst, group.uniform_size) for message in messages)
    )


def expand_message_xmd(hash: Hash, message: bytes, dst: bytes, size: int) -> bytes:
    """RFC 9380, section 5.3.1: `size` uniform bytes from a message."""
    _check(hash, message, dst)
    block, digest = BLOCK_AND_DIGEST[hash]
    # Step 2.
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= min(255 * digest, 65535):
        raise BadParameter(f"{hash} expands to 1 up to {min(255 * digest, 65535)} bytes")
    # Section 5.3.3: a tag that is too long is hashed.
    if len(dst) > 255:
        dst = _digest(hash, b"H2C-OVERSIZE-DST-", dst)
    tag = dst + len(dst).to_bytes(1, "big")
    # Steps 4 to 8: the zero block in front keeps the first digest apart from all others.
    first = _digest(hash, bytes(block), message, size.to_bytes(2, "big"), b"\0", tag)
    chunk = _digest(hash, first, b"\1", tag)
    chunks = [chunk]
    # Steps 9 to 12.
    for number in range(2, -(-size // digest) + 1):
        mixed = bytes(a ^ b for a, b in zip(first, chunk, strict=True))
        chunk = _digest(hash, mixed, number.to_bytes(1, "big"), tag)
        chunks.append(chunk)
    return b"".join(chunks)[:size]


def _check(hash: str, message: bytes, dst: bytes) -> None:
    if hash not in ("sha256", "sha512"):
        raise BadParameter(f"no such hash here: {hash!r}")
    if not isinstance(message, bytes) or not isinstance(dst, bytes):
        raise BadParameter("message and domain separation tag are bytes")
    # Section 3.1: tags must not be empty.
    if not dst:
        raise BadParameter("the domain separation tag is empty")


def _digest(hash: Hash, *parts: bytes) -> bytes:
    # By their names: to look a hash up takes longer than to compute it.
    made = hashlib.sha512 if hash == "sha512" else hashlib.sha256
    return made(b"".join(parts)).digest()
