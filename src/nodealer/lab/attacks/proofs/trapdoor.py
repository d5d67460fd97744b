"""Generators of which somebody knows a relation: then a commitment opens to anything, and a proof says anything."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.proofs.lockstep import Step
from nodealer.lab.attacks.truth import spoilt
from nodealer.proofs import labels, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.generators import blinding_generator


def _lock(moment: Moment) -> bytes:
    """The first card is doubled. Its weight is chosen to fit when all challenges are known, and the openings of the
    commitments, every one a multiple of H, are computed to fit that."""
    step = Step.of(moment)
    group, m = step.s.group, len(step.before)
    H, half = blinding_generator(group), group.integers([2]).invert()
    cards = step.s * concat(group.integers([2]) * step.before[0], step.before[1:])
    relation, transcript = step.relation(cards), step.transcript()
    shuffle._bind(transcript, relation)
    a, b, e_0, c_0, c_1 = (transcript.nonces(moment.tape, f"log {n}", group, 1) for n in range(5))
    transcript.absorb_points(labels.COMMITMENT, a * H)
    powers = transcript.challenge("xi", group).powers(m)
    transcript.absorb_points(labels.COMMITMENT, b * H)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = shuffle._weights(powers, y, z)
    d = concat(half * D[0], D[1:])
    e, k = transcript.nonces(moment.tape, "e", group, m), transcript.nonces(moment.tape, "k", group, 1)
    E = concat(*(shuffle._masked(row, e, k) for row in relation.rows(D)))
    commitments = e_0 * H, c_0 * H, c_1 * H, E
    transcript.absorb_points(labels.COMMITMENT, *commitments)
    x = transcript.challenge("x", group)
    d_hat, inner = x * d + e, transcript.nonces(moment.tape, "inner", group, m - 2)
    p_hat = concat(d_hat[0], inner, x * D.cumprod()[-1])
    logs = group.integers(range(2, m + 2))
    in_C = concat(x * p_hat[1:] - p_hat[:-1] * d_hat[1:], group.integers([0]))
    r_hat = x * (y * a + b) + e_0 - (d_hat + x * z).dot(logs)
    s_hat = x * c_1 + c_0 - in_C.dot(logs)
    answers = concat(d_hat, r_hat, inner, s_hat, x * step.s + k)
    return step.message(cards, encode_proof(concat(a * H, b * H, *commitments), answers))


#: The generators are multiples of H that anybody knows, in place of hashes.
_HASHED: Final = Without(
    "nodealer.proofs.generators:generators",
    "return hash_to_points(group, labels.GENERATORS, messages)",
    "return group.integers(range(2, count + 2)) * blinding_generator(group)",
)

TRAPDOOR: Final = Attack(
    name="trapdoor",
    does="knows a relation between the generators of commitments, and opens them as it likes",
    of=("A15",),
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
                defence=(_HASHED,),
                gained=spoilt,
            ),
        ),
    },
)
