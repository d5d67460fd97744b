"""What a cheater with the honest program's code would send: false statements, proven as well as anybody can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nodealer.group import Points, Scalars, concat, hash_to_points
from nodealer.group.order import order_of
from nodealer.proofs import equality, shuffle
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import AddMask, Remask
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskGather, MaskInPlace, MaskRekey, MaskReshuffle, MaskShuffle
from nodealer.protocols.mask.rekey import Rekeying
from nodealer.protocols.mask.return_cards import Gathering, Masking
from nodealer.protocols.mask.shuffle import MaskShuffling
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class ShuffleStep:
    """Everything that goes into a shuffle. A cheat changes some of it; the proof is then made for what is claimed."""

    stage: MaskShuffling
    before: Masked
    s: Scalars
    S: Points
    order: list[int]
    masks: Scalars
    epk: Points
    msg: Points

    @property
    def joint(self) -> Points:
        return self.stage.joint + self.S if self.joins else self.stage.joint

    @property
    def joins(self) -> bool:
        return self.stage._step == "shuffle"

    def masked(self, order: list[int], masks: Scalars | None = None) -> ShuffleStep:
        """The deck that comes of this order, which need not be one."""
        masks = self.masks if masks is None else masks
        before = self.before.take(order)
        msg = before.msg + masks * self.joint
        if self.joins and self.stage.turn:
            msg = msg + self.s * before.epk
        return replace(self, epk=before.epk + masks * self.S.group.G, msg=msg)


def shuffle_step(deck: MaskDeck, duty: Duty, tape: Tape) -> ShuffleStep:
    stage = deck.stage
    assert isinstance(stage, MaskShuffling)
    s = deck.shuffle_secret(tape, duty.seat, stage.epoch)
    S = s * deck.binding.group.G
    joint = stage.joint + S if stage._step == "shuffle" else stage.joint
    before = stage.before(deck)
    drawn, masks = deck.shuffle_draws(tape, duty.seat, stage.epoch, before, joint)
    order = drawn.vartime_list()
    step = ShuffleStep(stage, before, s, S, order, masks, before.epk, before.msg)
    return step.masked(order)


def send_shuffle(deck: MaskDeck, duty: Duty, tape: Tape, step: ShuffleStep) -> bytes:
    """The message for a step, true or false, with the best proof that its secrets make."""
    stage, transcript = step.stage, context(deck, duty, step.stage.epoch)
    inputs, outputs = (step.before.epk, step.before.msg), (step.epk, step.msg)
    order = order_of(step.order)
    if step.joins:
        joining = AddMask(stage.joint, step.S, *inputs, *outputs)
        proof = shuffle.prove(transcript, tape, joining, order, lambda b: concat(b.dot(step.masks), step.s))
        return encode(MaskShuffle(step.S.to_bytes(), step.epk.to_bytes(), step.msg.to_bytes(), proof))
    pairs = Remask(stage.joint, *inputs, *outputs)
    proof = shuffle.prove(transcript, tape, pairs, order, lambda b: b.dot(step.masks))
    return encode(MaskReshuffle(step.epk.to_bytes(), step.msg.to_bytes(), proof))


def false_shuffle(change: Callable[[ShuffleStep], ShuffleStep]) -> Callable[[MaskDeck, Duty, Tape, bytes], bytes]:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        step = shuffle_step(deck, duty, tape)
        assert send_shuffle(deck, duty, tape, step) == honest
        return send_shuffle(deck, duty, tape, change(step))

    return forge


def context(deck: MaskDeck, duty: Duty, epoch: int) -> Transcript:
    return deck.transcript(duty, epoch)


def replaced(points: Points, index: int, point: Points) -> Points:
    parts = [points[:index]] if index else []
    return concat(*parts, point, *([points[index + 1 :]] if index + 1 < len(points) else []))


def any_point(like: Points, label: bytes = b"any") -> Points:
    return hash_to_points(like.group, b"nodealer/tests", [label])


# --- Cards cheated with in a shuffle, at any index ---


def doubled(index: int) -> Callable[[ShuffleStep], ShuffleStep]:
    """Another card stands here once more."""
    return lambda step: step.masked([*step.order[:index], step.order[index - 1], *step.order[index + 1 :]])


def swapped_for(index: int) -> Callable[[ShuffleStep], ShuffleStep]:
    """A card that was never in the deck, well masked."""

    def change(step: ShuffleStep) -> ShuffleStep:
        r = step.masks[index]
        msg = any_point(step.S) + r * step.joint
        return replace(step, epk=replaced(step.epk, index, r * step.S.group.G), msg=replaced(step.msg, index, msg))

    return change


def marked(index: int) -> Callable[[ShuffleStep], ShuffleStep]:
    """A card with a tag on it: its face is found again as face + tag."""
    return lambda step: replace(step, msg=replaced(step.msg, index, step.msg[index] + step.S.group.G))


def scaled(index: int) -> Callable[[ShuffleStep], ShuffleStep]:
    """A card multiplied by two: its face is found again as twice the face."""

    def change(step: ShuffleStep) -> ShuffleStep:
        epk, msg = step.epk[index] + step.epk[index], step.msg[index] + step.msg[index]
        return replace(step, epk=replaced(step.epk, index, epk), msg=replaced(step.msg, index, msg))

    return change


def unmasked(index: int) -> Callable[[ShuffleStep], ShuffleStep]:
    """A card whose mask is zero, so that everybody could follow it."""

    def change(step: ShuffleStep) -> ShuffleStep:
        zero = step.S.group.integers([0])
        ones = step.S.group.integers([1] * len(step.masks))
        masks = concat(*(zero if place == index else ones[place] * step.masks[place] for place in range(len(ones))))
        return replace(step.masked(step.order, masks), masks=masks)

    return change


def rogue_key(step: ShuffleStep) -> ShuffleStep:
    """A key chosen so that the joint key is one that the cheater knows: it knows no secret of its own."""
    known = step.S.group.integers([7])
    return replace(step, S=known * step.S.group.G - step.stage.joint)


# --- Moving cards to other keys ---


@dataclass(frozen=True)
class Move:
    """A rekey or gather: old keys, new ones, and what each card gains."""

    keys: Points
    gains: Points
    delta: Scalars
    old: Points
    epk: Points

    @property
    def claimed(self) -> ManyEqualities:
        return ManyEqualities(self.epk.group.G, self.keys, self.epk, self.gains, less=self.old)


def false_rekey(change: Callable[[Move], Move]) -> Callable[[MaskDeck, Duty, Tape, bytes], bytes]:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, table = deck.stage, deck.binding
        assert isinstance(stage, Rekeying)
        new = deck.layers.draw_secrets(tape, stage._layer(deck), duty.seat)
        delta = new - deck.shuffle_secret(tape, duty.seat, stage.epoch)
        move = change(Move(new * table.group.G, delta * stage.cards.epk, delta, stage.old[duty.seat], stage.cards.epk))
        proof = equality.prove_many_equalities(context(deck, duty, stage.epoch), tape, move.claimed, move.delta)
        return encode(MaskRekey(move.keys.to_bytes(), move.gains.to_bytes(), proof))

    return forge


def false_gather(change: Callable[[Move], Move]) -> Callable[[MaskDeck, Duty, Tape, bytes], bytes]:
    """`keys` of the move is the one shuffle key."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, table, epoch = deck.stage, deck.binding, deck.places.epoch + 1
        assert isinstance(stage, Gathering)
        s = deck.shuffle_secret(tape, duty.seat, epoch)
        epk = deck.layers.cards(stage.masked).epk
        delta = s - deck.card_secrets(tape, stage.masked, duty.seat)
        old = deck.card_keys(stage.masked, duty.seat)
        move = change(Move(s * table.group.G, delta * epk, delta, old, epk))
        transcript = context(deck, duty, epoch)
        knowledge = equality.prove_knowledge(transcript, tape, move.keys, s)
        proof = equality.prove_many_equalities(transcript, tape, move.claimed, move.delta)
        return encode(MaskGather(move.keys.to_bytes(), knowledge, move.gains.to_bytes(), proof))

    return forge


