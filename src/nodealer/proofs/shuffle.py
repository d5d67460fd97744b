"""The shuffle argument: Bayer–Groth 2012 with one row and one opened vector, over any relation between two decks.

The prover shows that it knows a permutation π, and the secrets of a relation, with which the output deck comes from the
input deck. The argument commits to π before it knows ξ and to ξ^π before it knows y and z, shows by a product that
d = y·π + ξ^π − z is a permutation of the public numbers D_i = y·i + ξ^i − z, and then shows one linear equation between
the decks, with D for weights on the input and d on the output. The letters are those of docs/spec/shuffle.md, which
lays
statement, protocol and proof of soundness side by side; `relations.py` has the decks.
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

#: A, B, C_e, C_0, C_1: the points of every proof before those of its rows.
COMMITMENTS: Final = 5


@dataclass(frozen=True)
class RelationRow:
    """Σ d_j·outputs_j + Σ secret_t·Σ coefficients·points = Σ coefficients·points over `image`, d_j = D_π(j).

    The coefficients are public: the weights D, or one. A row without outputs binds a secret to its public key.
    """

    outputs: Points | None
    secrets: tuple[tuple[int, Scalars, Points], ...]
    image: tuple[Term, ...]


class Relation(Protocol):
    """How an output deck of `size` cards comes from an input deck. Made only of public values; refuses bad ones."""

    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def secrets(self) -> int:
        """How many secrets its rows name."""

    @property
    def row_count(self) -> int: ...
    @property
    def statement(self) -> tuple[Points, ...]:
        """Every public point: keys, input deck, output deck."""

    def refuse(self) -> None:
        """Raise `Malformed` for a statement that no proof could mend."""

    def rows(self, D: Scalars) -> tuple[RelationRow, ...]:
        """The rows, for the weights D_1, …, D_m."""


def _bind(transcript: Transcript, relation: Relation) -> None:
    group = relation.statement[0].group
    transcript.absorb(labels.STATEMENT, labels.SHUFFLE, relation.kind, group.name, relation.size)
    transcript.absorb_points(labels.STATEMENT, *relation.statement)


def _weights(xi_powers: Scalars, y: Scalars, z: Scalars) -> Scalars:
    """D_i = y·i + ξ^i − z."""
    return y * _places(y.group, len(xi_powers)) + xi_powers - z


@functools.lru_cache(maxsize=16)
def _places(group: Group, size: int) -> Scalars:
    """1, …, m."""
    return group.integers(range(1, size + 1))


def _with_ends(first: Scalars, middle: Scalars | None, last: Scalars) -> Scalars:
    """An array from its two ends and what lies between: nothing, for two cards."""
    return concat(first, last) if middle is None else concat(first, middle, last)


def prove(
    transcript: Transcript,
    tape: Tape,
    relation: Relation,
    permutation: Order,
    secrets: Callable[[Scalars], Scalars],
) -> bytes:
    """A proof that output j comes from input π(j), π the permutation. `secrets` gives the relation's secrets for d."""
    m, group = relation.size, relation.statement[0].group
    if len(permutation) != m:
        raise BadParameter(f"an order of {len(permutation)} is no order of {m} cards")
    key, shorter = commitment_key(group, m), commitment_key(group, m - 1)
    zero = group.integers([0])
    _bind(transcript, relation)

    # 1, 2: commit to π before ξ is known, and to ξ^π before y and z are.
    r_A = transcript.nonces(tape, "r_A", group, 1)
    # Σ π(j)·G_j, from 1 on: the generators in the order of their factors, which are 1 … m.
    A = generators(group, m).take(permutation.inverse()).ranked_sum() + r_A * blinding_generator(group)
    transcript.absorb_points(labels.COMMITMENT, A)
    powers = transcript.challenge("xi", group).powers(m)
    r_B = transcript.nonces(tape, "r_B", group, 1)
    B = msm(concat(powers.take(permutation), r_B), key)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)

    # 3: the running products of d, and the first messages of all openings.
    D = _weights(powers, y, z)
    d = D.take(permutation)
    p = d.cumprod()
    e = transcript.nonces(tape, "e", group, m)
    blindings = transcript.nonces(tape, "blindings", group, 3)
    r_e, s_0, s_1 = blindings[0], blindings[1], blindings[2]
    k = transcript.nonces(tape, "k", group, relation.secrets)
    delta = _with_ends(e[0], transcript.nonces(tape, "delta", group, m - 2) if m > 2 else None, zero)
    before, after = delta[:-1], e[1:]
    C = group.msm_each(
        [
            (concat(e, r_e), key),
            (concat(-(before * after), s_0), shorter),
            (concat(delta[1:] - d[1:] * before - p[:-1] * after, s_1), shorter),
            *(_masked(row, e, k) for row in relation.rows(D)),
        ]
    )
    transcript.absorb_points(labels.COMMITMENT, C[0], C[1], C[2], C[3:])
    x = transcript.challenge("x", group)

    # 4: the openings.
    d_hat, r_d_hat = x * d + e, x * (y * r_A + r_B) + r_e
    p_hat, s_p_hat = x * p + delta, x * s_1 + s_0
    inner = [p_hat[1:-1]] if m > 2 else []
    responses = concat(d_hat, r_d_hat, *inner, s_p_hat, x * secrets(d) + k)
    return encode_proof(concat(A, B, C), responses)


