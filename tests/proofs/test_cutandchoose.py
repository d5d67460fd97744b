"""The oracle for the shuffle argument: cut-and-choose says the same of every statement, and its own two traps."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from nodealer.errors import Malformed, ProofRejected
from nodealer.group import Group, Points, concat
from nodealer.proofs import shuffle
from nodealer.proofs.relations import OneScalar

from . import cutandchoose as cc
from .statements import (
    CONTEXT,
    INPUTS,
    OTHER_CONTEXTS,
    OUTPUTS,
    SHUFFLES,
    points,
    put,
    scalar,
    scalars,
    swapped,
    tape,
)

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
    trials = 12 if fast.backend == "native" else 2
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
        if "S" in case.public:
            statements.append((False, {"S": case.public["S"] + fast.G}))
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
        proof = shuffle.prove(CONTEXT.transcript(), tape("liar"), relation, claimed, case.secrets)
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
        relation.refuse()


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
