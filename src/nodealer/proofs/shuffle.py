"""The shuffle argument: Bayer–Groth 2012 with one row and one opened vector, for any relation between two decks.

The prover shows that it knows a permutation π, and the secrets of a relation, that turn the input deck into the output
deck. It commits to π before it knows ξ, and to ξ^π before it knows y and z. It shows with a product that
d = y·π + ξ^π − z is a permutation of the public numbers D_i = y·i + ξ^i − z. Then it shows one linear equation between
the decks, with weights D on the input and d on the output. The letters are those of docs/spec/shuffle.md, which
presents statement, protocol and proof of soundness together. The relations are in `relations.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from nodealer.errors import BadParameter
from nodealer.group import Group, Order, Points, Scalars, concat, msm, vartime_msm
from nodealer.proofs import labels
from nodealer.proofs.checks import Check, Equation, Term
from nodealer.proofs.encoding import decode_proof, encode_proof
from nodealer.proofs.generators import blinding_generator, commitment_key, generators
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape

#: A, B, C_e, C_0, C_1: the points of every proof that precede those of its rows.
COMMITMENTS: Final = 5


@dataclass(frozen=True)
class RelationRow:
    """The equation Σ d_j·outputs_j + Σ secret_t·Σ coefficients·points = Σ coefficients·points over `image`.

    Here d_j = D_π(j). The coefficients are public: the weights D, or one. A row without outputs binds a secret to its
    public key.
    """

    outputs: Points | None
    secrets: tuple[tuple[int, Scalars, Points], ...]
    image: tuple[Term, ...]


class Relation(Protocol):
    """How an output deck of `size` cards results from an input deck, in public values only."""

    @property
    def kind(self) -> str:
        """The name of the relation, which is part of the statement."""

    @property
    def size(self) -> int:
        """The number of cards."""

    @property
    def secrets(self) -> int:
        """The number of secrets that its rows use."""

    @property
    def row_count(self) -> int:
        """The number of rows."""

    @property
    def statement(self) -> tuple[Points, ...]:
        """Every public point: keys, input deck, output deck."""

    def refuse_malformed(self) -> None:
        """Raise `Malformed` if no proof could make the statement valid."""

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """Return the rows for the weights D_1, …, D_m."""


# defence: shift
def _bind(transcript: Transcript, relation: Relation) -> None:
    """Absorb the whole statement."""
    group = relation.statement[0].group
    transcript.absorb(labels.STATEMENT, labels.SHUFFLE, relation.kind, group.name, relation.size)
    transcript.absorb_points(labels.STATEMENT, *relation.statement)


def _weights(xi_powers: Scalars, y: Scalars, z: Scalars) -> Scalars:
    """Return D_i = y·i + ξ^i − z for all i."""
    return y * _one_up_to(y.group, len(xi_powers)) + xi_powers - z


@functools.lru_cache(maxsize=16)
def _one_up_to(group: Group, size: int) -> Scalars:
    """Return 1, …, m."""
    return group.integers(range(1, size + 1))


def _join_ends(first: Scalars, middle: Scalars | None, last: Scalars) -> Scalars:
    """Join an array from its first element, the elements in between (none for two cards) and its last element."""
    return concat(first, last) if middle is None else concat(first, middle, last)


# defence: backwards, leak
def prove(
    transcript: Transcript,
    tape: Tape,
    relation: Relation,
    permutation: Order,
    secrets: Callable[[Scalars], Scalars],
) -> bytes:
    """Prove that output j comes from input π(j). `secrets` must return the relation's secrets for d."""
    m, group = relation.size, relation.statement[0].group
    if len(permutation) != m:
        raise BadParameter(f"an order of {len(permutation)} does not fit {m} cards")
    key, shorter = commitment_key(group, m), commitment_key(group, m - 1)
    zero = group.integers([0])
    _bind(transcript, relation)

    # Steps 1 and 2: commit to π before ξ is known, and to ξ^π before y and z are.
    r_A = transcript.nonces(tape, "r_A", group, 1)
    # Σ π(j)·G_j, counted from 1: sort the generators by their factors, which are 1 … m.
    A = generators(group, m).take(permutation.inverse()).ranked_sum() + r_A * blinding_generator(group)
    transcript.absorb_points(labels.COMMITMENT, A)
    powers = transcript.challenge("xi", group).powers(m)
    r_B = transcript.nonces(tape, "r_B", group, 1)
    B = msm(concat(powers.take(permutation), r_B), key)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)

    # Step 3: the running products of d, and the first messages of all openings.
    D = _weights(powers, y, z)
    d = D.take(permutation)
    p = d.cumprod()
    e = transcript.nonces(tape, "e", group, m)
    blindings = transcript.nonces(tape, "blindings", group, 3)
    r_e, s_0, s_1 = blindings[0], blindings[1], blindings[2]
    k = transcript.nonces(tape, "k", group, relation.secrets)
    delta = _join_ends(e[0], transcript.nonces(tape, "delta", group, m - 2) if m > 2 else None, zero)
    before, after = delta[:-1], e[1:]
    C = group.msm_each(
        [
            (concat(e, r_e), key),
            (concat(-(before * after), s_0), shorter),
            (concat(delta[1:] - d[1:] * before - p[:-1] * after, s_1), shorter),
            *(_masked_row(row, e, k) for row in relation.rows(D)),
        ]
    )
    transcript.absorb_points(labels.COMMITMENT, C[0], C[1], C[2], C[3:])
    x = transcript.challenge("x", group)

    # Step 4: the openings.
    d_hat, r_d_hat = x * d + e, x * (y * r_A + r_B) + r_e
    p_hat, s_p_hat = x * p + delta, x * s_1 + s_0
    inner = [p_hat[1:-1]] if m > 2 else []
    responses = concat(d_hat, r_d_hat, *inner, s_p_hat, x * secrets(d) + k)
    return encode_proof(concat(A, B, C), responses)


