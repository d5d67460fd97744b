"""Equations, weights, batches and blame."""

from __future__ import annotations

import pytest

from nodealer.errors import BadParameter, NodealerError, ProofRejected
from nodealer.group import Group, Scalars
from nodealer.group import group as make_group
from nodealer.proofs import checks as checking
from nodealer.proofs import equality, labels
from nodealer.proofs.checks import (
    ENTROPY_BYTES,
    WEIGHT_BYTES,
    Check,
    Entropy,
    Equation,
    digest_of,
    holds_without_entropy,
    settle,
    weighted_terms,
    weights_from_bytes,
    weights_of,
)
from nodealer_lab.terms import terms_of

from . import oracle
from .statements import (
    CASES,
    CONTEXT,
    OTHER_CONTEXTS,
    a_secret_each,
    accepted,
    entropy,
    knowledge,
    one_secret,
    pairs,
    points,
    put,
    scalars,
    tape,
)

pytestmark = pytest.mark.sample(reference=1)


def dead(size: int) -> bytes:
    """A source of entropy that gives nothing."""
    return bytes(size)


def weights(group: Group, rows: int) -> Scalars:
    """Weights that everybody knows: what a verifier would use that takes them from its source alone."""
    return weights_from_bytes(group, bytes(1 + at % 251 for at in range(WEIGHT_BYTES * rows)))


def add_up(checks: list[Check], known: Scalars) -> bool:
    """Whether checks add up to nothing under weights that were known before."""
    return known.group.vartime_sum(weighted_terms(checks, known)).first_identity() is not None


def rows_of(*checks: Check) -> int:
    return sum(equation.rows for check in checks for equation in check.equations)


# --- Batches ---


def test_nothing_is_owed() -> None:
    settle([], entropy("nothing"))


def test_all_kinds_in_one_batch(group: Group) -> None:
    cases = [make(group, 3) for make in CASES.values()]
    settle([case.check(case.prove()) for case in cases], entropy("all"))


@pytest.mark.parametrize("bad", range(len(CASES)))
def test_the_bad_one_is_named(group: Group, bad: int) -> None:
    checks = []
    for index, make in enumerate(CASES.values()):
        case = make(group, 2)
        context = OTHER_CONTEXTS["seat"] if index == bad else CONTEXT
        checks.append(case.check(case.prove(), context))
    with pytest.raises(ProofRejected) as caught:
        settle(checks, entropy("blame"))
    assert caught.value.seat == OTHER_CONTEXTS["seat"].seat
    assert caught.value.check == checks[bad].name


def test_the_first_of_two_bad_ones_is_named_with_its_entry(group: Group) -> None:
    case = knowledge(group, 1)
    good = case.check(case.prove())
    bad = [case.check(case.prove(), OTHER_CONTEXTS[name]) for name in ("seat", "hand")]
    numbered = [Check(check.seat, check.name, check.equations, 10 + index) for index, check in enumerate([good, *bad])]
    with pytest.raises(ProofRejected) as caught:
        settle(numbered, entropy("first"))
    assert (caught.value.seat, caught.value.entry) == (OTHER_CONTEXTS["seat"].seat, 11)


def test_fresh_weights_for_every_sum(group: Group) -> None:
    """Asked for once a sum: first the batch, then each alone."""
    asked: list[int] = []
    source = entropy("counted")

    def counting(size: int) -> bytes:
        asked.append(size)
        return source(size)

    case = a_secret_each(group, 3)
    good, bad = case.check(case.prove()), case.check(case.prove(), OTHER_CONTEXTS["hand"])
    settle([good, good], counting)
    assert asked == [ENTROPY_BYTES]
    with pytest.raises(ProofRejected):
        settle([good, bad], counting)
    assert asked[1:] == [ENTROPY_BYTES] * 3


@pytest.mark.parametrize("short", [0, 1, 31, 33, 1000])
def test_a_source_that_gives_too_little_or_too_much(group: Group, short: int) -> None:
    case = knowledge(group, 1)
    with pytest.raises(BadParameter, match="source of entropy"):
        settle([case.check(case.prove())], lambda size: bytes(short))


def test_lengths_in_equations(group: Group) -> None:
    P, a = points(group, "P", 3), scalars(group, "a", 3)
    with pytest.raises(BadParameter, match="3 scalars for 1 points"):
        Equation.sum((a, P[0]))
    with pytest.raises(BadParameter, match="1 scalars for 3 points"):
        Equation.sum((a[0], P))
    for term in ((a[:2], P), (a, P[:2]), (a[:2], P[0])):
        with pytest.raises(BadParameter, match="in 3 equations"):
            Equation.each((a, P), term)