def _masked(row: RelationRow, e: Scalars, k: Scalars) -> Term:
    """The left side of a row with e for d and k for the secrets. The inner sums are public, the factors are not."""
    terms: list[Term] = [] if row.outputs is None else [(e, row.outputs)]
    for secret, coefficients, points in row.secrets:
        if len(points) == 1:
            terms.append((k[secret] * coefficients, points))
        else:
            terms.append((k[secret], vartime_msm(coefficients, points)))
    factors, bases = zip(*terms, strict=True)
    return terms[0] if len(terms) == 1 else (concat(*factors), concat(*bases))


class _Opened(NamedTuple):
    """A decoded proof with the challenges that belong to it."""

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


def _open(transcript: Transcript, relation: Relation, proof: bytes) -> _Opened:
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
    # p̂_1 = d̂_1, and p̂_m = x·Π D_i: the product over all cards, which everybody can compute.
    p_hat = _with_ends(v[0], v[m + 1 : after] if m > 2 else None, x * D.cumprod()[-1])
    return _Opened(
        A, B, C_e, C_0, C_1,
        E=tuple(E),
        d_hat=v[:m], r_d_hat=v[m], p_hat=p_hat, s_p_hat=v[after], secret_hats=v[after + 1 :],
        D=D, y=y, z=z, x=x,
    )  # fmt: skip


def check(transcript: Transcript, relation: Relation, proof: bytes) -> Check:
    """The equations that a shuffle proof owes. Raises `Malformed` for a statement or bytes that no proof could mend."""
    relation.refuse()
    opened = _open(transcript, relation, proof)
    equations = (*_permutation_equations(relation, opened), *_relation_equations(relation, opened))
    return Check(transcript.seat, f"shuffle proof ({relation.kind})", equations)


def _permutation_equations(relation: Relation, o: _Opened) -> tuple[Equation, ...]:
    """(1) and (2): d is D, permuted by the π that A opens to."""
    m, group, x = relation.size, relation.statement[0].group, o.x
    gens, H = generators(group, m), blinding_generator(group)
    one, zero = group.integers([1]), group.integers([0])
    minus_in_C = concat(o.p_hat[:-1] * o.d_hat[1:] - x * o.p_hat[1:], zero)
    return (
        Equation.sum((x * o.y, o.A), (x, o.B), (one, o.C_e), (-(o.d_hat + x * o.z), gens), (-o.r_d_hat, H)),
        Equation.sum((x, o.C_1), (one, o.C_0), (minus_in_C, gens), (-o.s_p_hat, H)),
    )


def _relation_equations(relation: Relation, o: _Opened) -> tuple[Equation, ...]:
    """(3): the rows of the relation, with the openings of d and of the secrets."""
    x, one, minus_d, minus_secrets = o.x, o.x.group.integers([1]), -o.d_hat, -o.secret_hats
    x_D = x * o.D
    equations = []
    for row, E in zip(relation.rows(o.D), o.E, strict=True):
        terms: list[Term] = [(one, E)]
        # By identity: the weights stand in several rows, as one object.
        terms += [(x_D if coefficients is o.D else x * coefficients, points) for coefficients, points in row.image]
        terms += [] if row.outputs is None else [(minus_d, row.outputs)]
        terms += [(minus_secrets[secret] * coefficients, points) for secret, coefficients, points in row.secrets]
        equations.append(Equation.sum(*terms))
    return tuple(equations)
