"""A deck is changed after its proof was made: two cards are moved so that the sum in the proof stays what it is."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs.lockstep import Step
from nodealer.lab.attacks.proofs.prover import forged
from nodealer.lab.attacks.truth import spoilt


def _lock(moment: Moment) -> bytes:
    """Σ d̂_j·out_j does not see d̂_2·P more in the first card and d̂_1·P less in the second."""
    step = Step.of(moment)
    honest = step.s * step.before.take(step.order)
    proof, d_hat = forged(
        step.transcript(), moment.tape, step.relation(honest), lambda n: n.take(step.order), lambda d: step.s
    )
    P = step.s.group.G
    cards = concat(honest[0] + d_hat[1] * P, honest[1] - d_hat[0] * P, honest[2:])
    return step.message(cards, proof)


#: The decks are not in the challenge: weak Fiat–Shamir.
_STATEMENT: Final = Without(
    "nodealer.proofs.shuffle:_bind", "transcript.absorb_points(labels.STATEMENT, *relation.statement)"
)

SHIFT: Final = Attack(
    name="shift",
    does="changes two cards after the proof is made, so that its sums stay",
    of=("A13",),
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
                defence=(_STATEMENT,),
                gained=spoilt,
            ),
        ),
    },
)
