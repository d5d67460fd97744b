"""Proof of knowledge of scalars that satisfy linear equations over points.

A row says image = Σ secret_k·base, elementwise over arrays. A secret, a base or both may have length one and are then
used for every element. All rows share one challenge. See docs/spec/proofs.md, "Linear relations".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, Scalars, concat
from nodealer.proofs import labels
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.encoding import decode_proof, encode_proof
from nodealer.proofs.transcript import Transcript
from nodealer.tape import Tape


@dataclass(frozen=True)
class LinearRow:
    """The equation image = Σ secrets[k]·base over `terms`, each a pair (k, base)."""

    image: Points
    terms: tuple[tuple[int, Points], ...]


@dataclass(frozen=True)
class Statement:
    """The rows, and the length of each array of secrets: one, or the length of the rows that use it."""

    kind: str
    widths: tuple[int, ...]
    rows: tuple[LinearRow, ...]

    def __post_init__(self) -> None:
        """Raise `BadParameter` unless every term has length one or the length of its row."""
        for row in self.rows:
            for secret, base in row.terms:
                if not {self.widths[secret], len(base)} <= {1, len(row.image)}:
                    raise BadParameter(f"a row of {len(row.image)} has a term of another length")

    def commitment_count(self) -> int:
        """Return the number of points in a proof."""
        return sum(len(row.image) for row in self.rows)


def _bind(transcript: Transcript, statement: Statement) -> None:
    """Absorb the whole statement."""
    group = statement.rows[0].image.group
    transcript.absorb(labels.STATEMENT, statement.kind, group.name, *statement.widths)
    for row in statement.rows:
        for secret, base in row.terms:
            transcript.absorb(labels.STATEMENT, secret, base.to_bytes())
        transcript.absorb_points(labels.STATEMENT, row.image)


def _split(scalars: Scalars, widths: Sequence[int]) -> list[Scalars]:
    """Cut an array of scalars into arrays of these lengths."""
    parts, start = [], 0
    for width in widths:
        parts.append(scalars[start : start + width])
        start += width
    return parts


def _evaluate(row: LinearRow, values: Sequence[Scalars]) -> Points:
    """Evaluate the right-hand side of a row with `values` for the secrets."""
    first, *rest = (values[secret] * base for secret, base in row.terms)
    total = first
    for term in rest:
        total = total + term
    return total


def prove(transcript: Transcript, tape: Tape, statement: Statement, secrets: Sequence[Scalars]) -> bytes:
    """Prove knowledge of `secrets` that satisfy `statement`."""
    if tuple(len(secret) for secret in secrets) != statement.widths:
        raise BadParameter("the secrets do not have the lengths of the statement")
    group = statement.rows[0].image.group
    _bind(transcript, statement)
    nonces = transcript.nonces(tape, statement.kind, group, sum(statement.widths))
    parts = _split(nonces, statement.widths)
    T = concat(*(_expand(_evaluate(row, parts), len(row.image)) for row in statement.rows))
    transcript.absorb_points(labels.COMMITMENT, T)
    c = transcript.challenge(labels.CHALLENGE, group)
    return encode_proof(T, c * concat(*secrets) + nonces)


def _expand(points: Points, length: int) -> Points:
    """Repeat a single point: a row with terms of length one still has one commitment per point of its image."""
    return points if len(points) == length else points + points.group.identity(length)


def check(transcript: Transcript, statement: Statement, proof: bytes) -> Check:
    """Return the check of a proof by `prove`. Raise `Malformed` if no proof could make the statement valid."""
    group = statement.rows[0].image.group
    for row in statement.rows:
        for _, base in row.terms:
            if base.first_identity() is not None:
                raise Malformed(f"{statement.kind}: base {base.first_identity()} is the identity")
    T, responses = decode_proof(
        group,
        proof,
        points=statement.commitment_count(),
        scalars=sum(statement.widths),
        what=f"proof of {statement.kind}",
    )
    _bind(transcript, statement)
    transcript.absorb_points(labels.COMMITMENT, T)
    c = transcript.challenge(labels.CHALLENGE, group)
    minus_z = _split(-responses, statement.widths)
    one = group.integers([1])
    equations, start = [], 0
    for row in statement.rows:
        commitments = T[start : start + len(row.image)]
        terms = [(minus_z[secret], base) for secret, base in row.terms]
        # T + c·image − Σ z·base = 0, one equation per element. Every check has these signs, so that in a batch the
        # commitments are multiplied only by the weights, which are short.
        equations.append(Equation.each((one, commitments), (c, row.image), *terms))
        start += len(row.image)
    return Check(transcript.seat, f"proof of {statement.kind}", tuple(equations))
