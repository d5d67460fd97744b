"""Two false equations that cancel: a batch that adds them up with equal weights sees neither."""

from __future__ import annotations

from typing import Final

from nodealer.group import Points, Scalars, concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs.lockstep import Step
from nodealer.lab.attacks.proofs.prover import forged
from nodealer.lab.attacks.truth import spoilt


def _lock(moment: Moment) -> bytes:
    """P more in the first card makes one row false by x·d_1·P; the commitment to the products takes it up."""
    step = Step.of(moment)
    P, honest = step.s.group.G, step.s * step.before.take(step.order)
    cards = concat(honest[0] + P, honest[1:])

    def adds(d: Scalars, e: Scalars) -> tuple[Points, Points]:
        return d.group.identity(1), d[0] * P

    proof, _ = forged(
        step.transcript(), moment.tape, step.relation(cards), lambda n: n.take(step.order), lambda d: step.s, adds
    )
    return step.message(cards, proof)


#: Every equation of a batch has the weight one.
_WEIGHTS: Final = Without(
    "nodealer.proofs.checks:weights_of",
    'expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows)',
    '(b"\\1" + bytes(WEIGHT_BYTES - 1)) * rows',
)

CANCEL: Final = Attack(
    name="cancel",
    does="makes two equations false, so that their sum is true",
    of=("A16",),
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
                defence=(_WEIGHTS,),
                gained=spoilt,
            ),
        ),
    },
)
