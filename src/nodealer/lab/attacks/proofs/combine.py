"""Two cards become sums of two cards. A proof that is a sum of weights, and no permutation, does not see it."""

from __future__ import annotations

from typing import Final

from nodealer.group import Points, Scalars, concat
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs.forging import on_shuffles
from nodealer.lab.attacks.proofs.prover import forged
from nodealer.lab.attacks.proofs.steps import Shuffle


def _combined(inputs: Points) -> Points:
    """2·a − b and 2·b − a, in place of the first two cards a and b; the others stay where they are."""
    two, a, b = inputs.group.integers([2]), inputs[0], inputs[1]
    return concat(two * a - b, two * b - a, inputs[2:])


def _weights(numbers: Scalars) -> Scalars:
    """The numbers with which these add up to what the cards add up to with `numbers`."""
    group = numbers.group
    third, two, a, b = group.integers([3]).invert(), group.integers([2]), numbers[0], numbers[1]
    return concat(third * (two * a + b), third * (two * b + a), numbers[2:])


def _false(step: Shuffle) -> bytes:
    cards = step.after(_combined)
    proof, _ = forged(step.transcript(), step.moment.tape, step.relation(cards), _weights, step.secrets)
    return step.message(cards, proof)


COMBINE: Final = on_shuffles(
    "combine",
    "puts sums of two cards into the deck, with weights that add up",
    ("A17",),
    _false,
    # The product over all cards: without it the numbers need not be those of a permutation.
    Without(
        "nodealer.proofs.shuffle:_permutation_equations",
        "Equation.sum((x, o.C_1), (one, o.C_0), (minus_in_C, gens), (-o.s_p_hat, H)),",
    ),
)
