"""The extractor of docs/spec/shuffle.md: a prover that can be rewound gives its whole witness away.

Rewinding is a transcript whose challenges are chosen: the nonces do not depend on them, so that everything before a
challenge stays as it was.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import pytest

from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.proofs.generators import commitment_key

from . import oracle
from .statements import SHUFFLES, Shuffled, accepted, scalars, tape

kinds = pytest.mark.parametrize("kind", SHUFFLES)


def numbers(values: Scalars) -> list[int]:
    data = values.to_bytes()
    return [int.from_bytes(data[at : at + 32], "little") for at in range(0, len(data), 32)]


def solve(matrix: list[list[int]], right: list[int], q: int) -> list[int]:
    """The one solution of a square system modulo q."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(len(rows)):
        pivot = next(index for index in range(at, len(rows)) if rows[index][at] % q)
        rows[at], rows[pivot] = rows[pivot], rows[at]
        inverse = pow(rows[at][at], -1, q)
        rows[at] = [value * inverse % q for value in rows[at]]
        for index, row in enumerate(rows):
            if index != at:
                rows[index] = [(x - row[at] * y) % q for x, y in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


@dataclass(frozen=True)
class Opened:
    """What two proofs with different x open: y·A + B, without z, with its blinding; and the secrets of the rows."""

    sum: Scalars
    blinding: Scalars
    secrets: Scalars


def two_answers(case: Shuffled, xi: Scalars, y: Scalars, z: Scalars) -> tuple[Opened, oracle.Opened]:
    """Proofs for two x on the same commitments, each accepted, and their difference."""
    found = []
    for x in (scalars(case.group, f"x {index}") for index in range(2)):
        fixed = {"xi": xi, "y": y, "z": z, "x": x}
        proof = case.prover(oracle.programmed(fixed), tape("prover"), case.public)
        assert accepted(lambda: case.checker(oracle.programmed(fixed), case.public, proof))
        found.append(oracle.opened(case.relation, proof, oracle.programmed(fixed)))
    one, two = found
    for name in ("A", "B", "C_e", "C_0", "C_1"):
        assert getattr(one, name) == getattr(two, name)
    ratio = (one.x - two.x).invert()
    secrets = ratio * (concat(*one.secrets) - concat(*two.secrets))
    return Opened(ratio * (one.d_hat - two.d_hat) + z, ratio * (one.r_d_hat - two.r_d_hat), secrets), one


@dataclass(frozen=True)
class Witness:
    permutation: tuple[int, ...]
    masks: list[int] | None
    secrets: Scalars | None


def extract(case: Shuffled) -> Witness:
    """From 6m accepted proofs on one A."""
    group, m = case.group, case.relation.size
    key = commitment_key(group, m)
    masked = case.name in ("pairs", "addmask")
    rows, sums, seen = [], [], []
    A = permutation = None
    for index in range(m):
        xi = scalars(group, f"xi {index}")
        y, z = (scalars(group, f"{name} {index}", 2) for name in ("y", "z"))
        (first, proof), (second, _), (third, _) = (
            two_answers(case, xi, y[i], z[j]) for i, j in ((0, 0), (1, 0), (0, 1))
        )
        # Two y open A and B. A is the same for all ξ, and so are the permutation and every secret with a key.
        over_y, over_z = (y[0] - y[1]).invert(), (z[1] - z[0]).invert()
        a, r_A = over_y * (first.sum - second.sum), over_y * (first.blinding - second.blinding)
        b, r_B = first.sum - y[0] * a, first.blinding - y[0] * r_A
        assert vartime_msm(concat(a, r_A), key) == proof.A and vartime_msm(concat(b, r_B), key) == proof.B
        assert A is None or A == proof.A
        A = proof.A
        found = tuple(place - 1 for place in numbers(a))
        assert permutation in (None, found)
        permutation = found
        assert b == xi.powers(m).take(permutation)
        seen += [opened.secrets[1 if masked else 0 :] for opened in (first, second, third) if case.name != "pairs"]
        if masked:
            # R for D, less its parts with y and with z: what is left has the powers of ξ for weights.
            R = [opened.secrets[0] for opened in (first, second, third)]
            sums += numbers(R[0] - y[0] * over_y * (R[0] - R[1]) + z[0] * over_z * (R[0] - R[2]))
            rows.append(numbers(xi.powers(m).take(permutation)))
    assert permutation is not None
    assert all(secrets == seen[0] for secrets in seen)
    masks = solve(rows, sums, group.order) if masked else None
    return Witness(permutation, masks, seen[0] if seen else None)


def apply(case: Shuffled, witness: Witness) -> dict[str, Points]:
    """The public points that follow from the input decks and a witness, by the table of statements."""
    group, p, order = case.group, case.public, list(witness.permutation)
    secrets = witness.secrets
    if witness.masks is not None:
        rho = group.scalars(b"".join(mask.to_bytes(32, "little") for mask in witness.masks))
        U, W, K = p["U"].take(order), p["W"].take(order), p["K"]
        if secrets is None:
            return {"U_out": U + rho * group.G, "W_out": W + rho * K}
        S = secrets * group.G
        return {"S": S, "U_out": U + rho * group.G, "W_out": W + secrets * U + rho * (K + S)}
    assert secrets is not None
    if case.name == "scalar":
        return {"S": secrets * group.G, "outputs": secrets * p["inputs"].take(order)}
    r, w, t = secrets[0], secrets[1], secrets[2]
    A, B, H = p["A"].take(order), p["B"].take(order), commitment_key(group, 1)[1]
    return {"R": r * group.G, "W": w * group.G + t * H, "A_out": r * A + w * B, "B_out": r * B}


@kinds
@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_extractor_finds_the_witness(fast: Group, kind: str, m: int) -> None:
    case = SHUFFLES[kind](fast, m)
    witness = extract(case)
    assert witness.permutation == case.permutation
    assert witness.masks == (None if case.masks is None else numbers(case.masks))
    made = apply(case, witness)
    assert made and all(case.public[name] == array for name, array in made.items())
    if kind in ("addmask", "scalar"):
        assert witness.secrets == case.s
    if kind == "offset":
        assert case.s is not None and witness.secrets == concat(case.s[0], case.s[0] * case.s[1], case.s[2])


@pytest.mark.parametrize("m", [2, 3, 8])
def test_the_weights_span_everything(fast: Group, m: int) -> None:
    """m sets of challenges give m independent vectors D, as the powers of ξ alone would."""
    rows = []
    for index in range(m):
        xi, y, z = (scalars(fast, f"{name} {index}") for name in ("xi", "y", "z"))
        rows.append(numbers(oracle.weights(xi, y, z, m)))
    wanted = [3 + index for index in range(m)]
    right = [sum(x * y for x, y in zip(row, wanted, strict=True)) % fast.order for row in rows]
    assert solve(rows, right, fast.order) == wanted


# --- The two counting steps of the proof, exhaustively, in fields small enough ---


def weights_in(q: int, m: int, xi: int, y: int, z: int) -> list[int]:
    return [(y * i + pow(xi, i, q) - z) % q for i in range(1, m + 1)]


@pytest.mark.parametrize(("q", "m"), [(5, 2), (7, 2), (11, 2), (5, 3), (7, 3)])
def test_the_lemma_holds_for_every_error(q: int, m: int) -> None:
    """Σ D_i·X_i = 0 for at most (m + 1)/q of all ξ, y, z, whatever X is; and some X comes near that."""
    every = [weights_in(q, m, xi, y, z) for xi, y, z in itertools.product(range(q), repeat=3)]
    most = 0
    for X in itertools.product(range(q), repeat=m):
        if any(X):
            passed = sum(sum(x * D for x, D in zip(X, weights, strict=True)) % q == 0 for weights in every)
            most = max(most, passed)
    assert q * q <= most <= (m + 1) * q * q


@pytest.mark.parametrize(("q", "m"), [(5, 2), (7, 2), (5, 3)])
def test_a_product_is_right_by_chance_for_few_y_and_z(q: int, m: int) -> None:
    """For each ξ and all a, b that are no permutation of (i, ξ^i): at most m/q of all y, z."""
    places = list(range(1, m + 1))
    for xi in range(1, q):
        true = sorted((i, pow(xi, i, q)) for i in places)
        wanted = {(y, z): math.prod(weights_in(q, m, xi, y, z)) % q for y, z in itertools.product(range(q), repeat=2)}
        # The order does not matter: sorted pairs are enough.
        for held in itertools.combinations_with_replacement(itertools.product(range(q), repeat=2), m):
            passed = sum(math.prod(y * a + b - z for a, b in held) % q == right for (y, z), right in wanted.items())
            assert passed == q * q if sorted(held) == true else passed <= m * q
