"""Forged proofs of a shuffle: a prover without a conscience, and the attack that a forgery makes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from nodealer.group import Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels, shuffle
from nodealer.proofs.checks import Equation
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.generators import commitment_key
from nodealer.proofs.shuffle import Relation
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import EQUALITY_PROOF
from nodealer_lab.attacks.shuffle_steps import ShuffleTurn, shuffle_turn_of
from nodealer_lab.attacks.truth import find_spoilt_card

# --- prover ---
#
# A prover of shuffles without a conscience: the honest one, but for what an attack changes on the way.
#
# The letters are those of `proofs/shuffle.py`. The honest prover ties its numbers to a permutation; this one takes any
# linear map, may add something to what it commits to, and may go backwards: choose its answers first.

#: From numbers of the inputs to those of the outputs: for an honest prover, in the order of the permutation.
Tie = Callable[[Scalars], Scalars]
#: What is added to C_0 and C_1, from d and e: points, or nothing.
ExtraTerms = Callable[[Scalars, Scalars], tuple[Points, Points]]
Secrets = Callable[[Scalars], Scalars]


@dataclass(frozen=True)
class ProofOpening:
    """The first half of a proof: what is committed to before x is known."""

    A: Points
    B: Points
    D: Scalars
    y: Scalars
    z: Scalars
    r: Scalars


def commit_to_tie(transcript: Transcript, tape: Tape, relation: Relation, tie: Tie) -> ProofOpening:
    """Commit to what the tie makes of 1 … m, and then to what it makes of the powers of ξ."""
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    shuffle._bind(transcript, relation)
    r_A = transcript.nonces(tape, "r_A", group, 1)
    A = msm(concat(tie(group.integers(range(1, m + 1))), r_A), key)
    transcript.absorb_points(labels.COMMITMENT, A)
    powers = transcript.challenge("xi", group).powers(m)
    r_B = transcript.nonces(tape, "r_B", group, 1)
    B = msm(concat(tie(powers), r_B), key)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    return ProofOpening(A, B, shuffle._weights(powers, y, z), y, z, y * r_A + r_B)


def forge_proof(
    transcript: Transcript, tape: Tape, relation: Relation, tie: Tie, secrets: Secrets, adds: ExtraTerms | None = None
) -> tuple[bytes, Scalars]:
    """A proof, and the opened numbers in it."""
    m, group = relation.size, relation.statement[0].group
    key, zero = commitment_key(group, m), group.integers([0])
    begun = commit_to_tie(transcript, tape, relation, tie)
    D, d = begun.D, tie(begun.D)
    p = d.cumprod()
    e = transcript.nonces(tape, "e", group, m)
    blindings = transcript.nonces(tape, "blindings", group, 3)
    r_e, s_0, s_1 = blindings[0], blindings[1], blindings[2]
    k = transcript.nonces(tape, "k", group, relation.secrets)
    delta = concat(e[0], transcript.nonces(tape, "delta", group, m - 2), zero)
    C_e = msm(concat(e, r_e), key)
    C_0 = msm(concat(-(delta[:-1] * e[1:]), zero, s_0), key)
    C_1 = msm(concat(delta[1:] - d[1:] * delta[:-1] - p[:-1] * e[1:], zero, s_1), key)
    if adds is not None:
        more_0, more_1 = adds(d, e)
        C_0, C_1 = C_0 + more_0, C_1 + more_1
    E = group.msm_each([shuffle._masked_row(row, e, k) for row in relation.rows(D)])
    transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, E)
    x = transcript.challenge("x", group)
    d_hat, p_hat = x * d + e, x * p + delta
    responses = concat(d_hat, x * begun.r + r_e, p_hat[1:-1], x * s_1 + s_0, x * secrets(d) + k)
    return encode_proof(concat(begun.A, begun.B, C_e, C_0, C_1, E), responses), d_hat


def forge_backwards(transcript: Transcript, tape: Tape, relation: Relation) -> bytes:
    """A proof of anything, for who knows x before it has committed itself: the answers first, then what they fit."""
    m, group = relation.size, relation.statement[0].group
    begun = commit_to_tie(transcript, tape, relation, lambda numbers: numbers)
    x = transcript.challenge("x", group)
    answers = transcript.nonces(tape, "answers", group, 2 * m + relation.secrets)
    nothing = group.identity(1)
    opened = shuffle._OpenedProof(
        begun.A, begun.B, nothing, nothing, group.G,
        E=(nothing,) * relation.row_count,
        d_hat=answers[:m], r_d_hat=answers[m],
        p_hat=shuffle._join_ends(answers[0], answers[m + 1 : 2 * m - 1], x * begun.D.cumprod()[-1]),
        s_p_hat=answers[2 * m - 1], secret_hats=answers[2 * m :],
        D=begun.D, y=begun.y, z=begun.z, x=x,
    )  # fmt: skip
    of_order = [missing_point(one) for one in shuffle._permutation_equations(relation, opened)]
    of_cards = [missing_point(one) for one in shuffle._relation_equations(relation, opened)]
    commitments = concat(begun.A, begun.B, of_order[0], of_order[1], group.G, *of_cards)
    return encode_proof(commitments, answers)


def missing_point(equation: Equation) -> Points:
    """What an equation lacks to be true."""
    total = None
    for scalars, points in equation.terms:
        part = (scalars * points).sum() if len(points) == 1 else vartime_msm(scalars, points)
        total = part if total is None else total + part
    if total is None:
        raise ValueError("an equation without terms")
    return -total


# --- forging ---
#
# Attacks on the proof of a shuffle: the same forgery on every protocol that has one, with the claim it has there.

#: What is sent in place of an honest shuffle.
Forgery = Callable[[ShuffleTurn], bytes]


def attack_shuffles(
    name: str,
    does: str,
    numbers: tuple[str, ...],
    forgery: Forgery,
    *defence: RemovedDefence,
    only: Collection[str] = (),
) -> Attack:
    """An attack that leaves an honest seat with a card that cannot be read: what was proven is not what is there. With
    `only` it is one on the shuffles of these protocols."""

    def forge(moment: SignedMoment) -> bytes:
        step = shuffle_turn_of(moment)
        return moment.honest if step is None else forgery(step)

    def way(claim: str, step: str, *beside: RemovedDefence, seat: int | None = None) -> tuple[AttackMethod, ...]:
        return (
            AttackMethod(
                claim, {step: forge}, defence=(*defence, *beside), find_gain=find_spoilt_card, seat=seat, seen="at once"
            ),
        )

    ways = {
        "lock": way("a card doubled, replaced or marked in the cascade", "cascade"),
        "mask": way("a card doubled, dropped, replaced or marked in a shuffle", "shuffle"),
        "offset": way("a pair doubled, dropped or foreign in a shuffle", "shuffle"),
        # Behind the proof stands another: who has a false number in its list cannot draw it by its key.
        "chain": way("a number doubled, dropped or foreign in a shuffle", "shuffle", EQUALITY_PROOF, seat=1),
        "duel": way("a card doubled, replaced or marked in a shuffle", "shuffle"),
    }
    return Attack(
        name=name, does=does, numbers=numbers, ways={one: ways[one] for one in ways if not only or one in only}
    )
