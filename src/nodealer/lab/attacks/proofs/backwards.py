"""A proof of a deck that is none, made from its end: where the challenge does not hang on what was committed to."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs import prover
from nodealer.lab.attacks.proofs.lockstep import Step
from nodealer.lab.attacks.truth import spoilt


def _lock(moment: Moment) -> bytes:
    """The cards are any points."""
    step = Step.of(moment)
    junk = moment.deck.binding.group.integers(range(5, 5 + len(step.before))) * step.before[0]
    cards = concat(junk)
    return step.message(cards, prover.backwards(step.transcript(), moment.tape, step.relation(cards)))


#: The last challenge is not computed from the commitments.
_COMMITMENTS: Final = Without(
    "nodealer.proofs.shuffle:_open",
    "transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, P[COMMITMENTS:])",
)

BACKWARDS: Final = Attack(
    name="backwards",
    does="knows the challenge, and makes a proof of false cards from its end",
    of=("A14",),
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
                # The honest seats prove as always: here they are asked to leave the same words out.
                defence=(
                    _COMMITMENTS,
                    Without(
                        "nodealer.proofs.shuffle:prove",
                        "transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, E)",
                    ),
                ),
                gained=spoilt,
            ),
        ),
    },
)
