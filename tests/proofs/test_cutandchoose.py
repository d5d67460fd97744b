"""The oracle for the shuffle argument: cut-and-choose says the same of every statement, and its own two traps."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from nodealer.errors import Malformed, ProofRejected
from nodealer.group import Group, Points, Scalars, concat
from nodealer.group.order import order_of
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import OneOffset, OneScalar
from sampling import times

from . import cutandchoose as cc
from .statements import (
    CONTEXT,
    INPUTS,
    OTHER_CONTEXTS,
    OUTPUTS,
    SHUFFLES,
    accepted,
    points,
    put,
    scalar,
    scalars,
    swapped,
    tape,
)

pytestmark = pytest.mark.sample(reference=1)

kinds = pytest.mark.parametrize("kind", SHUFFLES)


@kinds
def test_steps_form_a_group(group: Group, kind: str) -> None:
    """(g then h) acts as g and then h; g and its inverse cancel."""
    case, other = SHUFFLES[kind](group, 3), SHUFFLES[kind](group, 3, seed="other")
    g, h = cc.witness(case), cc.witness(other)
    start, end = cc.ends(case.relation)
    assert g.apply(start) == end
    assert g.then(h).apply(start) == h.apply(end)
    assert g.inverse().apply(end) == start
    assert g.then(h).then(h.inverse()).apply(start) == end


@kinds
def test_full_number_of_rounds(fast: Group, kind: str) -> None:
    m = 5 if fast.backend == "native" else 2
    case = SHUFFLES[kind](fast, m)
    proof = cc.prove(CONTEXT, tape("shadows"), case.relation, cc.witness(case))
    assert len(proof.shadows) == 128
    cc.verify(CONTEXT, case.relation, proof)
    for context in OTHER_CONTEXTS.values():
        assert not cc.accepted(lambda: cc.verify(context, case.relation, proof))


@kinds
def test_both_proofs_give_one_verdict(fast: Group, kind: str) -> None:
    """Statements that the prover's witness fits or does not, each proven both ways with that witness. 24 rounds."""
    m, rounds = 4, 24
    trials = times(4, deep=12) if fast.backend == "native" else 2
    verdicts = set()
    for trial in range(trials):
        case = SHUFFLES[kind](fast, m, seed=f"oracle {trial}")
        i, j = trial % m, (trial + 1 + trial // m) % m
        j = (j + 1) % m if i == j else j
        deck, left = OUTPUTS[kind][-1], INPUTS[kind][0]
        out = case.public[deck]
        statements: list[tuple[bool, dict[str, Points]]] = [
            (True, {}),
            (False, {deck: put(out, i, points(fast, f"replaced {trial}"))}),
            (False, {deck: put(out, i, out[j] + points(fast, "differs"))}),
            (False, {deck: swapped(out, i, j)}),
            (False, {deck: put(out, i, scalars(fast, "factor") * out[i])}),
            (False, {left: put(case.public[left], i, points(fast, "another input"))}),
        ]
        for key in ("S", "R", "W"):
            if key in case.public:
                statements.append((False, {key: case.public[key] + fast.G}))
        for fits, changed in statements:
            relation = case.with_public(**changed)
            argument = case.accepts(case.prove(**changed), **changed)
            shadows = cc.prove(CONTEXT, tape(f"{trial}"), relation, cc.witness(case), rounds)
            oracle = cc.accepted(lambda: cc.verify(CONTEXT, relation, shadows, rounds=rounds))
            assert argument == oracle == fits
            verdicts.add(fits)
    assert verdicts == {True, False}


@kinds
def test_every_permutation_of_three_cards_both_ways(fast: Group, kind: str) -> None:
    """A prover that claims any permutation is believed for its own only, by both."""
    rounds = 16
    for order, claimed in itertools.product(itertools.permutations(range(3)), repeat=2):
        case = SHUFFLES[kind](fast, 3, permutation=order)
        liar = replace(case, permutation=claimed)
        relation = case.relation
        proof = shuffle.prove(CONTEXT.transcript(), tape("liar"), relation, order_of(claimed), case.secrets)
        shadows = cc.prove(CONTEXT, tape("liar"), relation, cc.witness(liar), rounds)
        oracle = cc.accepted(lambda: cc.verify(CONTEXT, relation, shadows, rounds=rounds))
        assert case.accepts(proof) == oracle == (order == claimed)


def test_a_deck_of_aces_passes_without_the_bijection_check(group: Group) -> None:
    """A10: every opened map sends all places to the first card."""
    m, rounds = 3, 16
    s, aces = scalars(group, "s"), (0,) * m
    inputs = points(group, "inputs", m)
    relation = OneScalar(s * group.G, inputs, s * inputs.take(aces))
    start, _ = cc.ends(relation)
    t = scalars(group, "shadow factors", rounds)
    hidden = [cc.ScalarStep(aces, t[index]) for index in range(rounds)]
    shadows = tuple(step.apply(start) for step in hidden)
    bits = cc._bits(CONTEXT.transcript(), relation, shadows)
    assert set(bits) == {0, 1}
    straight = tuple(range(m))
    openings = tuple(
        cc.ScalarStep(straight, s * t[index].invert()) if bit else hidden[index] for index, bit in enumerate(bits)
    )
    proof = cc.Proof(shadows, openings)
    cc.verify(CONTEXT, relation, proof, rounds=rounds, bijection=False)
    with pytest.raises(Malformed, match="no bijection"):
        cc.verify(CONTEXT, relation, proof, rounds=rounds)


def test_a_deck_of_identities_passes_without_the_zero_check(group: Group) -> None:
    """A11: the factor zero, in every branch."""
    m, rounds = 3, 16
    inputs = points(group, "inputs", m)
    relation = OneScalar(group.identity(1), inputs, group.identity(m))
    nothing = cc.ScalarStep(tuple(range(m)), group.integers([0]))
    shadows = (nothing.apply(cc.ends(relation)[0]),) * rounds
    proof = cc.Proof(shadows, (nothing,) * rounds)
    cc.verify(CONTEXT, relation, proof, rounds=rounds, zero=False)
    with pytest.raises(Malformed, match="zero"):
        cc.verify(CONTEXT, relation, proof, rounds=rounds)
    # The argument refuses the statement before it looks at a proof.
    with pytest.raises(Malformed, match="identity"):
        relation.refuse_malformed()


def test_few_rounds_are_guessed_and_many_are_not(group: Group) -> None:
    """A20: a cheater who may choose shadows until the bits suit it needs 2^rounds tries: two rounds fall, 16 do not."""
    m = 2
    case = scalar(group, m)
    false = case.with_public(outputs=put(case.public["outputs"], 0, points(group, "no card")))

    def attempt(rounds: int, seed: int) -> bool:
        # Guess every bit to be 0: shadows honestly made from the start, all to be opened there.
        hidden = [cc.random_step(false, tape(f"guess {seed}"), index) for index in range(rounds)]
        proof = cc.prove_with(CONTEXT, false, cc.witness(case), hidden)
        return cc.accepted(lambda: cc.verify(CONTEXT, false, proof, rounds=rounds))

    assert any(attempt(2, seed) for seed in range(32))
    assert not any(attempt(16, seed) for seed in range(8))


def test_the_number_of_rounds_and_the_shadows_are_bound(fast: Group) -> None:
    case = scalar(fast, 2)
    proof = cc.prove(CONTEXT, tape("bound"), case.relation, cc.witness(case), 16)
    cc.verify(CONTEXT, case.relation, proof, rounds=16)
    with pytest.raises(Malformed, match="shadows"):
        cc.verify(CONTEXT, case.relation, proof)
    # A shadow exchanged for another of the same deck moves all the bits.
    key, cards = proof.shadows[0]
    other = (concat(key), -cards)
    with pytest.raises(ProofRejected):
        cc.verify(CONTEXT, case.relation, replace(proof, shadows=(other, *proof.shadows[1:])), rounds=16)


# --- The step of source 000: an r for each card ---


class Whole:
    """A whole `offset` step on a start deck with known key logarithms, in both forms: ours in two stages, with ρ in
    place and then one r, and the source's with an r by output place. They are one map."""

    def __init__(self, group: Group, m: int, seed: str = "", order: list[int] | None = None) -> None:
        drawn = tape(f"order {seed}").permutation("order", b"", m).vartime_list()
        self.group, self.order = group, drawn if order is None else order
        self.A, self.B = points(group, f"A {seed}", m), points(group, f"B {seed}", m)
        self.rho, rest = scalars(group, f"rho {seed}", m), scalars(group, f"r, x, t {seed}", 3)
        self.r, self.x, self.t = rest[0], rest[1], rest[2]
        self.H = blinding_generator(group)
        self.A_out, self.B_out = self.map(self.order, self.x)

    def map(self, order: list[int], x: Scalars) -> tuple[Points, Points]:
        a, b = (self.rho * self.A).take(order), (self.rho * self.B).take(order)
        return self.r * (a + x * b), self.r * b

    def source(self, **changed: Points) -> cc.SourceOffset:
        X = self.x * self.group.G + self.t * self.H
        true = {"X": X, "A": self.A, "B": self.B, "A_out": self.A_out, "B_out": self.B_out}
        return cc.SourceOffset(**{**true, **changed})

    def step(self) -> cc.SourceStep:
        return cc.SourceStep(tuple(self.order), self.r * self.rho.take(self.order), self.x, self.t)

    def two_stages(self, **changed: Points) -> bool:
        """Proven and checked as in the protocol, both proofs on one transcript."""
        A, B = changed.get("A", self.A), changed.get("B", self.B)
        scaled = self.rho * self.A, self.rho * self.B
        w = self.r * self.x
        R, W = self.r * self.group.G, w * self.group.G + self.t * self.H
        each = ManyEqualities(B, scaled[1], A, scaled[0])
        relation = OneOffset(R, W, *scaled, changed.get("A_out", self.A_out), changed.get("B_out", self.B_out))
        prover, verifier = CONTEXT.transcript(), CONTEXT.transcript()
        first = equality.prove_many_equalities(prover, tape("x"), each, self.rho)
        second = shuffle.prove(prover, tape("x"), relation, order_of(self.order), lambda b: concat(self.r, w, self.t))
        checks: list[Check] = []

        def check() -> Check:
            checks.append(equality.check_many_equalities(verifier, each, first))
            checks.append(shuffle.check(verifier, relation, second))
            return checks[0]

        return accepted(check) and accepted(lambda: checks[1])


def test_the_source_steps_form_a_group_with_the_law_of_the_page(group: Group) -> None:
    g, h = Whole(group, 4).step(), Whole(group, 4, seed="other").step()
    case = Whole(group, 4)
    start, end = cc.ends(case.source())
    assert g.apply(start) == end
    assert g.then(h).apply(start) == h.apply(end)
    assert g.inverse().apply(end) == start
    assert h.inverse().inverse() == h
    both = g.then(h)
    assert list(both.order) == [g.order[h.order[j]] for j in range(4)]
    assert all(both.r[j] == h.r[j] * g.r[h.order[j]] for j in range(4))
    assert both.x == g.x + h.x
    # r by input place is another law: with it the two maps do not compose.
    wrong = replace(both, r=g.r * h.r)
    assert wrong.apply(start) != h.apply(end)


def test_two_stages_and_the_source_step_give_one_verdict(fast: Group) -> None:
    m, rounds = 3, 24
    verdicts = set()
    for trial in range(6 if fast.backend == "native" else 1):
        case = Whole(fast, m, seed=f"{trial}")
        i, j = trial % m, (trial + 1) % m
        other = case.map([*case.order[:i], case.order[j], *case.order[i + 1 :]], case.x)
        another_offset = case.map(case.order, case.x + fast.integers([1]))
        foreign = scalars(fast, "known to the cheater")
        doubled = {"A_out": other[0], "B_out": put(other[1], i, foreign * other[1][i])}
        doubled["A_out"] = put(doubled["A_out"], i, foreign * other[0][i])
        pair = {"A_out": put(case.A_out, i, foreign * case.B_out[i])}
        for fits, changed in (
            (True, dict[str, Points]()),
            (False, doubled),
            (False, pair),
            (False, {"A_out": another_offset[0]}),
            (False, {"A_out": swapped(case.A_out, i, j)}),
            (False, {"B_out": put(case.B_out, i, fast.G)}),
            (False, {"A": put(case.A, i, foreign * case.B[i])}),
        ):
            proof = cc.prove(CONTEXT, tape(f"{trial}"), case.source(**changed), case.step(), rounds)
            oracle = cc.accepted(lambda: cc.verify(CONTEXT, case.source(**changed), proof, rounds=rounds))
            assert case.two_stages(**changed) == oracle == fits, changed.keys()
            verdicts.add(fits)
    assert verdicts == {True, False}


def test_the_source_step_in_128_rounds(fast: Group) -> None:
    case = Whole(fast, 4 if fast.backend == "native" else 2)
    proof = cc.prove(CONTEXT, tape("shadows"), case.source(), case.step())
    cc.verify(CONTEXT, case.source(), proof)
    # X for another offset, or the deck for another one.
    X = case.source().X
    for changed in ({"X": X + fast.G}, {"X": X + case.H}, {"A_out": case.map(case.order, -case.x)[0]}):
        assert not cc.accepted(lambda: cc.verify(CONTEXT, case.source(**changed), proof))
        again = cc.prove(CONTEXT, tape("shadows"), case.source(**changed), case.step())
        assert not cc.accepted(lambda: cc.verify(CONTEXT, case.source(**changed), again))


def test_offset_shadows_refuse_what_is_no_element_of_the_group(group: Group) -> None:
    """A10 and A11 on the source's step: a deck of one pair, and a deck of identities."""
    m, rounds = 3, 16
    case = Whole(group, m)
    aces = (0,) * m
    start, _ = cc.ends(case.source())
    step = replace(case.step(), order=aces)
    _, A_out, B_out = step.apply(start)
    false = case.source(A_out=A_out, B_out=B_out)
    hidden = [replace(cc.random_step(false, tape("aces"), index), order=aces) for index in range(rounds)]  # type: ignore[type-var]
    shadows = tuple(h.apply(start) for h in hidden)
    bits = cc._bits(CONTEXT.transcript(), false, shadows)
    assert set(bits) == {0, 1}
    straight = tuple(range(m))
    openings = tuple(
        cc.SourceStep(straight, step.r * h.r.invert(), step.x - h.x, step.t - h.t) if bit else h  # type: ignore[attr-defined]
        for h, bit in zip(hidden, bits, strict=True)
    )
    cc.verify(CONTEXT, false, cc.Proof(shadows, openings), rounds=rounds, bijection=False)
    with pytest.raises(Malformed, match="no bijection"):
        cc.verify(CONTEXT, false, cc.Proof(shadows, openings), rounds=rounds)
    zero = cc.SourceStep(straight, group.integers([0] * m), group.integers([0]), group.integers([0]))
    nothing = case.source(X=group.identity(1), A_out=group.identity(m), B_out=group.identity(m))
    proof = cc.Proof((zero.apply(start),) * rounds, (zero,) * rounds)
    cc.verify(CONTEXT, nothing, proof, rounds=rounds, zero=False)
    with pytest.raises(Malformed, match="zero"):
        cc.verify(CONTEXT, nothing, proof, rounds=rounds)


def test_both_branches_of_a_shadow_give_the_step_away(fast: Group) -> None:
    """Why a restarted prover must say the same again: two openings of one shadow compose to the secret step."""
    case = Whole(fast, 3)
    hidden = cc.random_step(case.source(), tape("shadow"), 0)
    other = hidden.inverse().then(case.step())
    found = hidden.then(other)
    assert isinstance(found, cc.SourceStep) and found == case.step()
    # A proof opens each of its shadows once, and from one tape always the same way.
    one, two = (cc.prove(CONTEXT, tape("again"), case.source(), case.step(), 16) for _ in range(2))
    assert one == two
    for shadow, opening in zip(one.shadows, one.openings, strict=True):
        start, end = cc.ends(case.source())
        assert (opening.apply(start) == shadow) != (opening.apply(shadow) == end)
