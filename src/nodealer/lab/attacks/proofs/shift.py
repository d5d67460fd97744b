"""A deck is changed after its proof was made: two cards are moved so that the sum in the proof stays what it is."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs.forging import on_shuffles
from nodealer.lab.attacks.proofs.prover import forged
from nodealer.lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """Σ d̂_j·out_j does not see d̂_2·P more in the first card and d̂_1·P less in the second."""
    *others, honest = step.after()
    relation = step.relation((*others, honest))
    proof, d_hat = forged(step.transcript(), step.moment.tape, relation, step.tied(), step.secrets)
    P = step.group.G
    moved = concat(honest[0] + d_hat[1] * P, honest[1] - d_hat[0] * P, honest[2:])
    return step.message((*others, moved), proof)


SHIFT: Final = on_shuffles(
    "shift",
    "changes two cards after the proof is made, so that its sums stay",
    ("A13",),
    _false,
    # The decks are in the challenge: without it, this is weak Fiat–Shamir.
    Without("nodealer.proofs.shuffle:_bind", "transcript.absorb_points(labels.STATEMENT, *relation.statement)"),
)
