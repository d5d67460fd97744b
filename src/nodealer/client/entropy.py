"""Sources of randomness. Randomness enters the program here, at the edge, and nowhere deeper."""

from __future__ import annotations

import secrets

from nodealer.proofs.checks import Entropy
from nodealer.tape import expand


def system_entropy(size: int) -> bytes:
    """Return random bytes from the operating system."""
    return secrets.token_bytes(size)


def rehearsal_entropy(seed: int, label: str) -> Entropy:
    """Return a source of bytes that anyone can reproduce from the seed: in a rehearsal nothing is secret."""
    drawn = 0

    def draw(size: int) -> bytes:
        """Return the next `size` bytes of the deterministic stream."""
        nonlocal drawn
        drawn += 1
        return expand("rehearsal", seed, label, drawn, size=size)

    return draw
