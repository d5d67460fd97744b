"""A proof of a deck that is none, made from its end: where the challenge does not hang on what was committed to."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs import prover
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """The cards are any points."""
    *others, last = step.after()
    cards = (*others, step.group.integers(range(5, 5 + step.size)) * last[0])
    return step.message(cards, prover.backwards(step.transcript(), step.moment.tape, step.relation(cards)))


BACKWARDS: Final = on_shuffles(
    "backwards",
    "knows the challenge, and makes a proof of false cards from its end",
    ("A14",),
    _false,
    # The last challenge hangs on the commitments, for who proves and for who verifies.
    Without(
        "nodealer.proofs.shuffle:_open", "transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, P[COMMITMENTS:])"
    ),
    Without("nodealer.proofs.shuffle:prove", "transcript.absorb_points(labels.COMMITMENT, C[0], C[1], C[2], C[3:])"),
)
