"""Generators for commitments, hashed to the group from public labels.

Anyone who knew a linear relation between them could prove a false shuffle. So no one chooses them: anyone can compute
them from the labels, and the one-way map reveals no discrete logarithm.
"""

from __future__ import annotations

import functools

from nodealer.group import Group, Points, concat, hash_to_points
from nodealer.proofs import labels


@functools.lru_cache(maxsize=16)
def blinding_generator(group: Group) -> Points:
    """Return H, the generator for the blinding of every commitment."""
    return hash_to_points(group, labels.BLINDING_GENERATOR, [b"H"])


# defence: trapdoor
@functools.lru_cache(maxsize=64)
def generators(group: Group, count: int) -> Points:
    """Return G_1 … G_count. G_i does not depend on `count`.

    Repeated calls return the same object, as for H, because a batch recognises arrays by identity.
    """
    messages = [index.to_bytes(4, "little") for index in range(1, count + 1)]
    return hash_to_points(group, labels.GENERATORS, messages)


@functools.lru_cache(maxsize=64)
def commitment_key(group: Group, count: int) -> Points:
    """Return G_1 … G_count and H as one array: the bases of a commitment to `count` scalars."""
    return concat(generators(group, count), blinding_generator(group))
