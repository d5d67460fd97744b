"""Self-tests of the proofs: an honest proof is accepted, and a tampered one is rejected."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Final

from nodealer.cli.selftest.expect import expect_refused
from nodealer.errors import ProofRejected
from nodealer.group import Group, hash_to_points
from nodealer.proofs import equality as equalities
from nodealer.proofs import shuffle as shuffles
from nodealer.proofs.checks import Check, settle
from nodealer.proofs.relations import Remask
from nodealer.proofs.transcript import Context, draw_scalars
from nodealer.tape import Tape

CONTEXT: Final = Context("doctor", 0, bytes(32), bytes(32), 0, 0, 0, "selftest", 0, bytes(32))
TAPE: Final = Tape(bytes(range(32)))
CARDS: Final = 5


def _judge(what: str, check: Callable[[bytes], Check], proof: bytes) -> None:
    """Check that a proof is accepted, and that it is rejected after one bit of its last scalar was flipped.

    The flipped proof is still well formed, but false.
    """
    settle([check(proof)], os.urandom)
    lowest = len(proof) - 32
    tampered = proof[:lowest] + bytes([proof[lowest] ^ 1]) + proof[lowest + 1 :]
    expect_refused(f"a false {what}", ProofRejected, lambda: settle([check(tampered)], os.urandom))


def knowledge(group: Group) -> None:
    """Test the proof of knowledge."""
    secrets = draw_scalars(TAPE, "keys", b"", group, 3)
    keys = secrets * group.G
    proof = equalities.prove_knowledge(CONTEXT.transcript(), TAPE, keys, secrets)
    _judge("proof of knowledge", lambda data: equalities.check_knowledge(CONTEXT.transcript(), keys, data), proof)


def equality(group: Group) -> None:
    """Test the proof of equality."""
    z = draw_scalars(TAPE, "key", b"", group, 1)
    bases = hash_to_points(group, b"nodealer/doctor", [bytes([i]) for i in range(CARDS)])
    Z, images = z * group.G, z * bases
    proof = equalities.prove_equality(CONTEXT.transcript(), TAPE, Z, bases, images, z)
    check = partial(equalities.check_equality, Z=Z, bases=bases, images=images)
    _judge("proof of equality", lambda data: check(CONTEXT.transcript(), proof=data), proof)


def shuffle(group: Group) -> None:
    """Test the shuffle proof."""
    K, U, W = (
        hash_to_points(group, b"nodealer/doctor", [name + bytes([i]) for i in range(count)])
        for name, count in ((b"K", 1), (b"U", CARDS), (b"W", CARDS))
    )
    order = TAPE.permutation("order", b"", CARDS)
    rho = draw_scalars(TAPE, "rho", b"", group, CARDS)
    relation = Remask(K, U, W, U.take(order) + rho * group.G, W.take(order) + rho * K)
    proof = shuffles.prove(CONTEXT.transcript(), TAPE, relation, order, lambda b: b.dot(rho))
    _judge("shuffle proof", lambda data: shuffles.check(CONTEXT.transcript(), relation, data), proof)
