"""Zero-knowledge, tried: a distinguisher that tests every permutation, leaky provers to show that it works, and the
simulator of docs/spec/shuffle.md."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

import pytest

from nodealer.group import Group, Points, Scalars, concat, vartime_msm
from nodealer.proofs import shuffle
from nodealer.proofs.generators import commitment_key
from nodealer.proofs.shuffle import Relation

from . import oracle
from .statements import (
    CASES,
    CONTEXT,
    INPUTS,
    OTHER_CONTEXTS,
    OUTPUTS,
    SHUFFLES,
    Shuffled,
    accepted,
    addmask,
    commitments,
    offset,
    pairs,
    points,
    put,
    scalar,
    scalars,
)

pytestmark = pytest.mark.sample(reference=1)

kinds = pytest.mark.parametrize("kind", SHUFFLES)

#: What the single public points of a statement are called.
KEYS = ("K", "S", "R", "W")


def encodings(array: Points) -> list[bytes]:
    data, size = array.to_bytes(), array.group.point_size
    return [data[at : at + size] for at in range(0, len(data), size)]


class Distinguisher:
    """All points that anybody can compute from a statement and a proof, as far as the verifier's combinations go: each
    point, each deck and commitment key weighted with the powers of ξ or with the responses, each key times each
    response; all of these times the challenges and their inverses; and every sum of two of them."""

    def __init__(self, case: Shuffled, proof: bytes, extra: Sequence[Points] = ()) -> None:
        self.case, self.extra, self.o = case, extra, oracle.opened(case.relation, proof)
        self.group, self.m = case.group, case.relation.size
        self.key = commitment_key(self.group, self.m)
        o, group, one = self.o, self.group, self.group.integers([1])
        base = concat(*self._points(extra))
        factors = [one, o.x, o.x.invert(), o.y, o.x * o.y, o.z]
        singles = concat(*(sign * factor * base for factor in factors for sign in (one, -one)))
        few = concat(*(sign * factor * base for factor in (one, o.x) for sign in (one, -one)))
        sums = [few[index] + few for index in range(len(few) // 2)]
        self.known = {bytes(group.point_size), *encodings(singles)}
        for array in sums:
            self.known.update(encodings(array))

    def _points(self, extra: Sequence[Points]) -> Iterable[Points]:
        o, p, G, m = self.o, self.case.public, self.group.G, self.m
        G_, H = self.key[:m], self.key[m]
        yield from (o.A, o.B, o.C_e, o.C_0, o.C_1, *o.E, G, H, *extra)
        yield from (p[name] for name in KEYS if name in p)
        if "K" in p and "S" in p:
            yield p["K"] + p["S"]
        for name in INPUTS[self.case.name]:
            yield from (p[name], p[name].sum(), vartime_msm(o.D, p[name]))
            yield from (secret * vartime_msm(o.D, p[name]) for secret in o.secrets)
        for name in OUTPUTS[self.case.name]:
            yield from (p[name], p[name].sum(), vartime_msm(o.d_hat, p[name]))
        for secret in o.secrets:
            yield from (secret * G, secret * H, *(secret * p[name] for name in KEYS if name in p))
        quadratic = o.x * o.p_hat[1:] - o.p_hat[:-1] * o.d_hat[1:]
        yield from (vartime_msm(o.d_hat, G_), vartime_msm(quadratic, G_[: m - 1]), G_.sum())
        yield from (o.r_d_hat * H, o.s_p_hat * H)

    def order(self, order: Sequence[int]) -> set[str]:
        """What speaks for this permutation: values that it implies and that are known, or zero."""
        o, group, m = self.o, self.group, self.m
        G_ = self.key[:m]
        a, b = group.integers([place + 1 for place in order]), o.powers.take(order)
        d = o.y * a + b - o.z
        p = d.cumprod()
        e, delta = o.d_hat - o.x * d, o.p_hat - o.x * p
        shown = {"e": e} | ({"delta": delta[1:-1]} if m > 2 else {})
        found = {f"{name} is bare" for name, values in shown.items() if values.first_zero() is not None}
        implied: dict[str, Points] = {
            "A": vartime_msm(a, G_),
            "B": vartime_msm(b, G_),
            "y·A + B": vartime_msm(o.y * a + b, G_),
            "C_e": vartime_msm(e, G_),
            "C_0": vartime_msm(-(delta[:-1] * e[1:]), G_[: m - 1]),
            "C_1": vartime_msm(delta[1:] - d[1:] * delta[:-1] - p[:-1] * e[1:], G_[: m - 1]),
        }
        for name in OUTPUTS[self.case.name]:
            implied[f"{name} by b"] = vartime_msm(b, self.case.public[name])
            implied[f"{name} by d"] = vartime_msm(d, self.case.public[name])
            implied[f"{name} by e"] = vartime_msm(e, self.case.public[name])
        for deck_in, deck_out in zip(INPUTS[self.case.name], OUTPUTS[self.case.name], strict=True):
            outputs, inputs = self.case.public[deck_out], self.case.public[deck_in]
            implied[f"{deck_out} by b less {deck_in}"] = vartime_msm(b, outputs) - vartime_msm(o.powers, inputs)
            implied[f"{deck_out} by d less {deck_in}"] = vartime_msm(d, outputs) - vartime_msm(o.D, inputs)
        return found | {name for name, point in implied.items() if point.to_bytes() in self.known}

    def pairings(self) -> set[tuple[str, int, int]]:
        """Which output is shown to come from which input: their difference is known, or minus it, or a multiple.

        The difference of two cards is a sum of two known points, of course; so cards and sums do not count here."""
        one, p = self.group.integers([1]), self.case.public
        decks = [p[name] for name in (*INPUTS[self.case.name], *OUTPUTS[self.case.name])]
        base = concat(*(array for array in self._points(self.extra) if not any(array is deck for deck in decks)))
        factors = [one, self.o.x, self.o.x.invert(), self.o.y]
        known = {e for factor in factors for sign in (one, -one) for e in encodings(sign * factor * base)}
        return {
            (deck_out, j, i)
            for deck_in, deck_out in zip(INPUTS[self.case.name], OUTPUTS[self.case.name], strict=True)
            for j in range(self.m)
            for i, difference in enumerate(encodings(p[deck_out][j] - p[deck_in]))
            if difference in known
        }

    def telling(self) -> dict[str, set[tuple[int, ...]]]:
        """Every test that some permutations pass and others do not."""
        passed: dict[str, set[tuple[int, ...]]] = {}
        orders = list(itertools.permutations(range(self.m)))
        for order in orders:
            for name in self.order(order):
                passed.setdefault(name, set()).add(order)
        return {name: hits for name, hits in passed.items() if len(hits) < len(orders)}


@kinds
@pytest.mark.parametrize("m", [2, 3, 4])
def test_no_permutation_stands_out(fast: Group, kind: str, m: int) -> None:
    for case in (SHUFFLES[kind](fast, m), SHUFFLES[kind](fast, m, permutation=range(m))):
        eye = Distinguisher(case, case.prove())
        assert eye.telling() == {}
        assert eye.pairings() == set()


@pytest.mark.sample(cases=1)
@kinds
def test_no_permutation_of_six_cards_stands_out(native: Group, kind: str) -> None:
    case = SHUFFLES[kind](native, 6)
    assert Distinguisher(case, case.prove()).telling() == {}


BARE = ["r_A", "r_B", "r_e", "s_0", "s_1", "e", "delta"]


@kinds
@pytest.mark.parametrize("bare", BARE)
def test_the_distinguisher_sees_each_randomness_that_is_left_out(fast: Group, kind: str, bare: str) -> None:
    """Each blinding of the argument is needed: without it the proof verifies, and shows the permutation."""
    case = SHUFFLES[kind](fast, 3)
    proof = oracle.craft(case, bare=frozenset([bare]))
    assert case.accepts(proof)
    telling = Distinguisher(case, proof).telling()
    # δ_2 = 0 shows d_1·d_2 and so the last card only; all others show the whole order.
    shown = set.intersection(*telling.values())
    assert {order[2] for order in shown} == {case.permutation[2]} if bare == "delta" else shown == {case.permutation}


@pytest.mark.parametrize("make", [pairs, addmask])
def test_the_distinguisher_sees_an_unmasked_row(fast: Group, make: object) -> None:
    case: Shuffled = make(fast, 3)  # type: ignore[operator]
    proof = oracle.craft(case, bare=frozenset(["k0"]))
    assert case.accepts(proof)
    assert Distinguisher(case, proof).telling()["U_out by e"] == {case.permutation}


def test_publishing_the_common_sum_singles_the_permutation_out(fast: Group) -> None:
    """A variant of the scalar relation that publishes s·ΣD_i·in."""
    case = scalar(fast, 4)
    proof = case.prove()
    assert case.s is not None
    published = case.s * vartime_msm(oracle.opened(case.relation, proof).D, case.public["inputs"])
    assert Distinguisher(case, proof, [published]).telling()["outputs by d"] == {case.permutation}
    # The value is not in a real proof, nor is a multiple of it by a challenge.
    assert published.to_bytes() not in proof


@pytest.mark.parametrize("m", [3, 4])
def test_an_opened_offset_shows_no_permutation(fast: Group, m: int) -> None:
    """`revealOffset` opens x and t. Then everybody can take the offset off again, and sees r times the input deck."""
    case = offset(fast, m)
    assert case.s is not None
    x, t, p = case.s[1], case.s[2], case.public
    H = commitment_key(fast, m)[m]
    taken_off = p["A_out"] - x * p["B_out"]
    known = [x * p["R"], t * H, x * fast.G, x * p["B"], x * p["B_out"], p["A"] + x * p["B"], taken_off]
    o = oracle.opened(case.relation, case.prove())
    known += [vartime_msm(o.d_hat, taken_off), x * vartime_msm(o.D, p["B"]), taken_off.sum()]
    assert Distinguisher(case, case.prove(), known).telling() == {}


@pytest.mark.parametrize("secret", [1, 2])
def test_an_unmasked_secret_of_offset_shows_itself(fast: Group, secret: int) -> None:
    """w bare gives the offset away before it is due, t bare gives w·G away. (With r bare E_3 is the identity, and the
    proof does not decode.)"""
    case = offset(fast, 3)
    proof = oracle.craft(case, bare=frozenset([f"k{secret}"]))
    o, H = oracle.opened(case.relation, proof), commitment_key(fast, 3)[3]
    r, w, t = (hat * o.x.invert() for hat in o.secrets)
    shown = [r * fast.G == case.public["R"], w * fast.G + case.s[2] * H == case.public["W"], t == case.s[2]]  # type: ignore[index]
    assert shown == [index == secret for index in range(3)]


def test_publishing_the_masks_pairs_every_card(fast: Group) -> None:
    """A12: a "proof" that shows ρ·G for every card."""
    case = pairs(fast, 4)
    assert case.masks is not None
    seen = Distinguisher(case, case.prove(), [case.masks * fast.G]).pairings()
    assert {(j, i) for name, j, i in seen if name == "U_out"} == set(enumerate(case.permutation))


# --- The simulator ---


def false_statement(case: Shuffled) -> Relation:
    name = OUTPUTS[case.name][0]
    return case.with_public(**{name: put(case.public[name], 0, points(case.group, "no card of this deck"))})


@kinds
@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_simulator_needs_no_witness(group: Group, kind: str, m: int) -> None:
    """With x programmed a proof of anything, even of a false statement, satisfies every equation."""
    case = SHUFFLES[kind](group, m)
    x = scalars(group, "programmed x")
    for relation in (case.relation, false_statement(case)):
        proof = oracle.simulate(relation, "simulator", x)
        assert accepted(lambda: shuffle.check(oracle.programmed({"x": x}), relation, proof))
        assert not accepted(lambda: shuffle.check(CONTEXT.transcript(), relation, proof))
        assert len(proof) == len(case.prove())


@kinds
def test_simulated_and_real_proofs_look_alike(fast: Group, kind: str) -> None:
    """Bytes of responses and commitments over many proofs, by chi-square against uniform bits of each kind.

    Only the low byte of each element is counted: the top ones are bounded by the order and the field."""
    case = SHUFFLES[kind](fast, 2)
    rounds = 120 if fast.backend == "native" else 24
    x = scalars(fast, "programmed x")
    makers: list[Callable[[str], bytes]] = [
        lambda seed: case.prove(CONTEXT, seed),
        lambda seed: oracle.simulate(case.relation, seed, x),
    ]
    for make in makers:
        counts = [0] * 16
        total = 0
        for index in range(rounds):
            proof = make(f"look alike {index}")
            boundary = 1 + 32 * (5 + case.relation.row_count)
            for at in range(boundary, len(proof), 32):
                counts[proof[at] % 16] += 1
                total += 1
        chi = sum((count - total / 16) ** 2 / (total / 16) for count in counts)
        assert chi < 45  # 15 degrees of freedom: once in 10,000.


# --- Nonces ---


@pytest.mark.parametrize("name", CASES)
def test_two_statements_never_share_a_commitment(group: Group, name: str) -> None:
    """One tape, statements that differ in one thing: no commitment point is common."""
    case, other = CASES[name](group, 3), CASES[name](group, 3, seed="other")
    proofs = [case.prove(), other.prove()]
    for field, array in case.public.items():
        proofs.append(case.prove(**{field: put(array, len(array) - 1, points(group, "something else"))}))
    proofs += [case.prove(context) for context in OTHER_CONTEXTS.values()]
    seen = [point for proof in proofs for point in commitments(case, proof)]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("name", CASES)
def test_one_statement_gives_the_same_bytes_twice(group: Group, name: str) -> None:
    assert CASES[name](group, 3).prove() == CASES[name](group, 3).prove()


def test_what_a_shared_nonce_gives_away(group: Group) -> None:
    """A29: two challenges on one nonce, and the key is a quotient of differences."""
    z, k = scalars(group, "key"), scalars(group, "nonce")
    c = scalars(group, "challenges", 2)
    r = c * z + k
    quotient: Scalars = (r[0] - r[1]) * (c[0] - c[1]).invert()
    assert quotient == z
