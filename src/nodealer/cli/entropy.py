"""Where randomness comes in: here, at the edge, and nowhere deeper."""

from __future__ import annotations

import secrets

from nodealer.proofs.checks import Entropy
from nodealer.tape import expand


def system_entropy(size: int) -> bytes:
    """The operating system's."""
    return secrets.token_bytes(size)


def rehearsal_entropy(seed: int, label: str) -> Entropy:
    """Bytes that anybody can make again from the seed: for rehearsals, in which nothing is secret."""
    drawn = 0

    def draw(size: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return expand("rehearsal", seed, label, drawn, size=size)

    return draw
