"""Generators of the commitments, hashed to the group from public labels.

Nobody may know a relation between them, or a false shuffle can be proven. So they are not chosen: anybody can compute
them from the labels, and the one-way map gives no logarithm away.
"""

from __future__ import annotations

import functools

from nodealer.group import Group, Points, concat, hash_to_points
from nodealer.proofs import labels


@functools.lru_cache(maxsize=16)
def blinding_generator(group: Group) -> Points:
    """H, for the blinding of every commitment."""
    return hash_to_points(group, labels.BLINDING_GENERATOR, [b"H"])


@functools.lru_cache(maxsize=64)
def generators(group: Group, count: int) -> Points:
    """G_1 … G_count. G_i does not depend on `count`.

    One object for each size, as for H: a batch recognises arrays by identity.
    """
    messages = [index.to_bytes(4, "little") for index in range(1, count + 1)]
    return hash_to_points(group, labels.GENERATORS, messages)


@functools.lru_cache(maxsize=64)
def commitment_key(group: Group, count: int) -> Points:
    """G_1 … G_count and then H, as one array: what a commitment to `count` scalars is made of."""
    return concat(generators(group, count), blinding_generator(group))
