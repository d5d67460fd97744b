"""The shuffle argument a second time, from docs/shuffle.md.

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
    """Points, responses and challenges of a shuffle proof, by the letters of docs/shuffle.md (t: tilde, h: hat)."""

    A: Points
    B: Points
    C_e: Points
    C_delta: Points
    C_Delta: Points
    C_f: Points
    E: list[Points]
    a_t: Scalars
    r_t: Scalars
    b_t: Scalars
    s_t: Scalars
    b_h: Scalars
    r_h: Scalars
    secrets: list[Scalars]
    xi: Scalars
    y: Scalars
    z: Scalars
    x: Scalars

    @property
    def powers(self) -> Scalars:
        return self.xi.powers(len(self.a_t))


def opened(relation: Relation, proof: bytes, transcript: Transcript | None = None) -> Opened:
    transcript = CONTEXT.transcript() if transcript is None else transcript
    m, group = relation.size, relation.statement[0].group
    rows = {"pairs": 2, "addmask": 3, "scalar": 2, "offset": 4}[relation.kind]
    assert proof[0] == 0
    split = 1 + (6 + rows) * group.point_size
    P, v = group.points(proof[1:split]), group.scalars(proof[split:])
    transcript.absorb(labels.STATEMENT, "shuffle", relation.kind, group.name, m)
    transcript.absorb(labels.STATEMENT, *(array.to_bytes() for array in relation.statement))
    transcript.absorb(labels.COMMITMENT, P[0].to_bytes())
    xi = transcript.challenge("xi", group)
    transcript.absorb(labels.COMMITMENT, P[1].to_bytes())
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    transcript.absorb(labels.COMMITMENT, *(P[i].to_bytes() for i in range(2, 6)), P[6:].to_bytes())
    x = transcript.challenge("x", group)
    product = group.integers([1])
    for i in range(1, m + 1):
        product = product * (y * group.integers([i]) + xi.powers(i)[-1] - z)
    ends = [v[m + 1 : 2 * m - 1]] if m > 2 else []
    return Opened(
        P[0],
        P[1],
        P[2],
        P[3],
        P[4],
        P[5],
        E=[P[6 + i] for i in range(rows)],
        a_t=v[:m],
        r_t=v[m],
        b_t=concat(v[0], *ends, x * product),
        s_t=v[2 * m - 1],
        b_h=v[2 * m : 3 * m],
        r_h=v[3 * m],
        secrets=[v[i] for i in range(3 * m + 1, len(v))],
        xi=xi,
        y=y,
        z=z,
        x=x,
    )


def equations(relation: Relation, o: Opened) -> list[bool]:
    """Every equation of docs/shuffle.md by itself: whether the left side equals the right one."""
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    G_, H = key[:m], key[m]
    found = [
        o.x * (o.y * o.A + o.B) + o.C_e == vartime_msm(o.a_t + o.x * o.z, G_) + o.r_t * H,
        o.x * o.C_Delta + o.C_delta == vartime_msm(o.x * o.b_t[1:] - o.b_t[:-1] * o.a_t[1:], G_[: m - 1]) + o.s_t * H,
        o.x * o.B + o.C_f == vartime_msm(o.b_h, G_) + o.r_h * H,
    ]
    powers, G = o.powers, group.G
    match relation:
        case Remask():
            (R,) = o.secrets
            found += [
                vartime_msm(o.b_h, relation.U_out) - R * G == o.x * vartime_msm(powers, relation.U) + o.E[0],
                vartime_msm(o.b_h, relation.W_out) - R * relation.K == o.x * vartime_msm(powers, relation.W) + o.E[1],
            ]
        case AddMask():
            R, s = o.secrets
            U = vartime_msm(powers, relation.U)
            found += [
                vartime_msm(o.b_h, relation.U_out) - R * G == o.x * U + o.E[0],
                vartime_msm(o.b_h, relation.W_out) - R * (relation.K + relation.S) - s * U
                == o.x * vartime_msm(powers, relation.W) + o.E[1],
                s * G == o.x * relation.S + o.E[2],
            ]
        case OneScalar():
            (s,) = o.secrets
            found += [
                vartime_msm(o.b_h, relation.outputs) - s * vartime_msm(powers, relation.inputs) == o.E[0],
                s * G == o.x * relation.S + o.E[1],
            ]
        case OneOffset():
            r, w, t = o.secrets
            B = vartime_msm(powers, relation.B)
            found += [
                vartime_msm(o.b_h, relation.A_out) - r * vartime_msm(powers, relation.A) - w * B == o.E[0],
                vartime_msm(o.b_h, relation.B_out) - r * B == o.E[1],
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

OfPowers = Callable[[Scalars], Scalars]


def craft(
    case: Shuffled,
    *,
    transcript: Transcript | None = None,
    relation: Relation | None = None,
    a: Scalars | None = None,
    product_a: Scalars | None = None,
    b: OfPowers | None = None,
    product_b: OfPowers | None = None,
    row_b: OfPowers | None = None,
    secrets: OfPowers | None = None,
    opening_shift: OfPowers | None = None,
    bare: frozenset[str] = frozenset(),
    nonces: Tape | None = None,
    seen: dict[str, Scalars | Points] | None = None,
) -> bytes:
    """The prover of docs/shuffle.md, with another value wherever one is given.

    `a` and `b` go into A and B, `product_…` into the product argument, `row_b` into the opening of B and the rows;
    `secrets` is given the honest b. `opening_shift` is added to the blinding of B where (3) opens it. The randomness
    named in `bare` is left at zero. Without any of these the proof is the one that the real prover makes.
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
    product_a = a if product_a is None else product_a
    r_A = draw("r_A", 1)
    A = commit(a, r_A)
    transcript.absorb_points(labels.COMMITMENT, A)
    powers = transcript.challenge("xi", group).powers(m)
    honest_b = powers.take(case.permutation)
    committed_b = honest_b if b is None else b(powers)
    in_product = committed_b if product_b is None else product_b(powers)
    in_rows = committed_b if row_b is None else row_b(powers)
    r_B = draw("r_B", 1)
    B = commit(committed_b, r_B)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    d = y * product_a + in_product - z
    p = d.cumprod()
    e, f = draw("e", m), draw("f", m)
    blindings = draw("blindings", 4, ("r_e", "s_delta", "s_Delta", "r_f"))
    k = draw("k", relation.secrets, tuple(f"k{index}" for index in range(relation.secrets)))
    delta = concat(e[0], *([draw("delta", m - 2)] if m > 2 else []), zero)
    C_e = commit(e, blindings[0])
    C_delta = commit(concat(-(delta[:-1] * e[1:]), zero), blindings[1])
    C_Delta = commit(concat(delta[1:] - d[1:] * delta[:-1] - p[:-1] * e[1:], zero), blindings[2])
    C_f = commit(f, blindings[3])
    E = concat(*left_sides(relation, powers, f, k))
    transcript.absorb_points(labels.COMMITMENT, C_e, C_delta, C_Delta, C_f, E)
    x = transcript.challenge("x", group)
    values = (case.secrets if secrets is None else secrets)(honest_b)
    shift = zero if opening_shift is None else opening_shift(powers)
    responses = [x * d + e, x * (y * r_A + r_B) + blindings[0]]
    responses += [(x * p + delta)[1:-1]] if m > 2 else []
    responses += [x * blindings[2] + blindings[1], x * in_rows + f, x * (r_B + shift) + blindings[3], x * values + k]
    if seen is not None:
        seen.update(x=x, powers=powers, b=honest_b, A=A, B=B)
    return b"\0" + concat(A, B, C_e, C_delta, C_Delta, C_f, E).to_bytes() + concat(*responses).to_bytes()


