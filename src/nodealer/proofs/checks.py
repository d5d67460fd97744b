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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nodealer.errors import BadParameter, ProofRejected
from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.tape import expand, framed

Entropy = Callable[[int], bytes]
Term = tuple[Scalars, Points]

#: 128-bit weights: the soundness error of a batch, whatever the number of equations.
WEIGHT_BYTES: Final = 16
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

    def weighted(self, weights: Scalars) -> Iterable[Term]:
        """This equation's share of a batch."""
        for scalars, points in self.terms:
            scaled = weights * scalars
            if self.rows > 1 and len(points) == 1:
                scaled = scaled.sum()
            yield scaled, points


@dataclass(frozen=True)
class Check:
    """What one seat claimed with one proof, as equations that hold if it is true."""

    seat: int
    name: str
    equations: tuple[Equation, ...]
    entry: int | None = None


def digest_of(checks: Sequence[Check]) -> bytes:
    """Everything that the equations say: every scalar, and every array of points once."""
    running, known = hashlib.sha512(), dict[int, int]()
    for check in checks:
        running.update(framed("check", check.seat, check.name, len(check.equations)))
        for equation in check.equations:
            running.update(framed("equation", equation.rows, len(equation.terms)))
            for scalars, points in equation.terms:
                # By identity: `checks` keeps every array alive, and decks come with their encodings.
                if id(points) not in known:
                    known[id(points)] = len(known)
                    running.update(framed("points", points.group.name, len(points)))
                    running.update(points.to_bytes())
                running.update(framed("term", known[id(points)], len(scalars)))
                running.update(scalars.to_bytes())
    return running.digest()


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
    """All equations of all checks with their weights, added up."""
    return weighted(checks, weights_of(checks, entropy))


def weighted(checks: Sequence[Check], weights: Scalars) -> list[Term]:
    """All equations of all checks, each row times its weight, added up: each array of points once."""
    # By identity, not by value: comparing points costs more than it saves. `checks` keeps every array alive.
    total: dict[int, Term] = {}
    used = 0
    for check in checks:
        for equation in check.equations:
            for scalars, points in equation.weighted(weights[used : used + equation.rows]):
                known = total.get(id(points))
                total[id(points)] = (scalars if known is None else known[0] + scalars, points)
            used += equation.rows
    return list(total.values())


def _holds(checks: Sequence[Check], entropy: Entropy) -> bool:
    terms = terms_of(checks, entropy)
    total = vartime_msm(concat(*(scalars for scalars, _ in terms)), concat(*(points for _, points in terms)))
    return total.first_identity() is not None


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
