"""Generators of which somebody knows a relation: then a commitment opens to anything, and a proof says anything."""

from __future__ import annotations

from typing import Final

from nodealer.group import concat
from nodealer.proofs import labels, shuffle
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.generators import blinding_generator
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.combine import combined, weights
from nodealer_lab.attacks.proofs.forging import on_shuffles
from nodealer_lab.attacks.proofs.steps import Shuffle


def _false(step: Shuffle) -> bytes:
    """The cards are sums of two. Their weights are chosen to fit when all challenges are known, and the openings of the
    commitments, every one a multiple of H, are computed to fit that."""
    group, m, tape = step.group, step.size, step.moment.tape
    H, cards = blinding_generator(group), step.after(combined)
    relation, transcript = step.relation(cards), step.transcript()
    shuffle._bind(transcript, relation)
    a, b, e_0, c_0, c_1 = (transcript.nonces(tape, f"log {number}", group, 1) for number in range(5))
    transcript.absorb_points(labels.COMMITMENT, a * H)
    powers = transcript.challenge("xi", group).powers(m)
    transcript.absorb_points(labels.COMMITMENT, b * H)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = shuffle._weights(powers, y, z)
    d = step.tied(weights)(D)
    e, k = transcript.nonces(tape, "e", group, m), transcript.nonces(tape, "k", group, relation.secrets)
    E = group.msm_each([shuffle._masked(row, e, k) for row in relation.rows(D)])
    commitments = e_0 * H, c_0 * H, c_1 * H, E
    transcript.absorb_points(labels.COMMITMENT, *commitments)
    x = transcript.challenge("x", group)
    d_hat, inner = x * d + e, transcript.nonces(tape, "inner", group, m - 2)
    p_hat = concat(d_hat[0], inner, x * D.cumprod()[-1])
    logs = group.integers(range(2, m + 2))
    in_C = concat(x * p_hat[1:] - p_hat[:-1] * d_hat[1:], group.integers([0]))
    r_hat = x * (y * a + b) + e_0 - (d_hat + x * z).dot(logs)
    s_hat = x * c_1 + c_0 - in_C.dot(logs)
    answers = concat(d_hat, r_hat, inner, s_hat, x * step.secrets(d) + k)
    return step.message(cards, encode_proof(concat(a * H, b * H, *commitments), answers))


TRAPDOOR: Final = on_shuffles(
    "trapdoor",
    "knows a relation between the generators of commitments, and opens them as it likes",
    ("A15",),
    _false,
    # The generators are hashes, and not multiples of H that anybody knows.
    Without(
        "nodealer.proofs.generators:generators",
        "return hash_to_points(group, labels.GENERATORS, messages)",
        "return group.integers(range(2, count + 2)) * blinding_generator(group)",
    ),
)
