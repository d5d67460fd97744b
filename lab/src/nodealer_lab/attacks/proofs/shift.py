"""A deck is changed after its proof was made: every two cards move so that the sum in the proof stays what it is."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.combine import pairs, side_by_side
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """Σ d̂_j·out_j does not see d̂_2·P more in the first card and d̂_1·P less in the second, and so on in pairs."""
    *others, honest = step.after()
    relation = step.relation((*others, honest))
    proof, d_hat = forged(step.transcript(), step.moment.tape, relation, step.tied(), step.secrets)
    P = step.group.G
    (first, second), (d_1, d_2) = pairs(honest), pairs(d_hat)
    moved = concat(first + d_2 * P, second - d_1 * P, honest[-1:]).take(side_by_side(step.size))
    return step.message((*others, moved), proof)


SHIFT: Final = on_shuffles(
    "shift",
    "changes two cards after the proof is made, so that its sums stay",
    ("A13",),
    _false,
    # The decks are in the challenge: without it, this is weak Fiat–Shamir.
    Without("nodealer.proofs.shuffle:_bind", "transcript.absorb_points(labels.STATEMENT, *relation.statement)"),
)