def false_mask(change: Callable[[Masked], Masked]) -> Callable[[MaskDeck, Duty, Tape, bytes], bytes]:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, table = deck.stage, deck.binding
        assert isinstance(stage, Masking)
        masks = deck.mask_draws(tape, duty.seat, stage.epoch, stage.cards, stage.joint)
        added = change(Masked(masks * table.group.G, masks * stage.joint))
        each = ManyEqualities(table.group.G, added.epk, stage.joint, added.msg)
        proof = equality.prove_many_equalities(context(deck, duty, stage.epoch), tape, each, masks)
        return encode(MaskInPlace(added.epk.to_bytes(), added.msg.to_bytes(), proof))

    return forge


def gain_off(index: int) -> Callable[[Move], Move]:
    return lambda move: replace(move, gains=replaced(move.gains, index, move.gains[index] + move.gains.group.G))


def gain_of_another(index: int) -> Callable[[Move], Move]:
    """The right secret on the wrong card."""
    return lambda move: replace(move, gains=replaced(move.gains, index, move.delta[index] * move.epk[index - 1]))


def gains_cancel(index: int) -> Callable[[Move], Move]:
    """Two false gains whose sum is right."""

    def change(move: Move) -> Move:
        tag, other = any_point(move.gains), index - 1 if index else 1
        gains = replaced(move.gains, index, move.gains[index] + tag)
        return replace(move, gains=replaced(gains, other, gains[other] - tag))

    return change


def key_of_another(index: int) -> Callable[[Move], Move]:
    """Two cards moved with each other's key."""

    def change(move: Move) -> Move:
        places = list(range(len(move.keys)))
        places[index], places[index - 1] = places[index - 1], places[index]
        return replace(move, keys=move.keys.take(places))

    return change
