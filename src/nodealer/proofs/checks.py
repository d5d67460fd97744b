"""Equations that are owed, and the one place that settles them.

Every verification in this package is a list of linear equations Σ scalar·point = 0. A proof's `check_…` function
returns them; `settle` multiplies each by a weight, adds them all up and does one multi-scalar multiplication, for one
proof or for a whole hand. The weights are hashed from fresh entropy and from all checks: nobody who makes a proof knows
them, and a dead source of entropy accepts nothing false. A false equation survives with probability 2^−128. An array
of points that several equations name (the generators, a deck between two steps of a chain) enters the sum once.

When the sum is not zero each check is looked at alone, and the first false one is named: nobody is blamed on a batch.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from nodealer.errors import BadParameter, ProofRejected
from nodealer.group import Group, Points, Scalars
from nodealer.tape import expand, framed

Entropy = Callable[[int], bytes]
Term = tuple[Scalars, Points]

#: 128-bit weights: the soundness error of a batch, whatever the number of equations.
WEIGHT_BYTES: Final = 16
#: Before the elements of an array, and before an equation: what it is, and two numbers.
_head: Final = struct.Struct("<cQQ").pack
#: Where an array that stands in a term was first.
_place: Final = struct.Struct("<cQ").pack
#: What is taken from the source of entropy for a sum.
ENTROPY_BYTES: Final = 32


@dataclass(frozen=True)
class Equation:
    """Either one equation, Σ over all terms of Σ scalars[i]·points[i] = 0 (`rows` is 1), or `rows` equations at once,
    the i-th from the i-th elements of all terms, where arrays of length one stand in every row."""

    rows: int
    terms: tuple[Term, ...]

    @staticmethod
    def sum(*terms: Term) -> Equation:
        """One equation."""
        for scalars, points in terms:
            if len(scalars) != len(points):
                raise BadParameter(f"{len(scalars)} scalars for {len(points)} points in an equation")
        return Equation(1, terms)

    @staticmethod
    def each(*terms: Term) -> Equation:
        """As many equations as the longest array has elements."""
        rows = max(max(len(scalars), len(points)) for scalars, points in terms)
        for scalars, points in terms:
            if len(scalars) not in (1, rows) or len(points) not in (1, rows):
                raise BadParameter(f"{len(scalars)} scalars and {len(points)} points in {rows} equations")
        return Equation(rows, terms)


@dataclass(frozen=True)
class Check:
    """What one seat claimed with one proof, as equations that hold if it is true."""

    seat: int
    name: str
    equations: tuple[Equation, ...]
    entry: int | None = None


def digest_of(checks: Sequence[Check]) -> bytes:
    """Everything that the equations say: every array of scalars and of points once."""
    parts: list[bytes] = []
    known: dict[int, int] = {}
    for check in checks:
        parts.append(framed("check", check.seat, check.name, len(check.equations)))
        for equation in check.equations:
            parts.append(_head(b"e", equation.rows, len(equation.terms)))
            for term in equation.terms:
                for array in term:
                    # By identity: `checks` keeps every array alive, and decks come with their encodings.
                    if (place := known.get(id(array))) is None:
                        place = known[id(array)] = len(known)
                        # All elements of a kind are of one length: no part runs into the next.
                        parts += (_head(b"a", place, len(array)), array.to_bytes())
                    parts.append(_place(b"t", place))
    return hashlib.sha256(b"".join(parts)).digest()


def weights_of(checks: Sequence[Check], entropy: Entropy) -> Scalars:
    """A weight for each row, from fresh entropy and from all checks together."""
    group = checks[0].equations[0].terms[0][1].group
    rows = sum(equation.rows for check in checks for equation in check.equations)
    fresh = entropy(ENTROPY_BYTES)
    if len(fresh) != ENTROPY_BYTES:
        raise BadParameter(f"the source of entropy gave {len(fresh)} bytes for {ENTROPY_BYTES}")
    return read_weights(group, expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows))


def read_weights(group: Group, raw: bytes) -> Scalars:
    """Weights from bytes, none of them zero: with a zero its row would not be looked at."""
    zero, rest = bytes(WEIGHT_BYTES), bytes(group.wide_size - WEIGHT_BYTES)
    chunks = (raw[at : at + WEIGHT_BYTES] for at in range(0, len(raw), WEIGHT_BYTES))
    return group.wide_scalars(b"".join((chunk if chunk != zero else b"\1" + zero[1:]) + rest for chunk in chunks))


def terms_of(checks: Sequence[Check], entropy: Entropy) -> list[Term]:
    """What is multiplied in the sum of these checks: each array of points once. For who counts."""
    total: dict[int, Term] = {}
    for weights, scalars, points in weighted(checks, weights_of(checks, entropy)):
        scaled = weights * scalars
        scaled = scaled.sum() if len(points) == 1 else scaled
        known = total.get(id(points))
        total[id(points)] = (scaled if known is None else known[0] + scaled, points)
    return list(total.values())


def weighted(checks: Sequence[Check], weights: Scalars) -> list[tuple[Scalars, Scalars, Points]]:
    """All terms of all equations of all checks, each with the weights of its rows before it."""
    terms, used = list[tuple[Scalars, Scalars, Points]](), 0
    for check in checks:
        for equation in check.equations:
            share = weights[used : used + equation.rows]
            terms += [(share, scalars, points) for scalars, points in equation.terms]
            used += equation.rows
    return terms


def _holds(checks: Sequence[Check], entropy: Entropy) -> bool:
    weights = weights_of(checks, entropy)
    return weights.group.vartime_sum(weighted(checks, weights)).first_identity() is not None


def settle(checks: Sequence[Check], entropy: Entropy) -> None:
    """Return if every equation of every check holds; otherwise raise `ProofRejected` for the first that does not."""
    if not checks or _holds(checks, entropy):
        return
    for check in checks:
        if not _holds([check], entropy):
            raise ProofRejected(check.seat, check.name, check.entry)
    raise BadParameter("a batch failed whose checks all hold alone")


def holds_now(check: Check) -> bool:
    """Whether a check holds, for a verdict that cannot wait for the batch: the same at every table, without entropy."""
    return _holds([check], bytes)
