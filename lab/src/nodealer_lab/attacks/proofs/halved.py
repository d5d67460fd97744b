"""Every second card is doubled and the next one halved. The product over all cards is what it was, and a proof that
looks only at the product of powers of ξ, which the prover can still choose factors for, does not see it."""

from __future__ import annotations

from typing import Final

from nodealer.group import Group, Points, Scalars, concat
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle


def _factors(group: Group, size: int) -> Scalars:
    """2, 1/2, 2, 1/2 and so on; the last of an odd number is one. Their product is one."""
    two, one = group.integers([2]), group.integers([1])
    each = concat(two, two.invert(), one)
    return each.take([2 if size % 2 and place == size - 1 else place % 2 for place in range(size)])


def _false(step: Shuffle) -> bytes:
    """What is committed to when ξ is known is not what was committed to before: each power of ξ gets the factor that
    takes its card's own off again. All sums are right then, and the product is too."""
    factors = _factors(step.group, step.size)

    def marked(cards: Points) -> Points:
        return factors * cards

    def weights(numbers: Scalars) -> Scalars:
        return factors.invert() * numbers

    cards = step.after(marked)
    proof, _ = forged(step.transcript(), step.moment.tape, step.relation(cards), step.tied(weights), step.secrets)
    return step.message(cards, proof)


HALVED: Final = on_shuffles(
    "halved",
    "doubles a card and halves another, so that the product stays what it was",
    ("A17",),
    _false,
    # y·π + ξ^π − z: with nothing for y and z the product is over the powers of ξ alone, and no π is bound before ξ.
    Without(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label in ("y", "z") else self.challenges(label, group, 1)',
    ),
    # A pair of `offset` that is multiplied is the same card.
    only=("lock", "mask", "chain", "duel"),
)
