"""Forged proofs of a shuffle: a dishonest prover, and the attacks made with it."""

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
# A dishonest prover of shuffles: the honest one, except for what an attack changes.
#
# The letters are those of `proofs/shuffle.py`. The honest prover ties its numbers to a permutation. This one accepts
# any linear map, may add something to its commitments, and may go backwards, choosing its answers first.

#: Maps numbers of the inputs to numbers of the outputs. For an honest prover, this is the permutation.
Tie = Callable[[Scalars], Scalars]
#: Returns the points to add to C_0 and C_1, from d and e.
ExtraTerms = Callable[[Scalars, Scalars], tuple[Points, Points]]
Secrets = Callable[[Scalars], Scalars]


@dataclass(frozen=True)
class ProofOpening:
    """The first half of a proof: what the prover commits to before x is known."""

    A: Points
    B: Points
    D: Scalars
    y: Scalars
    z: Scalars
    r: Scalars


def commit_to_tie(transcript: Transcript, tape: Tape, relation: Relation, tie: Tie) -> ProofOpening:
    """Commit to the tie's image of 1 … m, and then to that of the powers of ξ."""
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
    transcript: Transcript,
    tape: Tape,
    relation: Relation,
    tie: Tie,
    secrets: Secrets,
    extra_terms: ExtraTerms | None = None,
) -> tuple[bytes, Scalars]:
    """Return a false proof of a shuffle, and the opened numbers in it.

    This is the honest prover with two changes: `tie` may be any linear map instead of a permutation, and `extra_terms`
    are added to the commitments to the products.
    """
    m, group = relation.size, relation.statement[0].group
    key, zero = commitment_key(group, m), group.integers([0])
    opening = commit_to_tie(transcript, tape, relation, tie)
    D, d = opening.D, tie(opening.D)
    p = d.cumprod()
    e = transcript.nonces(tape, "e", group, m)
    blindings = transcript.nonces(tape, "blindings", group, 3)
    r_e, s_0, s_1 = blindings[0], blindings[1], blindings[2]
    k = transcript.nonces(tape, "k", group, relation.secrets)
    delta = concat(e[0], transcript.nonces(tape, "delta", group, m - 2), zero)
    C_e = msm(concat(e, r_e), key)
    C_0 = msm(concat(-(delta[:-1] * e[1:]), zero, s_0), key)
    C_1 = msm(concat(delta[1:] - d[1:] * delta[:-1] - p[:-1] * e[1:], zero, s_1), key)
    if extra_terms is not None:
        more_0, more_1 = extra_terms(d, e)
        C_0, C_1 = C_0 + more_0, C_1 + more_1
    E = group.msm_each([shuffle._masked_row(row, e, k) for row in relation.rows(D)])
    transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, E)
    x = transcript.challenge("x", group)
    d_hat, p_hat = x * d + e, x * p + delta
    responses = concat(d_hat, x * opening.r + r_e, p_hat[1:-1], x * s_1 + s_0, x * secrets(d) + k)
    return encode_proof(concat(opening.A, opening.B, C_e, C_0, C_1, E), responses), d_hat


def forge_backwards(transcript: Transcript, tape: Tape, relation: Relation) -> bytes:
    """Return a proof of anything, given x before the commitments: choose the answers first, then what fits them."""
    m, group = relation.size, relation.statement[0].group
    opening = commit_to_tie(transcript, tape, relation, lambda numbers: numbers)
    x = transcript.challenge("x", group)
    answers = transcript.nonces(tape, "answers", group, 2 * m + relation.secrets)
    identity = group.identity(1)
    opened = shuffle._OpenedProof(
        opening.A, opening.B, identity, identity, group.G,
        E=(identity,) * relation.row_count,
        d_hat=answers[:m], r_d_hat=answers[m],
        p_hat=shuffle._join_ends(answers[0], answers[m + 1 : 2 * m - 1], x * opening.D.cumprod()[-1]),
        s_p_hat=answers[2 * m - 1], secret_hats=answers[2 * m :],
        D=opening.D, y=opening.y, z=opening.z, x=x,
    )  # fmt: skip
    of_order = [missing_point(one) for one in shuffle._permutation_equations(relation, opened)]
    of_cards = [missing_point(one) for one in shuffle._relation_equations(relation, opened)]
    commitments = concat(opening.A, opening.B, of_order[0], of_order[1], group.G, *of_cards)
    return encode_proof(commitments, answers)


def missing_point(equation: Equation) -> Points:
    """Return the point that would make an equation true."""
    total = None
    for scalars, points in equation.terms:
        part = (scalars * points).sum() if len(points) == 1 else vartime_msm(scalars, points)
        total = part if total is None else total + part
    if total is None:
        raise ValueError("an equation without terms")
    return -total


# --- forging ---
#
# Attacks on the shuffle proof: the same forgery on every protocol that has one, with that protocol's claim.

#: Returns what is sent instead of an honest shuffle.
Forgery = Callable[[ShuffleTurn], bytes]


def attack_shuffles(
    name: str,
    does: str,
    numbers: tuple[str, ...],
    forgery: Forgery,
    *defence: RemovedDefence,
    only: Collection[str] = (),
) -> Attack:
    """Return an attack on the shuffles of all protocols, or of `only` these, that leaves an unreadable card."""

    def forge(moment: SignedMoment) -> bytes:
        """Forge a shuffle with `forgery`. Other messages stay honest."""
        step = shuffle_turn_of(moment)
        return moment.honest if step is None else forgery(step)

    def method(claim: str, step: str, *beside: RemovedDefence, seat: int | None = None) -> tuple[AttackMethod, ...]:
        """Return the one method of the attack on a protocol, whose shuffle is called `step`.

        `beside` are further defences that must be removed on this protocol.
        """
        return (
            AttackMethod(
                claim, {step: forge}, defence=(*defence, *beside), find_gain=find_spoilt_card, seat=seat, seen="at once"
            ),
        )

    ways = {
        "lock": method("a card doubled, replaced or marked in the cascade", "cascade"),
        "mask": method("a card doubled, dropped, replaced or marked in a shuffle", "shuffle"),
        "offset": method("a pair doubled, dropped or foreign in a shuffle", "shuffle"),
        # A second proof backs up the first: a seat with a false number in its list cannot draw it with its key.
        "chain": method("a number doubled, dropped or foreign in a shuffle", "shuffle", EQUALITY_PROOF, seat=1),
        "duel": method("a card doubled, replaced or marked in a shuffle", "shuffle"),
    }
    return Attack(
        name=name, does=does, numbers=numbers, ways={one: ways[one] for one in ways if not only or one in only}
    )