def left_sides(relation: Relation, powers: Scalars, f: Scalars, k: Scalars) -> list[Points]:
    """The left side of every row of the relation, with f for b and k for the secrets."""
    G = f.group.G
    match relation:
        case Remask():
            return [vartime_msm(f, relation.U_out) - k * G, vartime_msm(f, relation.W_out) - k * relation.K]
        case AddMask():
            U = vartime_msm(powers, relation.U)
            return [
                vartime_msm(f, relation.U_out) - k[0] * G,
                vartime_msm(f, relation.W_out) - k[0] * (relation.K + relation.S) - k[1] * U,
                k[1] * G,
            ]
        case OneScalar():
            return [vartime_msm(f, relation.outputs) - k * vartime_msm(powers, relation.inputs), k * G]
        case OneOffset():
            B, H = vartime_msm(powers, relation.B), commitment_key(f.group, len(f))[len(f)]
            return [
                vartime_msm(f, relation.A_out) - k[0] * vartime_msm(powers, relation.A) - k[1] * B,
                vartime_msm(f, relation.B_out) - k[0] * B,
                k[0] * G,
                k[1] * G + k[2] * H,
            ]
    raise AssertionError(relation.kind)


def simulate(relation: Relation, seed: str, x: Scalars) -> bytes:
    """A proof without a witness, for a challenge x that is known in advance. Everything else is hashed as always.

    The commitments A, B and C_Δ and all responses are random; C_e, C_δ, C_f and the E are what the equations ask for.
    """
    m, group = relation.size, relation.statement[0].group
    key = commitment_key(group, m)
    secrets = {"pairs": 1, "addmask": 2, "scalar": 1, "offset": 3}[relation.kind]
    A, B, C_Delta = (scalars(group, f"{seed} {name}") * key[m] for name in ("A", "B", "Delta"))
    responses = scalars(group, f"{seed} responses", 3 * m + 1 + secrets)
    transcript = CONTEXT.transcript()
    transcript.absorb(labels.STATEMENT, "shuffle", relation.kind, group.name, m)
    transcript.absorb(labels.STATEMENT, *(array.to_bytes() for array in relation.statement))
    transcript.absorb_points(labels.COMMITMENT, A)
    powers = transcript.challenge("xi", group).powers(m)
    transcript.absorb_points(labels.COMMITMENT, B)
    y, z = transcript.challenge("y", group), transcript.challenge("z", group)
    a_t, r_t, s_t = responses[:m], responses[m], responses[2 * m - 1]
    b_h, r_h, hats = responses[2 * m : 3 * m], responses[3 * m], responses[3 * m + 1 :]
    product = (y * group.integers(range(1, m + 1)) + powers - z).cumprod()[-1]
    b_t = concat(a_t[0], *([responses[m + 1 : 2 * m - 1]] if m > 2 else []), x * product)
    C_e = vartime_msm(concat(a_t + x * z, r_t), key) - x * (y * A + B)
    C_delta = vartime_msm(concat(x * b_t[1:] - b_t[:-1] * a_t[1:], s_t), concat(key[: m - 1], key[m])) - x * C_Delta
    C_f = vartime_msm(concat(b_h, r_h), key) - x * B
    match relation:
        case Remask():
            images = [vartime_msm(powers, relation.U), vartime_msm(powers, relation.W)]
        case AddMask():
            images = [vartime_msm(powers, relation.U), vartime_msm(powers, relation.W), relation.S]
        case OneScalar():
            images = [group.identity(1), relation.S]
        case OneOffset():
            images = [group.identity(1), group.identity(1), relation.R, relation.W]
        case _:
            raise AssertionError(relation.kind)
    E = [left - x * image for left, image in zip(left_sides(relation, powers, b_h, hats), images, strict=True)]
    return b"\0" + concat(A, B, C_e, C_delta, C_Delta, C_f, *E).to_bytes() + responses.to_bytes()
