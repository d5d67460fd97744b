"""Hashing to a group (RFC 9380): points whose discrete logarithm no one knows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from nodealer.errors import BadParameter
from nodealer.group.api import Group, Points

Hash = Literal["sha256", "sha512"]

HASH_OF_GROUP: dict[str, Hash] = {"ristretto255": "sha512", "secp256k1": "sha256", "modp2048": "sha512"}
"""The hash of each group's suite: ristretto255_XMD:SHA-512_R255MAP_RO_ (RFC 9380, appendix B) and
secp256k1_XMD:SHA-256_SSWU_RO_ (section 8.7). There is no suite for squares modulo a prime, so modp2048 uses the same
expansion."""

#: Sizes in bytes.
BLOCK_AND_DIGEST: dict[Hash, tuple[int, int]] = {"sha256": (64, 32), "sha512": (128, 64)}


def hash_to_points(group: Group, dst: bytes, messages: Sequence[bytes]) -> Points:
    """Hash each message to a point. `dst`, the domain separation tag, must not be empty."""
    if not isinstance(messages, Sequence) or not messages:
        raise BadParameter("hashing to points needs a non-empty sequence of messages")
    name = HASH_OF_GROUP.get(getattr(group, "name", ""))
    if name is None:
        raise BadParameter(f"cannot hash into {group!r}")
    return group.map_to_points(
        b"".join(expand_message_xmd(name, message, dst, group.uniform_size) for message in messages)
    )


def expand_message_xmd(hash: Hash, message: bytes, dst: bytes, size: int) -> bytes:
    """Expand a message to `size` uniform bytes (RFC 9380, section 5.3.1)."""
    _check_arguments(hash, message, dst)
    block, digest = BLOCK_AND_DIGEST[hash]
    # Step 2.
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= min(255 * digest, 65535):
        raise BadParameter(f"{hash} expands to 1 up to {min(255 * digest, 65535)} bytes")
    # Section 5.3.3: a tag that is too long is hashed.
    if len(dst) > 255:
        dst = _digest(hash, b"H2C-OVERSIZE-DST-", dst)
    tag = dst + len(dst).to_bytes(1, "big")
    # Steps 4 to 8: the leading block of zeros separates the first digest from all others.
    first = _digest(hash, bytes(block), message, size.to_bytes(2, "big"), b"\0", tag)
    chunk = _digest(hash, first, b"\1", tag)
    chunks = [chunk]
    # Steps 9 to 12.
    for number in range(2, -(-size // digest) + 1):
        mixed = bytes(a ^ b for a, b in zip(first, chunk, strict=True))
        chunk = _digest(hash, mixed, number.to_bytes(1, "big"), tag)
        chunks.append(chunk)
    return b"".join(chunks)[:size]


def _check_arguments(hash: str, message: bytes, dst: bytes) -> None:
    """Raise `BadParameter` for an unknown hash, for arguments that are not bytes, or for an empty tag."""
    if hash not in ("sha256", "sha512"):
        raise BadParameter(f"unknown hash: {hash!r}")
    if not isinstance(message, bytes) or not isinstance(dst, bytes):
        raise BadParameter("the message and the domain separation tag must be bytes")
    # Section 3.1: tags must not be empty.
    if not dst:
        raise BadParameter("the domain separation tag is empty")


def _digest(hash: Hash, *parts: bytes) -> bytes:
    """Hash the concatenated parts."""
    # Not hashlib.new: looking a hash up by name takes longer than computing it.
    constructor = hashlib.sha512 if hash == "sha512" else hashlib.sha256
    return constructor(b"".join(parts)).digest()
