"""The proofs know nothing of the group they run on: all of them on secp256k1, whose points are 33 bytes."""

from __future__ import annotations

import pytest

from backends import HAS_NATIVE
from nodealer.errors import Malformed, ProofRejected
from nodealer.group import Group
from nodealer.group import group as make_group
from nodealer.proofs.checks import settle

from . import oracle
from .statements import CASES, Shuffled, entropy, points, put, scalar, swapped, tape


@pytest.fixture(params=["reference", "native"])
def group(request: pytest.FixtureRequest) -> Group:
    if request.param == "native" and not HAS_NATIVE:
        pytest.skip("the native core is not built")
    return make_group("secp256k1", request.param)


@pytest.mark.parametrize("m", [2, 5])
def test_a_scalar_shuffle_verifies_and_a_tampered_one_does_not(group: Group, m: int) -> None:
    case = scalar(group, m)
    proof = case.prove()
    settle([case.check(proof)], entropy("secp256k1"))
    assert all(oracle.equations(case.relation, oracle.opened(case.relation, proof)))
    assert len(proof) == 1 + 33 * (5 + 2) + 32 * (2 * m + 1)

    outputs, inputs, S = (case.public[name] for name in ("outputs", "inputs", "S"))
    changes = {
        "two outputs swapped": {"outputs": swapped(outputs, 0, 1)},
        "an output doubled": {"outputs": put(outputs, 0, outputs[1])},
        "an output replaced": {"outputs": put(outputs, 1, points(group, "junk"))},
        "an output under another scalar": {"outputs": put(outputs, 0, outputs[0] + outputs[0])},
        "an output negated": {"outputs": put(outputs, 0, -outputs[0])},
        "an input replaced": {"inputs": put(inputs, 0, points(group, "junk"))},
        "another key": {"S": S + group.G},
    }
    for name, changed in changes.items():
        assert not case.accepts(proof, **changed), name
        assert not case.accepts(case.prove(**changed), **changed), name


def test_every_byte_of_the_proof_matters(group: Group) -> None:
    case = scalar(group, 2)
    proof = case.prove()
    step = 1 if group.backend == "native" else 23
    for place in range(0, len(proof), step):
        changed = bytearray(proof)
        changed[place] ^= 1
        with pytest.raises((Malformed, ProofRejected)):
            settle([case.check(bytes(changed))], entropy("bytes"))


@pytest.mark.parametrize("kind", CASES)
def test_every_kind_of_proof(group: Group, kind: str) -> None:
    case = CASES[kind](group, 3)
    proof = case.prove()
    settle([case.check(proof)], entropy(kind))
    for name, array in case.public.items():
        assert not case.accepts(proof, **{name: put(array, 0, array[0] + group.G)}), name


def test_both_backends_make_the_same_proof() -> None:
    if not HAS_NATIVE:
        pytest.skip("the native core is not built")
    proofs = {scalar(make_group("secp256k1", backend), 4).prove() for backend in ("reference", "native")}
    assert len(proofs) == 1


def test_a_deck() -> None:
    if not HAS_NATIVE:
        pytest.skip("the native core is not built")
    case: Shuffled = scalar(make_group("secp256k1", "native"), 52)
    proof = case.prove()
    settle([case.check(proof)], entropy("deck"))
    assert not case.accepts(proof, outputs=case.public["outputs"].take(tape("turn").permutation("turn", b"", 52)))