def _masked_row(row: RelationRow, e: Scalars, k: Scalars) -> Term:
    """Return the left side of a row with e for d and k for the secrets. Only e and k are secret."""
    terms: list[Term] = [] if row.outputs is None else [(e, row.outputs)]
    for secret, coefficients, points in row.secrets:
        if len(points) == 1:
            terms.append((k[secret] * coefficients, points))
        else:
            terms.append((k[secret], vartime_msm(coefficients, points)))
    factors, bases = zip(*terms, strict=True)
    return terms[0] if len(terms) == 1 else (concat(*factors), concat(*bases))


class _OpenedProof(NamedTuple):
    """A decoded proof with its challenges."""

    A: Points
    B: Points
    C_e: Points
    C_0: Points
    C_1: Points
    E: tuple[Points, ...]
    d_hat: Scalars
    r_d_hat: Scalars
    p_hat: Scalars
    s_p_hat: Scalars
    secret_hats: Scalars
    D: Scalars
    y: Scalars
    z: Scalars
    x: Scalars


# defence: backwards
def _read_proof(transcript: Transcript, relation: Relation, proof: bytes) -> _OpenedProof:
    """Decode a proof and draw its challenges. Raise `DecodeError` if it is malformed."""
    m, group = relation.size, relation.statement[0].group
    rows = relation.row_count
    P, v = decode_proof(
        group,
        proof,
        points=COMMITMENTS + rows,
        scalars=2 * m + relation.secrets,
        what=f"shuffle proof ({relation.kind})",
    )
    A, B, C_e, C_0, C_1, *E = [P[index] for index in range(COMMITMENTS + rows)]
    _bind(transcript, relation)
    transcript.absorb_points(labels.COMMITMENT, A)
    xi = transcript.challenge("xi", group)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, P[COMMITMENTS:])
    x = transcript.challenge("x", group)
    D, after = _weights(xi.powers(m), y, z), 2 * m - 1
    # p̂_1 = d̂_1, and p̂_m = x·Π D_i: the product over all cards, which anyone can compute.
    p_hat = _join_ends(v[0], v[m + 1 : after] if m > 2 else None, x * D.cumprod()[-1])
    return _OpenedProof(
        A, B, C_e, C_0, C_1,
        E=tuple(E),
        d_hat=v[:m], r_d_hat=v[m], p_hat=p_hat, s_p_hat=v[after], secret_hats=v[after + 1 :],
        D=D, y=y, z=z, x=x,
    )  # fmt: skip


# defence: double, loose, mark, mixed, slot, stack, sums
def check(transcript: Transcript, relation: Relation, proof: bytes) -> Check:
    """Return the check of a shuffle proof. Raise `Malformed` if the statement or the proof's bytes are invalid."""
    relation.refuse_malformed()
    opened = _read_proof(transcript, relation, proof)
    equations = (*_permutation_equations(relation, opened), *_relation_equations(relation, opened))
    return Check(transcript.seat, f"shuffle proof ({relation.kind})", equations)


# defence: combine
def _permutation_equations(relation: Relation, o: _OpenedProof) -> tuple[Equation, ...]:
    """Return equations (1) and (2): d is D, permuted by the π that A commits to."""
    m, group, x = relation.size, relation.statement[0].group, o.x
    gens, H = generators(group, m), blinding_generator(group)
    one, zero = group.integers([1]), group.integers([0])
    minus_in_C = concat(o.p_hat[:-1] * o.d_hat[1:] - x * o.p_hat[1:], zero)
    return (
        Equation.sum((x * o.y, o.A), (x, o.B), (one, o.C_e), (-(o.d_hat + x * o.z), gens), (-o.r_d_hat, H)),
        Equation.sum((x, o.C_1), (one, o.C_0), (minus_in_C, gens), (-o.s_p_hat, H)),
    )


def _relation_equations(relation: Relation, o: _OpenedProof) -> tuple[Equation, ...]:
    """Return equations (3): the rows of the relation, with the openings of d and of the secrets."""
    x, one, minus_d, minus_secrets = o.x, o.x.group.integers([1]), -o.d_hat, -o.secret_hats
    x_D = x * o.D
    equations = []
    for row, E in zip(relation.rows(o.D), o.E, strict=True):
        terms: list[Term] = [(one, E)]
        # Compared by identity: several rows share the weights, as one object.
        terms += [(x_D if coefficients is o.D else x * coefficients, points) for coefficients, points in row.image]
        terms += [] if row.outputs is None else [(minus_d, row.outputs)]
        terms += [(minus_secrets[secret] * coefficients, points) for secret, coefficients, points in row.secrets]
        equations.append(Equation.sum(*terms))
    return tuple(equations)