def test_an_array_named_twice_enters_once(group: Group) -> None:
    """In one equation, in two, as a whole and row by row."""
    P, a = points(group, "P", 3), scalars(group, "a", 3)
    check = Check(
        0, "x", (Equation.sum((a, P), (-a, P)), Equation.sum((a, P), (-a, P)), Equation.each((a, P), (-a, P)))
    )
    assert [len(bases) for _, bases in terms_of([check], entropy("x"))] == [3]
    settle([check, check], entropy("x"))


def test_folding_is_the_weighted_sum_of_all_rows(group: Group) -> None:
    """What is summed against a computation that knows nothing of arrays, on false equations."""
    P, Q, a, b = points(group, "P", 2), points(group, "Q"), scalars(group, "a", 2), scalars(group, "b")
    check = Check(0, "x", (Equation.sum((a, P), (b, Q)), Equation.each((a, P), (b, Q), (a, Q), (b, P))))
    w = weights(group, 3)
    expected = w[0] * (a[0] * P[0] + a[1] * P[1] + b * Q)
    for row in range(2):
        expected = expected + w[1 + row] * (a[row] * P[row] + b * Q + a[row] * Q + b * P[row])
    assert group.vartime_sum(weighted_terms([check], w)) == expected


# --- A16: errors that cancel ---


def test_two_false_proofs_cancel_under_known_weights_and_not_under_real_ones(group: Group) -> None:
    """A false equality whose error is a known multiple of G, and a proof of knowledge whose response takes it up."""
    z, other = scalars(group, "z"), scalars(group, "logarithm of the false key")
    bases = points(group, "bases", 2)
    Z, images = other * group.G, z * bases
    proof = equality.prove_equality(CONTEXT.transcript(), tape("x"), Z, bases, images, z)
    false = equality.check_equality(CONTEXT.transcript(), Z, bases, images, proof)
    c = oracle.challenges_of(lambda t: equality.check_equality(t, Z, bases, images, proof))[labels.CHALLENGE]
    # Row 0 of the batch is off by −c·(z − other)·G; row 2 is the proof of knowledge.
    w = weights(group, 3)
    case = knowledge(group, 1)
    honest = case.prove(OTHER_CONTEXTS["seat"])
    response = group.scalars(honest[-32:]) - w[0] * w[2].invert() * c * (z - other)
    helper = case.check(honest[:-32] + response.to_bytes(), OTHER_CONTEXTS["seat"])
    assert rows_of(false, helper) == 3
    assert add_up([false, helper], w)
    for check in (false, helper):
        assert not accepted(lambda: check)
    with pytest.raises(ProofRejected):
        settle([false, helper], dead)
    with pytest.raises(ProofRejected) as caught:
        settle([false, helper], entropy("real"))
    assert caught.value.seat == CONTEXT.seat


def test_a_false_shuffle_hides_behind_another_proof_under_known_weights(group: Group) -> None:
    """The second half of a card is moved by a known multiple of G: row 2 is off by x·d_1·Δ·G, and nothing else is."""
    case = pairs(group, 3)
    Delta = scalars(group, "Delta")
    W = case.public["W_out"]
    false = case.with_public(W_out=put(W, 0, W[0] + Delta * group.G))
    seen: dict[str, Scalars] = {}
    proof = oracle.craft(case, relation=false, seen=seen)  # type: ignore[arg-type]
    check = case.check(proof, W_out=false.statement[-1])
    w = weights(group, 5)
    keys = knowledge(group, 1)
    honest = keys.prove()
    response = group.scalars(honest[-32:]) - w[3] * w[4].invert() * seen["x"] * seen["d"][0] * Delta
    helper = keys.check(honest[:-32] + response.to_bytes())
    assert rows_of(check, helper) == 5
    assert add_up([check, helper], w)
    for source in (entropy("real"), entropy("another"), dead):
        with pytest.raises(ProofRejected, match="shuffle proof"):
            settle([check, helper], source)


