"""All cards are multiplied by one secret, but by another than that of the key that was published for it."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """Twice the secret; the proof is made with that one, and all but the row of the key is true."""
    two = step.group.integers([2])
    cards = step.after(lambda points: two * points)
    transcript, tape = step.transcript(), step.moment.tape
    proof, _ = forged(transcript, tape, step.relation(cards), step.tied(), lambda d: two * step.s)
    return step.message(cards, proof)


LOOSE: Final = on_shuffles(
    "loose",
    "multiplies all cards by another secret than that of its key",
    ("A7",),
    _false,
    # The key has a row of its own in the proof.
    Without(
        "nodealer.proofs.shuffle:check",
        "*_relation_equations(relation, opened))",
        "*_relation_equations(relation, opened)[:-1])",
    ),
    # Where cards are masked and pairs are offset it is no one secret that makes them.
    only=("lock", "chain", "duel"),
)
