"""The cost of checking proofs, counted in the terms of their sum."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.proofs.checks import Check, Entropy, Term, weighted_terms, weights_of


def terms_of(checks: Sequence[Check], entropy: Entropy) -> list[Term]:
    """Return what the sum of these checks multiplies, with each array of points once."""
    total: dict[int, Term] = {}
    for weights, scalars, points in weighted_terms(checks, weights_of(checks, entropy)):
        scaled = weights * scalars
        scaled = scaled.sum() if len(points) == 1 else scaled
        known = total.get(id(points))
        total[id(points)] = (scaled if known is None else known[0] + scaled, points)
    return list(total.values())