def test_errors_that_cancel_within_one_check(group: Group) -> None:
    """Two keys shifted against each other in the ratio of the weights, with challenges that stand still."""
    case = knowledge(group, 2)
    proof = case.prove()
    frozen = oracle.challenges_of(lambda t: case.checker(t, case.public, proof))
    w = weights(group, 2)
    P, keys = points(group, "error"), case.public["keys"]
    shifted = put(put(keys, 0, keys[0] + w[1] * P), 1, keys[1] - w[0] * P)
    check = case.checker(oracle.programmed(frozen), {"keys": shifted}, proof)
    assert add_up([check], w)
    assert not accepted(lambda: check)
    with pytest.raises(ProofRejected):
        settle([check], dead)


def test_equal_weights_do_not_come_from_a_dead_source(group: Group) -> None:
    """Two responses off by the same in opposite directions: with one weight for all rows they would cancel."""
    one, shift = knowledge(group, 1), scalars(group, "shift")
    proof = one.prove()
    response = group.scalars(proof[-32:])
    false = [one.check(proof[:-32] + (response + by).to_bytes()) for by in (shift, -shift)]
    assert add_up(false, group.integers([1, 1]))
    for source in (dead, lambda size: b"\1" * size, entropy("real")):
        with pytest.raises(ProofRejected):
            settle(false, source)
    # A source that repeats itself still gives other weights for other checks.
    good = [case.check(case.prove()) for case in (one, knowledge(group, 2))]
    assert weights_of(good[:1], dead).to_bytes() != weights_of(false[:1], dead).to_bytes()
    assert weights_of(good[:1], dead).to_bytes() == weights_of(good[:1], dead).to_bytes()


def test_weights_depend_on_everything_that_is_checked(group: Group) -> None:
    """A scalar, a point, a seat, a name, the shape and the order: each changes what the weights are hashed from."""
    a, b, P, Q = scalars(group, "a", 2), scalars(group, "b", 2), points(group, "P", 2), points(group, "Q", 2)
    plain = Check(0, "x", (Equation.sum((a, P), (b, Q)),))
    others = [
        Check(1, "x", plain.equations),
        Check(0, "y", plain.equations),
        Check(0, "x", (Equation.sum((b, P), (b, Q)),)),
        Check(0, "x", (Equation.sum((a, P), (a, Q)),)),
        Check(0, "x", (Equation.sum((a, Q), (b, Q)),)),
        Check(0, "x", (Equation.sum((a, P), (b, P)),)),
        Check(0, "x", (Equation.sum((a, P)), Equation.sum((b, Q)))),
        Check(0, "x", (Equation.each((a, P), (b, Q)),)),
    ]
    digests = [digest_of([check]) for check in (plain, *others)]
    assert len(set(digests)) == len(digests)
    assert digest_of([plain, others[0]]) != digest_of([others[0], plain])
    assert digest_of([plain]) == digest_of([Check(0, "x", plain.equations, 7)])


def test_no_weight_is_zero(group: Group) -> None:
    raw = bytes(WEIGHT_BYTES) + b"\2" * WEIGHT_BYTES + bytes(WEIGHT_BYTES)
    read = weights_from_bytes(group, raw)
    assert read.first_zero() is None and len(read) == 3
    assert read[1] == weights_from_bytes(group, b"\2" * WEIGHT_BYTES)


def test_a_verdict_that_cannot_wait_needs_no_entropy(group: Group) -> None:
    case = one_secret(group, 2)
    assert holds_without_entropy(case.check(case.prove()))
    assert not holds_without_entropy(case.check(case.prove(), OTHER_CONTEXTS["epoch"]))


def test_a_batch_that_fails_without_a_false_check_blames_nobody(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be; if it were, the caller is told, and no seat is named."""
    case = knowledge(group, 1)
    check = case.check(case.prove())
    holds = checking._holds
    monkeypatch.setattr(checking, "_holds", lambda checks, source: len(checks) == 1 and holds(checks, source))
    with pytest.raises(BadParameter, match="each of its checks holds alone"):
        settle([check, check], entropy("x"))


def test_checks_of_two_backends_do_not_mix(native: Group) -> None:
    reference = make_group(backend="reference")
    checks = [case.check(case.prove()) for case in (knowledge(native, 1), knowledge(reference, 1))]
    with pytest.raises(NodealerError):
        settle(checks, entropy("mixed"))


def test_random_sources_agree(group: Group) -> None:
    """The verdict does not depend on the weights."""
    case = one_secret(group, 2)
    good, bad = case.check(case.prove()), case.check(case.prove(), OTHER_CONTEXTS["epoch"])
    for seed in range(10):
        source: Entropy = entropy(f"agree {seed}")
        settle([good], source)
        with pytest.raises(ProofRejected):
            settle([good, bad], source)
