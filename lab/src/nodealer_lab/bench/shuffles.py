"""Shuffles to measure: for each relation, how to create a deck, shuffle and prove it, and verify it from bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from nodealer.group import Group, Points, concat, hash_to_points
from nodealer.proofs import checks, shuffle
from nodealer.proofs.relations import AddMask, OneScalar, Remask
from nodealer.proofs.shuffle import Relation
from nodealer.proofs.transcript import Context, draw_scalars
from nodealer.tape import Tape

CONTEXT: Final = Context("bench", 0, bytes(32), bytes(32), 0, 0, 0, "shuffle", 0, bytes(32))
_DST: Final = b"nodealer/bench"


@dataclass(frozen=True)
class Position:
    """A deck between two shuffles, with the joint key it is masked under."""

    key: Points
    deck: tuple[Points, ...]

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.deck[0])


@dataclass(frozen=True)
class Shuffled:
    """A shuffle as the bytes that are sent, and as the decoded statement."""

    relation: Relation
    proof: bytes
    outputs: tuple[bytes, ...]
    after: Position
    #: Builds the statement from decoded outputs. The input deck and the keys are already available.
    received: Callable[..., Relation]


class ShuffleKind(Protocol):
    """A way to shuffle a deck, with its relation."""

    @property
    def name(self) -> str: ...
    @property
    def arrays(self) -> int:
        """The number of point arrays in a deck."""

    def shuffle(self, before: Position, tape: Tape) -> Shuffled:
        """Permute, re-mask and prove."""


def start(group: Group, kind: ShuffleKind, cards: int) -> Position:
    """Create a deck of points with unknown discrete logarithms."""
    key = hash_to_points(group, _DST, [b"key"])
    arrays = range(kind.arrays)
    deck = tuple(hash_to_points(group, _DST, [b"%d %d" % (a, i) for i in range(cards)]) for a in arrays)
    for points in deck:
        points.to_bytes()  # the previous step has already encoded an available deck
    return Position(key, deck)


def _bytes(points: tuple[Points, ...]) -> tuple[bytes, ...]:
    """Return the encoding of each array of points."""
    return tuple(array.to_bytes() for array in points)


class PairsKind:
    """Re-masks the cards under the joint key."""

    name = "pairs"
    arrays = 2

    def shuffle(self, before: Position, tape: Tape) -> Shuffled:
        """Shuffle and re-mask pairs (U, W) under the key K, and prove it."""
        K, (U, W), G = before.key, before.deck, before.key.group.G
        order = tape.permutation("order", b"", before.size)
        rho = draw_scalars(tape, "rho", b"", K.group, before.size)
        outputs = U.take(order) + rho * G, W.take(order) + rho * K
        relation = Remask(K, U, W, *outputs)
        proof = shuffle.prove(CONTEXT.transcript(), tape, relation, order, lambda d: d.dot(rho))
        return Shuffled(relation, proof, _bytes(outputs), Position(K, outputs), partial(Remask, K, U, W))


class AddMaskKind:
    """Adds the shuffler's own key, then re-masks under all keys."""

    name = "addmask"
    arrays = 2

    def shuffle(self, before: Position, tape: Tape) -> Shuffled:
        """Shuffle and re-mask pairs while adding a new secret s to the joint key, and prove it."""
        K, (U, W), G = before.key, before.deck, before.key.group.G
        order = tape.permutation("order", b"", before.size)
        rho = draw_scalars(tape, "rho", b"", K.group, before.size)
        s = draw_scalars(tape, "key", b"", K.group, 1)
        S, u = s * G, U.take(order)
        joint = K + S
        outputs = u + rho * G, W.take(order) + G.group.combine(s, u, rho, joint)
        relation = AddMask(K, S, U, W, *outputs)
        proof = shuffle.prove(CONTEXT.transcript(), tape, relation, order, lambda d: concat(d.dot(rho), s))
        return Shuffled(relation, proof, _bytes(outputs), Position(joint, outputs), partial(AddMask, K, S, U, W))


class ScalarKind:
    """Multiplies every card by one secret."""

    name = "scalar"
    arrays = 1

    def shuffle(self, before: Position, tape: Tape) -> Shuffled:
        """Shuffle points while multiplying all of them by one secret s, and prove it."""
        (inputs,), group = before.deck, before.key.group
        order = tape.permutation("order", b"", before.size)
        s = draw_scalars(tape, "key", b"", group, 1)
        S, outputs = s * group.G, group.products(s, inputs.take(order))
        relation = OneScalar(S, inputs, outputs)
        proof = shuffle.prove(CONTEXT.transcript(), tape, relation, order, lambda d: s)
        after = Position(before.key, (outputs,))
        return Shuffled(relation, proof, _bytes(after.deck), after, partial(OneScalar, S, inputs))


KINDS: Final[tuple[ShuffleKind, ...]] = (PairsKind(), AddMaskKind(), ScalarKind())


def verify(sent: Shuffled) -> None:
    """Decode the output deck and the proof, and settle the check."""
    group = sent.after.key.group
    relation = sent.received(*(group.points(data) for data in sent.outputs))
    checks.settle([shuffle.check(CONTEXT.transcript(), relation, sent.proof)], os.urandom)


def chain(kind: ShuffleKind, first: Position, steps: int) -> list[Shuffled]:
    """Return consecutive shuffles of one deck. The deck between two steps is the same object for both."""
    done: list[Shuffled] = []
    for step in range(steps):
        before = done[-1].after if done else first
        done.append(kind.shuffle(before, Tape(bytes([step]) * 32)))
    return done


def verify_as_one(steps: list[Shuffled]) -> None:
    """Verify a chain in one sum. All decks are already decoded."""
    owed = [shuffle.check(CONTEXT.transcript(), step.relation, step.proof) for step in steps]
    checks.settle(owed, os.urandom)


def verify_each(steps: list[Shuffled]) -> None:
    """Verify the same chain with a sum for each step."""
    for step in steps:
        verify_as_one([step])
