"""What a cheater with the honest program's code would send: false steps, proven as well as anybody can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from nodealer.group import Group, Points, Scalars, concat, hash_to_points
from nodealer.group.order import order_of
from nodealer.proofs import equality, shuffle
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import OneOffset
from nodealer.protocols.base import Duty
from nodealer.protocols.offset.deck import OffsetDeck, OffsetPairs
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.protocols.offset.shuffle import OffsetShuffling
from nodealer.tape import Tape
from nodealer.wire import encode

from .kit import Forge


@dataclass(frozen=True)
class OffsetStep:
    """Everything that goes into a step. A cheat changes some of it; the proofs are then made for what is claimed."""

    before: OffsetPairs
    order: list[int]
    scales: Scalars
    r: Scalars
    x: Scalars
    t: Scalars
    scaled: OffsetPairs
    after: OffsetPairs
    R: Points
    W: Points

    @property
    def group(self) -> Group:
        return self.R.group

    def mapped(self, order: list[int], x: Scalars | None = None) -> OffsetStep:
        """The deck that comes of this order, which need not be one, and of this offset."""
        a, b = self.scaled.A.take(order), self.scaled.B.take(order)
        return replace(self, after=OffsetPairs(self.r * (a + (self.x if x is None else x) * b), self.r * b))

    def with_pair(self, index: int, A: Points, B: Points) -> OffsetStep:
        return replace(self, after=OffsetPairs(replaced(self.after.A, index, A), replaced(self.after.B, index, B)))


def offset_step(deck: OffsetDeck, duty: Duty, tape: Tape, before: OffsetPairs | None = None) -> OffsetStep:
    """The honest step, on the deck that is due or on another one."""
    assert isinstance(deck.stage, OffsetShuffling)
    before = deck.stage._before(deck) if before is None else before
    drawn, scales, rest = deck.step_secrets(tape, duty.seat, before)
    order = drawn.vartime_list()
    r, x, t = rest[0], rest[1], rest[2]
    G, H = deck.binding.group.G, blinding_generator(deck.binding.group)
    scaled = OffsetPairs(scales * before.A, scales * before.B)
    return OffsetStep(before, order, scales, r, x, t, scaled, scaled, r * G, r * x * G + t * H).mapped(order)


def send(deck: OffsetDeck, duty: Duty, tape: Tape, step: OffsetStep) -> bytes:
    """The message for a step, true or false, with the best proofs that its secrets make. The first stage is claimed to
    start from the deck that is due."""
    assert isinstance(deck.stage, OffsetShuffling)
    due, transcript = deck.stage._before(deck), deck.transcript(duty, 0)
    each = ManyEqualities(due.B, step.scaled.B, due.A, step.scaled.A)
    first = equality.prove_many_equalities(transcript, tape, each, step.scales)
    relation = OneOffset(step.R, step.W, step.scaled.A, step.scaled.B, step.after.A, step.after.B)
    order, secrets = order_of(step.order), concat(step.r, step.r * step.x, step.t)
    second = shuffle.prove(transcript, tape, relation, order, lambda b: secrets)
    arrays = step.after.to_bytes(), step.scaled.to_bytes(), step.R.to_bytes(), step.W.to_bytes()
    return encode(OffsetShuffle("cards", duty.seat + 1, len(deck.steps) + 1, *arrays, first, second))


Change = Callable[[OffsetStep], OffsetStep]


def false_shuffle(change: Change) -> Forge:
    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        step = offset_step(deck, duty, tape)
        assert send(deck, duty, tape, step) == honest
        return send(deck, duty, tape, change(step))

    return forge


def replaced(points: Points, index: int, point: Points) -> Points:
    parts = [points[:index]] if index else []
    return concat(*parts, point, *([points[index + 1 :]] if index + 1 < len(points) else []))


def any_point(like: Points, label: bytes = b"any") -> Points:
    return hash_to_points(like.group, b"nodealer/tests", [label])


def number(step: OffsetStep, value: int) -> Scalars:
    found: Scalars = step.group.integers([value])
    return found


# --- Pairs cheated with, at any index ---


def doubled(index: int) -> Change:
    """Another pair stands here once more, so that one deal has two cards and another has none."""

    def change(step: OffsetStep) -> OffsetStep:
        source = step.order[index - 1]
        fresh = number(step, 9)
        twice = step.mapped([*step.order[:index], source, *step.order[index + 1 :]])
        # With a factor of its own, so that no two points are equal.
        return twice.with_pair(index, fresh * twice.after.A[index], fresh * twice.after.B[index])

    return change


def dropped(index: int) -> Change:
    """A pair that no deal will find, of points nobody knows anything about."""
    return lambda step: step.with_pair(index, any_point(step.R, b"A"), any_point(step.R, b"B"))


def foreign(index: int) -> Change:
    """A pair under a key that the cheater knows: it hopes to find that card."""
    return lambda step: step.with_pair(index, number(step, 77) * step.after.B[index], step.after.B[index])


def own_offset(index: int) -> Change:
    """One pair with another offset than all others."""
    more = 5

    def change(step: OffsetStep) -> OffsetStep:
        return step.with_pair(
            index, step.after.A[index] + number(step, more) * step.after.B[index], step.after.B[index]
        )

    return change


def own_factor(index: int) -> Change:
    """One pair with a second factor. The deal is still found: the proof is for the order and knows no exceptions."""

    def change(step: OffsetStep) -> OffsetStep:
        two = number(step, 2)
        return step.with_pair(index, two * step.after.A[index], two * step.after.B[index])

    return change


def exchanged(index: int) -> Change:
    """The A of one pair with the B of another."""

    def change(step: OffsetStep) -> OffsetStep:
        places = list(range(len(step.order)))
        places[index], places[index - 1] = places[index - 1], places[index]
        return replace(step, after=OffsetPairs(step.after.A.take(places), step.after.B))

    return change


def half_scaled(index: int) -> Change:
    """In the first stage, A and B of one pair by different secrets."""

    def change(step: OffsetStep) -> OffsetStep:
        A = replaced(step.scaled.A, index, number(step, 3) * step.scaled.A[index])
        return replace(step, scaled=OffsetPairs(A, step.scaled.B)).mapped(step.order)

    return change


#: Those after which some deal is not exactly one card.
BREAKING: Final[Mapping[str, Callable[[int], Change]]] = {
    "doubled": doubled,
    "dropped": dropped,
    "foreign": foreign,
    "own offset": own_offset,
    "exchanged": exchanged,
}
SECOND_STAGE: Final[Mapping[str, Callable[[int], Change]]] = {**BREAKING, "own factor": own_factor}


def other_offset(step: OffsetStep) -> OffsetStep:
    """Another offset used than committed to: W and what will be revealed are for x."""
    return step.mapped(step.order, step.x + number(step, 1))


def commitment_for_other_r(step: OffsetStep) -> OffsetStep:
    """W holds x times another r: at the end it does not open to x."""
    H = blinding_generator(step.group)
    return replace(step, W=(step.r + number(step, 1)) * step.x * step.group.G + step.t * H)


def other_r(step: OffsetStep) -> OffsetStep:
    """R of another r than the deck was multiplied with."""
    return replace(step, R=step.R + step.group.G)
