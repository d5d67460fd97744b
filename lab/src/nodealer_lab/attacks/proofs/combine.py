"""Cards become sums of two cards. A proof that is a sum of weights, and no permutation, does not see it."""

from __future__ import annotations

from typing import Final, TypeVar

from nodealer.group import Points, Scalars, concat
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle

Array = TypeVar("Array", Points, Scalars)


def combined(inputs: Points) -> Points:
    """2·a − b and 2·b − a in place of two cards a and b, all over the deck; the last of an odd number stays."""
    two, a, b = inputs.group.integers([2]), *pairs(inputs)
    return concat(two * a - b, two * b - a, inputs[-1:]).take(side_by_side(len(inputs)))


def weights(numbers: Scalars) -> Scalars:
    """The numbers with which these add up to what the cards add up to with `numbers`."""
    third, two = numbers.group.integers([3]).invert(), numbers.group.integers([2])
    a, b = pairs(numbers)
    each = concat(third * (two * a + b), third * (two * b + a), numbers[-1:])
    return each.take(side_by_side(len(numbers)))


def pairs(each: Array) -> tuple[Array, Array]:
    """The first and the second of every two."""
    half = len(each) // 2
    return each.take(range(0, 2 * half, 2)), each.take(range(1, 2 * half, 2))


def side_by_side(size: int) -> list[int]:
    """From all firsts, all seconds and the last one to pairs, and to the last one where it has no other."""
    half = size // 2
    return [*(place for pair in range(half) for place in (pair, half + pair)), *range(2 * half, size)]


def _false(step: Shuffle) -> bytes:
    cards = step.after(combined)
    proof, _ = forged(step.transcript(), step.moment.tape, step.relation(cards), step.tied(weights), step.secrets)
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
