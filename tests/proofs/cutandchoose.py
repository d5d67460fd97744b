"""Cut-and-choose over any shuffle whose steps form a group: slow, large, and so simple that it serves as the oracle.

The prover knows a step g with g(start) = end. It publishes shadows h_k(start) of random steps h_k. For each of them a
bit, hashed from the statement and all shadows, says whether it opens h_k, which leads from the start to the shadow, or
g·h_k⁻¹, which leads from the shadow to the end. Who can answer both knows g. Each round halves the odds of a cheater.

The verifier refuses an opened map that is no bijection and an opened factor that is zero: without the first a deck of
aces passes both branches (A10), without the second a deck of identities does (A11).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nodealer.errors import Malformed, ProofRejected
from nodealer.group import Points, Scalars
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar, Remask
from nodealer.proofs.shuffle import Relation
from nodealer.proofs.transcript import Context, Transcript, draw_scalars
from nodealer.tape import Tape

from .statements import Shuffled

ROUNDS = 128

#: What a step acts on: keys and decks.
State = tuple[Points, ...]


class Step(Protocol):
    """An element of a group that acts on states. `order[j]` is the input place of output j."""

    @property
    def order(self) -> tuple[int, ...]: ...
    def apply(self, state: State) -> State: ...
    def then(self, after: Step) -> Step: ...
    def inverse(self) -> Step: ...
    def has_zero(self) -> bool:
        """Whether a factor is zero, so that this is no element of the group."""


def _after(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(first[place] for place in second)


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    places = [0] * len(order)
    for place, source in enumerate(order):
        places[source] = place
    return tuple(places)


@dataclass(frozen=True)
class MaskStep:
    """(K, U, W) → (K + s·G, U + ρ·G, W + s·U + ρ·(K + s·G)), permuted. With s = 0 this is a step of `pairs`."""

    order: tuple[int, ...]
    rho: Scalars
    s: Scalars

    def apply(self, state: State) -> State:
        K, U, W = state
        G, moved = K.group.G, U.take(self.order)
        joint = K + self.s * G
        return joint, moved + self.rho * G, W.take(self.order) + self.s * moved + self.rho * joint

    def then(self, after: Step) -> MaskStep:
        assert isinstance(after, MaskStep)
        return MaskStep(_after(self.order, after.order), after.rho + self.rho.take(after.order), self.s + after.s)

    def inverse(self) -> MaskStep:
        back = _inverse(self.order)
        return MaskStep(back, -self.rho.take(back), -self.s)

    def has_zero(self) -> bool:
        """Its group is additive: zero is an element like any other."""
        return False


@dataclass(frozen=True)
class ScalarStep:
    """(G, cards) → (s·G, s·cards), the cards permuted."""

    order: tuple[int, ...]
    s: Scalars

    def apply(self, state: State) -> State:
        key, cards = state
        return self.s * key, self.s * cards.take(self.order)

    def then(self, after: Step) -> ScalarStep:
        assert isinstance(after, ScalarStep)
        return ScalarStep(_after(self.order, after.order), self.s * after.s)

    def inverse(self) -> ScalarStep:
        return ScalarStep(_inverse(self.order), self.s.invert())

    def has_zero(self) -> bool:
        return self.s.first_zero() is not None


@dataclass(frozen=True)
class OffsetStep:
    """(R, W, A, B) → (r·R, r·(W + x·R) + t·H, r·(A + x·B), r·B), the pairs permuted: one r, as in the argument.

    From (G, 0, A, B) it leads to R = r·G and W = r·x·G + t·H.
    """

    order: tuple[int, ...]
    r: Scalars
    x: Scalars
    t: Scalars

    def apply(self, state: State) -> State:
        R, W, A, B = state
        a, b, H = A.take(self.order), B.take(self.order), blinding_generator(A.group)
        return self.r * R, self.r * (W + self.x * R) + self.t * H, self.r * (a + self.x * b), self.r * b

    def then(self, after: Step) -> OffsetStep:
        assert isinstance(after, OffsetStep)
        order = _after(self.order, after.order)
        return OffsetStep(order, self.r * after.r, self.x + after.x, after.r * self.t + after.t)

    def inverse(self) -> OffsetStep:
        back = self.r.invert()
        return OffsetStep(_inverse(self.order), back, -self.x, -(back * self.t))

    def has_zero(self) -> bool:
        return self.r.first_zero() is not None


@dataclass(frozen=True)
class SourceStep:
    """A step as source 000 has it, an r for each card: (X, A, B) → (X + x·G + t·H, r·(A + x·B), r·B), permuted.

    r is by output place. First g1 then g2 is π[j] = π1[π2[j]], r[j] = r2[j]·r1[π2[j]], x = x1 + x2.
    """

    order: tuple[int, ...]
    r: Scalars
    x: Scalars
    t: Scalars

    def apply(self, state: State) -> State:
        X, A, B = state
        a, b, H = A.take(self.order), B.take(self.order), blinding_generator(A.group)
        return X + self.x * A.group.G + self.t * H, self.r * (a + self.x * b), self.r * b

    def then(self, after: Step) -> SourceStep:
        assert isinstance(after, SourceStep)
        r = after.r * self.r.take(after.order)
        return SourceStep(_after(self.order, after.order), r, self.x + after.x, self.t + after.t)

    def inverse(self) -> SourceStep:
        back = _inverse(self.order)
        return SourceStep(back, self.r.take(back).invert(), -self.x, -self.t)

    def has_zero(self) -> bool:
        return self.r.first_zero() is not None


@dataclass(frozen=True)
class SourceOffset:
    """The statement of a whole step: X commits to the offset, from (A, B) to (A_out, B_out). No argument of ours."""

    X: Points
    A: Points
    B: Points
    A_out: Points
    B_out: Points

    kind = "offset, an r each"

    @property
    def size(self) -> int:
        return len(self.A)

    @property
    def statement(self) -> tuple[Points, ...]:
        return self.X, self.A, self.B, self.A_out, self.B_out


#: What can be proven by cut-and-choose: every relation of the argument, and the source's own step.
Statement = Relation | SourceOffset


def ends(relation: Statement) -> tuple[State, State]:
    """Where a step starts and where it must end."""
    match relation:
        case Remask():
            return (relation.K, relation.U, relation.W), (relation.K, relation.U_out, relation.W_out)
        case AddMask():
            end = (relation.K + relation.S, relation.U_out, relation.W_out)
            return (relation.K, relation.U, relation.W), end
        case OneScalar():
            return (relation.S.group.G, relation.inputs), (relation.S, relation.outputs)
        case OneOffset():
            group = relation.R.group
            start = (group.G, group.identity(1), relation.A, relation.B)
            return start, (relation.R, relation.W, relation.A_out, relation.B_out)
        case SourceOffset():
            nothing = relation.X.group.identity(1)
            return (nothing, relation.A, relation.B), (relation.X, relation.A_out, relation.B_out)
    raise AssertionError(relation.kind)


def witness(case: Shuffled) -> Step:
    if case.name == "scalar":
        assert case.s is not None
        return ScalarStep(case.permutation, case.s)
    if case.name == "offset":
        assert case.s is not None
        return OffsetStep(case.permutation, case.s[0], case.s[1], case.s[2])
    assert case.masks is not None
    zero = case.group.integers([0])
    return MaskStep(case.permutation, case.masks, zero if case.s is None else case.s)


def random_step(relation: Statement, tape: Tape, index: int) -> Step:
    m, group = relation.size, relation.statement[0].group
    label = index.to_bytes(4, "little")
    order = tuple(tape.permutation("shadow order", label, m).vartime_list())
    if isinstance(relation, OneScalar):
        return ScalarStep(order, draw_scalars(tape, "shadow factor", label, group, 1))
    if isinstance(relation, OneOffset | SourceOffset):
        x, t = (draw_scalars(tape, f"shadow {name}", label, group, 1) for name in ("offset", "blinding"))
        if isinstance(relation, OneOffset):
            return OffsetStep(order, draw_scalars(tape, "shadow factor", label, group, 1), x, t)
        return SourceStep(order, draw_scalars(tape, "shadow factors", label, group, m), x, t)
    s = draw_scalars(tape, "shadow key", label, group, 1)
    # A shadow of `pairs` stays under the joint key.
    s = group.integers([0]) if isinstance(relation, Remask) else s
    return MaskStep(order, draw_scalars(tape, "shadow masks", label, group, m), s)


@dataclass(frozen=True)
class Proof:
    shadows: tuple[State, ...]
    openings: tuple[Step, ...]


def _bits(transcript: Transcript, relation: Statement, shadows: Sequence[State]) -> list[int]:
    """One bit a round, from context, statement and *all* shadows."""
    group = relation.statement[0].group
    transcript.absorb("cut and choose", relation.kind, group.name, relation.size, len(shadows))
    transcript.absorb_points("statement", *relation.statement)
    for shadow in shadows:
        transcript.absorb_points("shadow", *shadow)
    drawn = transcript.challenge("bits", group).to_bytes()
    assert len(shadows) <= ROUNDS
    return [drawn[index // 8] >> index % 8 & 1 for index in range(len(shadows))]


def prove(context: Context, tape: Tape, relation: Statement, step: Step, rounds: int = ROUNDS) -> Proof:
    return prove_with(context, relation, step, [random_step(relation, tape, index) for index in range(rounds)])


def prove_with(context: Context, relation: Statement, step: Step, hidden: Sequence[Step]) -> Proof:
    start, _ = ends(relation)
    shadows = tuple(shadow.apply(start) for shadow in hidden)
    bits = _bits(context.transcript(), relation, shadows)
    openings = (h.inverse().then(step) if bit else h for h, bit in zip(hidden, bits, strict=True))
    return Proof(shadows, tuple(openings))


def verify(
    context: Context,
    relation: Statement,
    proof: Proof,
    *,
    rounds: int = ROUNDS,
    bijection: bool = True,
    zero: bool = True,
) -> None:
    """Raise unless every opening leads where its bit says. `bijection` and `zero` exist to show what they are for."""
    if len(proof.shadows) != rounds or len(proof.openings) != rounds:
        raise Malformed(f"{len(proof.shadows)} shadows instead of {rounds}")
    start, end = ends(relation)
    bits = _bits(context.transcript(), relation, proof.shadows)
    for shadow, opening, bit in zip(proof.shadows, proof.openings, bits, strict=True):
        if bijection and sorted(opening.order) != list(range(relation.size)):
            raise Malformed("an opened map is no bijection")
        if zero and opening.has_zero():
            raise Malformed("an opened factor is zero")
        if isinstance(relation, Remask) and isinstance(opening, MaskStep) and opening.s.first_zero() is None:
            raise Malformed("a step of `pairs` adds no key")
        source, target = (shadow, end) if bit else (start, shadow)
        if any(a != b for a, b in zip(opening.apply(source), target, strict=True)):
            raise ProofRejected(context.seat, "cut and choose")


def accepted(run: Callable[[], None]) -> bool:
    try:
        run()
    except (Malformed, ProofRejected):
        return False
    return True
