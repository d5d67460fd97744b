"""Three cards that were neighbours get errors P, −2·P and P: weights that only count the cards do not see it."""

from __future__ import annotations

from typing import Final

from nodealer.cheats.arrays import put
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.prover import forged
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """All over the deck, three after three. They were neighbours before the shuffle, wherever they lie now."""
    *others, honest = step.after()
    data, order, P = honest.to_bytes(), list(step.order), step.group.G
    errors = (P, -P - P, P)
    for place in range(step.size - step.size % len(errors)):
        at = order.index(place)
        data = put(data, at, (honest[at] + errors[place % len(errors)]).to_bytes())
    cards = (*others, step.group.points(data))
    proof, _ = forged(step.transcript(), step.moment.tape, step.relation(cards), step.tied(), step.secrets)
    return step.message(cards, proof)


NEIGHBOURS: Final = on_shuffles(
    "neighbours",
    "adds to three cards what weights that only count them do not see",
    ("A17",),
    _false,
    # The weights have powers of a challenge in them; with nothing in its place they only count.
    Without(
        "nodealer.proofs.transcript:Transcript.challenge",
        "return self.challenges(label, group, 1)",
        'return group.integers([0]) if label == "xi" else self.challenges(label, group, 1)',
    ),
)
