"""Batch verification: the equations that proofs must satisfy, and the one function that checks them.

Every verification in this package is a list of linear equations Σ scalar·point = 0. A proof's `check_…` function
returns them. `settle` multiplies each by a weight, adds them all up and does one multi-scalar multiplication, for one
proof or for a whole hand. The weights are hashed from fresh entropy and from all checks, so no prover knows them, and
even a broken source of entropy does not make a false proof pass. A false equation survives with probability 2^−128. An
array of points that several equations share (the generators, a deck between two steps of a chain) enters the sum once.

If the sum is not zero, each check is verified alone and the first false one is named. No seat is blamed because of a
batch.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from nodealer.errors import BadParameter, ProofRejected
from nodealer.group import Group, Points, Scalars
from nodealer.tape import expand, framed

Entropy = Callable[[int], bytes]
Term = tuple[Scalars, Points]

#: 128-bit weights: they determine the soundness error of a batch, whatever the number of equations.
WEIGHT_BYTES: Final = 16
#: The number of bytes drawn from the source of entropy for one batch.
ENTROPY_BYTES: Final = 32


class Equation(NamedTuple):
    """One equation, or many of the same form.

    If `rows` is 1, it says that Σ scalars[i]·points[i], summed over all terms, is 0. Otherwise there are `rows`
    equations: the i-th consists of the i-th elements of all terms, and arrays of length one are in every row.
    """

    rows: int
    terms: tuple[Term, ...]

    @staticmethod
    def sum(*terms: Term) -> Equation:
        """Build one equation: the sum over all terms is 0. Raise `BadParameter` if lengths differ within a term."""
        for scalars, points in terms:
            if len(scalars) != len(points):
                raise BadParameter(f"{len(scalars)} scalars for {len(points)} points in an equation")
        return Equation(1, terms)

    @staticmethod
    def each(*terms: Term) -> Equation:
        """Build as many equations as the longest array has elements. Raise `BadParameter` if lengths do not fit."""
        rows = max(max(len(scalars), len(points)) for scalars, points in terms)
        for scalars, points in terms:
            if len(scalars) not in (1, rows) or len(points) not in (1, rows):
                raise BadParameter(f"{len(scalars)} scalars and {len(points)} points in {rows} equations")
        return Equation(rows, terms)


@dataclass(frozen=True)
class Check:
    """The equations that hold if what one seat claimed with one proof is true."""

    seat: int
    name: str
    equations: tuple[Equation, ...]
    entry: int | None = None


def digest_of(checks: Sequence[Check]) -> bytes:
    """Hash everything the equations say: how they are made of arrays, and every array of scalars and points once."""
    heads, shape, arrays, known = list[bytes](), list[int](), list[Scalars | Points](), dict[int, int]()
    for check in checks:
        heads.append(framed("check", check.seat, check.name, len(check.equations)))
        for rows, terms in check.equations:
            shape += (rows, len(terms))
            for term in terms:
                for array in term:
                    # Arrays are compared by identity: `checks` keeps them all alive, and decks cache their encodings.
                    if (place := known.get(id(array))) is None:
                        place = known[id(array)] = len(arrays)
                        arrays.append(array)
                    shape.append(place)
    # Every count precedes what it counts, and all elements of a kind have the same length, so the encoding is
    # unambiguous.
    numbers = (len(checks), len(shape), *shape, *map(len, arrays))
    parts = (struct.pack(f"<{len(numbers)}Q", *numbers), *heads, *(array.to_bytes() for array in arrays))
    return hashlib.sha256(b"".join(parts)).digest()


# defence: cancel
def weights_of(checks: Sequence[Check], entropy: Entropy) -> Scalars:
    """Draw one weight per row from fresh entropy and from all checks together."""
    group = checks[0].equations[0].terms[0][1].group
    rows = sum(equation.rows for check in checks for equation in check.equations)
    fresh = entropy(ENTROPY_BYTES)
    if len(fresh) != ENTROPY_BYTES:
        raise BadParameter(f"the source of entropy gave {len(fresh)} bytes instead of {ENTROPY_BYTES}")
    return weights_from_bytes(group, expand("weights", fresh, digest_of(checks), size=WEIGHT_BYTES * rows))


def weights_from_bytes(group: Group, raw: bytes) -> Scalars:
    """Convert bytes to weights. None of them is zero: a row with weight zero would not be checked."""
    zero, rest = bytes(WEIGHT_BYTES), bytes(group.wide_size - WEIGHT_BYTES)
    chunks = (raw[at : at + WEIGHT_BYTES] for at in range(0, len(raw), WEIGHT_BYTES))
    return group.wide_scalars(b"".join((chunk if chunk != zero else b"\1" + zero[1:]) + rest for chunk in chunks))


def weighted_terms(checks: Sequence[Check], weights: Scalars) -> list[tuple[Scalars, Scalars, Points]]:
    """Return all terms of all equations of all checks as (weights of the rows, scalars, points)."""
    terms, used = list[tuple[Scalars, Scalars, Points]](), 0
    for check in checks:
        for equation in check.equations:
            share = weights[used : used + equation.rows]
            terms += [(share, scalars, points) for scalars, points in equation.terms]
            used += equation.rows
    return terms


def _holds(checks: Sequence[Check], entropy: Entropy) -> bool:
    """Return whether all equations of all checks hold together."""
    weights = weights_of(checks, entropy)
    return weights.group.vartime_sum(weighted_terms(checks, weights)).first_identity() is not None


def settle(checks: Sequence[Check], entropy: Entropy) -> None:
    """Raise `ProofRejected` for the first check with an equation that does not hold. Return if all hold."""
    if not checks or _holds(checks, entropy):
        return
    for check in checks:
        if not _holds([check], entropy):
            raise ProofRejected(check.seat, check.name, check.entry)
    raise BadParameter("a batch failed although each of its checks holds alone")


def holds_without_entropy(check: Check) -> bool:
    """Return whether a check holds, with weights that depend on the check alone.

    For decisions that cannot wait for the batch: without entropy, every replica gets the same answer.
    """
    return _holds([check], bytes)
