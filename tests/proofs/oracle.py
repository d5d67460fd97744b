"""The shuffle argument a second time, from docs/spec/shuffle.md.

A verifier that checks each equation alone, left side against right; a prover that can be told to lie at any point; a
simulator; and transcripts whose challenges are chosen.

Nothing here is taken from `proofs/shuffle.py` or `proofs/checks.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.proofs import labels
from nodealer.proofs.checks import Check, Equation
from nodealer.proofs.generators import commitment_key
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar, Remask
from nodealer.proofs.shuffle import Relation
from nodealer.proofs.transcript import Context, Transcript
from nodealer.tape import Tape

from .statements import CONTEXT, Shuffled, scalars, tape

# --- Transcripts whose challenges are known ---


def programmed(fixed: Mapping[str, Scalars], context: Context = CONTEXT) -> Transcript:
    """A transcript with these challenges, by label, in place of hashes: the random oracle of a simulator."""
    transcript = context.transcript()
    honest = transcript.challenges

    def challenges(label: str, group: Group, count: int) -> Scalars:
        drawn = honest(label, group, count)
        return fixed.get(label, drawn)

    transcript.challenges = challenges  # type: ignore[method-assign]
    return transcript


def challenges_of(run: Callable[[Transcript], object], context: Context = CONTEXT) -> dict[str, Scalars]:
    """The challenges that come up while `run` works on a fresh transcript."""
    transcript = context.transcript()
    honest, seen = transcript.challenges, dict[str, Scalars]()

    def challenges(label: str, group: Group, count: int) -> Scalars:
        seen[label] = honest(label, group, count)
        return seen[label]

    transcript.challenges = challenges  # type: ignore[method-assign]
    run(transcript)
    return seen


# --- A proof, taken apart ---


@dataclass(frozen=True)
class Opened:
    """Points, responses and challenges of a shuffle proof, by the letters of docs/spec/shuffle.md."""

    A: Points
    B: Points
    C_e: Points
    C_0: Points
    C_1: Points
    E: list[Points]
    d_hat: Scalars
    r_d_hat: Scalars
    p_hat: Scalars
    s_p_hat: Scalars
    secrets: list[Scalars]
    xi: Scalars
    y: Scalars
    z: Scalars
    x: Scalars

    @property
    def powers(self) -> Scalars:
        return self.xi.powers(len(self.d_hat))

    @property
    def D(self) -> Scalars:
        return weights(self.xi, self.y, self.z, len(self.d_hat))


def weights(xi: Scalars, y: Scalars, z: Scalars, m: int) -> Scalars:
    """D_i = y·i + ξ^i − z, one after the other."""
    return concat(*(y * y.group.integers([i]) + xi.powers(i)[-1] - z for i in range(1, m + 1)))


def opened(relation: Relation, proof: bytes, transcript: Transcript | None = None) -> Opened:
    transcript = CONTEXT.transcript() if transcript is None else transcript
    m, group = relation.size, relation.statement[0].group
    rows = {"pairs": 2, "addmask": 3, "scalar": 2, "offset": 4}[relation.kind]
    assert proof[0] == 1
    split = 1 + (5 + rows) * group.point_size
    P, v = group.points(proof[1:split]), group.scalars(proof[split:])
    transcript.absorb(labels.STATEMENT, "shuffle", relation.kind, group.name, m)
    transcript.absorb(labels.STATEMENT, *(array.to_bytes() for array in relation.statement))
    transcript.absorb(labels.COMMITMENT, P[0].to_bytes())
    xi = transcript.challenge("xi", group)
    transcript.absorb(labels.COMMITMENT, P[1].to_bytes())
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    transcript.absorb(labels.COMMITMENT, *(P[i].to_bytes() for i in range(2, 5)), P[5:].to_bytes())
    x = transcript.challenge("x", group)
    product = group.integers([1])
    for i in range(m):
        product = product * weights(xi, y, z, m)[i]
    ends = [v[m + 1 : 2 * m - 1]] if m > 2 else []
    return Opened(
        P[0],
        P[1],
        P[2],
        P[3],
        P[4],
        E=[P[5 + i] for i in range(rows)],
        d_hat=v[:m],
        r_d_hat=v[m],
        p_hat=concat(v[0], *ends, x * product),
        s_p_hat=v[2 * m - 1],
        secrets=[v[i] for i in range(2 * m, len(v))],
        xi=xi,
        y=y,
        z=z,
        x=x,
    )


def equations(relation: Relation, o: Opened) -> list[bool]:
    """Every equation of docs/spec/shuffle.md by itself: whether the left side equals the right one."""
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    G_, H = key[:m], key[m]
    found = [
        o.x * (o.y * o.A + o.B) + o.C_e == vartime_msm(o.d_hat + o.x * o.z, G_) + o.r_d_hat * H,
        o.x * o.C_1 + o.C_0 == vartime_msm(o.x * o.p_hat[1:] - o.p_hat[:-1] * o.d_hat[1:], G_[: m - 1]) + o.s_p_hat * H,
    ]
    D, G = o.D, group.G
    match relation:
        case Remask():
            (R,) = o.secrets
            found += [
                vartime_msm(o.d_hat, relation.U_out) - R * G == o.x * vartime_msm(D, relation.U) + o.E[0],
                vartime_msm(o.d_hat, relation.W_out) - R * relation.K == o.x * vartime_msm(D, relation.W) + o.E[1],
            ]
        case AddMask():
            R, s = o.secrets
            U = vartime_msm(D, relation.U)
            found += [
                vartime_msm(o.d_hat, relation.U_out) - R * G == o.x * U + o.E[0],
                vartime_msm(o.d_hat, relation.W_out) - R * (relation.K + relation.S) - s * U
                == o.x * vartime_msm(D, relation.W) + o.E[1],
                s * G == o.x * relation.S + o.E[2],
            ]
        case OneScalar():
            (s,) = o.secrets
            found += [
                vartime_msm(o.d_hat, relation.outputs) - s * vartime_msm(D, relation.inputs) == o.E[0],
                s * G == o.x * relation.S + o.E[1],
            ]
        case OneOffset():
            r, w, t = o.secrets
            B = vartime_msm(D, relation.B)
            found += [
                vartime_msm(o.d_hat, relation.A_out) - r * vartime_msm(D, relation.A) - w * B == o.E[0],
                vartime_msm(o.d_hat, relation.B_out) - r * B == o.E[1],
                r * G == o.x * relation.R + o.E[2],
                w * G + t * H == o.x * relation.W + o.E[3],
            ]
    return found


def holds(equation: Equation) -> list[bool]:
    """A folded equation, unfolded: each of its rows by itself, no weights."""
    verdicts = []
    for row in range(equation.rows):
        total = None
        for factors, bases in equation.terms:
            if equation.rows == 1:
                part = vartime_msm(factors, bases)
            else:
                part = factors[row if len(factors) > 1 else 0] * bases[row if len(bases) > 1 else 0]
            total = part if total is None else total + part
        assert total is not None
        verdicts.append(total.first_identity() is not None)
    return verdicts


def without(check: Check, dropped: int) -> Check:
    """The check of a verifier that forgot one equation."""
    kept = tuple(equation for index, equation in enumerate(check.equations) if index != dropped)
    return Check(check.seat, check.name, kept, check.entry)


def without_row(check: Check, dropped: int, row: int) -> Check:
    """The check of a verifier that forgot one row of a many-rowed equation."""
    equation = check.equations[dropped]
    kept = [index for index in range(equation.rows) if index != row]
    terms = tuple(
        (factors if len(factors) == 1 else factors.take(kept), bases if len(bases) == 1 else bases.take(kept))
        for factors, bases in equation.terms
    )
    shorter = Equation.each(*terms)
    return Check(check.seat, check.name, (*check.equations[:dropped], shorter, *check.equations[dropped + 1 :]))


# --- A prover that lies where it is told to ---

OfScalars = Callable[[Scalars], Scalars]


def craft(
    case: Shuffled,
    *,
    transcript: Transcript | None = None,
    relation: Relation | None = None,
    a: Scalars | None = None,
    b: OfScalars | None = None,
    d: OfScalars | None = None,
    secrets: OfScalars | None = None,
    opening_shift: OfScalars | None = None,
    bare: frozenset[str] = frozenset(),
    nonces: Tape | None = None,
    seen: dict[str, Scalars | Points] | None = None,
) -> bytes:
    """The prover of docs/spec/shuffle.md, with another value wherever one is given.

    `a` goes into A, `b`, given the honest ξ^π, into B, and y·a + b − z into the product and the rows; or `d`, given the
    honest d, does. `secrets` is given the honest d, and so is `opening_shift`, which is added to the blinding with
    which (1) opens y·A + B. The randomness named in `bare` is left at zero. Without any of these the proof is the one
    that the real prover makes.
    """
    transcript = CONTEXT.transcript() if transcript is None else transcript
    relation = case.relation if relation is None else relation
    tape_ = tape("prover") if nonces is None else nonces
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    zero = group.integers([0])

    def draw(label: str, count: int, names: tuple[str, ...] = ()) -> Scalars:
        drawn = transcript.nonces(tape_, label, group, count)
        names = names or (label,) * count
        return concat(*(zero if name in bare else drawn[index] for index, name in enumerate(names)))

    def commit(values: Scalars, blinding: Scalars) -> Points:
        return vartime_msm(concat(values, blinding), key)

    transcript.absorb(labels.STATEMENT, "shuffle", relation.kind, group.name, m)
    transcript.absorb(labels.STATEMENT, *(array.to_bytes() for array in relation.statement))
    honest_a = group.integers([place + 1 for place in case.permutation])
    a = honest_a if a is None else a
    r_A = draw("r_A", 1)
    A = commit(a, r_A)
    transcript.absorb_points(labels.COMMITMENT, A)
    xi = transcript.challenge("xi", group)
    honest_b = xi.powers(m).take(case.permutation)
    held_b = honest_b if b is None else b(honest_b)
    r_B = draw("r_B", 1)
    B = commit(held_b, r_B)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = weights(xi, y, z, m)
    honest_d = D.take(case.permutation)
    used_d = y * a + held_b - z if d is None else d(honest_d)
    p = used_d.cumprod()
    e = draw("e", m)
    blindings = draw("blindings", 3, ("r_e", "s_0", "s_1"))
    k = draw("k", relation.secrets, tuple(f"k{index}" for index in range(relation.secrets)))
    delta = concat(e[0], *([draw("delta", m - 2)] if m > 2 else []), zero)
    C_e = commit(e, blindings[0])
    C_0 = commit(concat(-(delta[:-1] * e[1:]), zero), blindings[1])
    C_1 = commit(concat(delta[1:] - used_d[1:] * delta[:-1] - p[:-1] * e[1:], zero), blindings[2])
    E = concat(*left_sides(relation, D, e, k))
    transcript.absorb_points(labels.COMMITMENT, C_e, C_0, C_1, E)
    x = transcript.challenge("x", group)
    values = (case.secrets if secrets is None else secrets)(honest_d)
    shift = zero if opening_shift is None else opening_shift(honest_d)
    responses = [x * used_d + e, x * (y * r_A + r_B + shift) + blindings[0]]
    responses += [(x * p + delta)[1:-1]] if m > 2 else []
    responses += [x * blindings[2] + blindings[1], x * values + k]
    if seen is not None:
        seen.update(x=x, d=honest_d, A=A, B=B)
    return b"\1" + concat(A, B, C_e, C_0, C_1, E).to_bytes() + concat(*responses).to_bytes()


def left_sides(relation: Relation, D: Scalars, d: Scalars, secrets: Scalars) -> list[Points]:
    """The left side of every row of the relation, with these for d and the secrets."""
    G, k = d.group.G, secrets
    match relation:
        case Remask():
            return [vartime_msm(d, relation.U_out) - k * G, vartime_msm(d, relation.W_out) - k * relation.K]
        case AddMask():
            U = vartime_msm(D, relation.U)
            return [
                vartime_msm(d, relation.U_out) - k[0] * G,
                vartime_msm(d, relation.W_out) - k[0] * (relation.K + relation.S) - k[1] * U,
                k[1] * G,
            ]
        case OneScalar():
            return [vartime_msm(d, relation.outputs) - k * vartime_msm(D, relation.inputs), k * G]
        case OneOffset():
            B, H = vartime_msm(D, relation.B), commitment_key(d.group, len(d))[len(d)]
            return [
                vartime_msm(d, relation.A_out) - k[0] * vartime_msm(D, relation.A) - k[1] * B,
                vartime_msm(d, relation.B_out) - k[0] * B,
                k[0] * G,
                k[1] * G + k[2] * H,
            ]
    raise AssertionError(relation.kind)


def simulate(relation: Relation, seed: str, x: Scalars) -> bytes:
    """A proof without a witness, for a challenge x that is known in advance. Everything else is hashed as always.

    The commitments A, B and C_1 and all responses are random; C_e, C_0 and the E are what the equations ask for.
    """
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    secrets = {"pairs": 1, "addmask": 2, "scalar": 1, "offset": 3}[relation.kind]
    A, B, C_1 = (scalars(group, f"{seed} {name}") * key[m] for name in ("A", "B", "C_1"))
    responses = scalars(group, f"{seed} responses", 2 * m + secrets)
    transcript = CONTEXT.transcript()
    transcript.absorb(labels.STATEMENT, "shuffle", relation.kind, group.name, m)
    transcript.absorb(labels.STATEMENT, *(array.to_bytes() for array in relation.statement))
    transcript.absorb_points(labels.COMMITMENT, A)
    xi = transcript.challenge("xi", group)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    D = weights(xi, y, z, m)
    d_hat, r_d_hat, s_p_hat, hats = responses[:m], responses[m], responses[2 * m - 1], responses[2 * m :]
    p_hat = concat(d_hat[0], *([responses[m + 1 : 2 * m - 1]] if m > 2 else []), x * D.cumprod()[-1])
    C_e = vartime_msm(concat(d_hat + x * z, r_d_hat), key) - x * (y * A + B)
    opened_2 = concat(x * p_hat[1:] - p_hat[:-1] * d_hat[1:], s_p_hat)
    C_0 = vartime_msm(opened_2, concat(key[: m - 1], key[m])) - x * C_1
    match relation:
        case Remask():
            images = [vartime_msm(D, relation.U), vartime_msm(D, relation.W)]
        case AddMask():
            images = [vartime_msm(D, relation.U), vartime_msm(D, relation.W), relation.S]
        case OneScalar():
            images = [group.identity(1), relation.S]
        case OneOffset():
            images = [group.identity(1), group.identity(1), relation.R, relation.W]
        case _:
            raise AssertionError(relation.kind)
    E = [left - x * image for left, image in zip(left_sides(relation, D, d_hat, hats), images, strict=True)]
    return b"\1" + concat(A, B, C_e, C_0, C_1, *E).to_bytes() + responses.to_bytes()
