"""Two false equations that cancel: a batch that adds them up with equal weights sees neither."""

from __future__ import annotations

from typing import Final

from nodealer.group import Points, Scalars
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """P more in every card makes one row false by x·Σ d_j·P; the commitment to the products takes it up."""
    *others, honest = step.after()
    P = step.group.G
    cards = (*others, honest + P)

    def adds(d: Scalars, e: Scalars) -> tuple[Points, Points]:
        return d.group.identity(1), d.sum() * P

    relation = step.relation(cards)
    proof, _ = forged(step.transcript(), step.moment.tape, relation, step.tied(), step.secrets, adds)
    return step.message(cards, proof)


CANCEL: Final = on_shuffles(
    "cancel",
    "makes two equations false, so that their sum is true",
    ("A16",),
    _false,
    # Every equation of a batch has a weight that nobody can foresee.
    Without(
        "nodealer.proofs.checks:weights_of",
        'expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows)',
        '(b"\\1" + bytes(WEIGHT_BYTES - 1)) * rows',
    ),
)
