"""The work on cards, task by task: how an honest seat creates each message, and how each is checked.

With proofs, a message carries the public key of what it does and a proof. Without proofs, only equal cards are
rejected, and everything else is detected when cards are played, or at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Order, Points, concat
from nodealer.group.order import order_of
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_choice, read_message, read_points
from nodealer.protocols.duel.deck import DuelDeck
from nodealer.protocols.duel.messages import DuelGather, DuelLock, DuelShuffle
from nodealer.protocols.duel.work import AFTER_SHUFFLE, TaskKind, Under, Work, finish
from nodealer.records import replace
from nodealer.tape import DIGEST_BYTES, Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Working(Work):
    """Stage: a list of tasks, each fulfilled by one message."""

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return the duty of the first task. To arrange cards, the player must choose an order."""
        task = self.tasks[0]
        return (deck.duty(task.seat, task.kind.value, self.anchor, choice=task.kind is TaskKind.ARRANGE),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the message that fulfils the first task: gather, shuffle, arrange or lock all cards."""
        cards, commitments = self.cards, b""
        if self.renew and duty.seat == deck.owner:
            cards = self.renewed_cards(deck, tape)
            if self.positions:
                commitments = deck.fresh_commitments(tape, self.renewed_faces(deck), self.epoch)
        match self.tasks[0].kind:
            case TaskKind.GATHER:
                return encode(_gather(self, deck, duty, tape, cards, commitments))
            case TaskKind.SHUFFLE:
                order = deck.order(tape, duty.seat, self.epoch, self.cards)
                return encode(_shuffle(self, deck, duty, tape, cards, commitments, order))
            case TaskKind.ARRANGE:
                order = _chosen(self, deck, tape, choice)
                return encode(_shuffle(self, deck, duty, tape, cards, commitments, order))
            case TaskKind.LOCK:
                return encode(_lock(self, deck, duty, tape, cards, commitments))

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Check the message of the first task and go on to the next. After the last, finish the deck."""
        match self.tasks[0].kind:
            case TaskKind.GATHER:
                return _apply_gather(self, deck, duty, read_message(DuelGather, message))
            case TaskKind.LOCK:
                return _apply_lock(self, deck, duty, read_message(DuelLock, message))
            case _:
                return _apply_shuffle(self, deck, duty, read_message(DuelShuffle, message))

    def finish_task(
        self,
        deck: DuelDeck,
        cards: Points,
        checks: tuple[Check, ...],
        *,
        keys: Points | None = None,
        under: Under | None = None,
        locked: Points | None = None,
    ) -> DeckChange:
        """Finish the first task and return the change to the next one or, after the last, to the finished deck."""
        seat = self.tasks[0].seat
        work = replace(
            self,
            cards=cards,
            tasks=self.tasks[1:],
            anchor=deck.trail,
            renew=(),
            keys=self.keys if keys is None else {**self.keys, seat: keys},
            under=self.under if under is None else {**self.under, seat: under},
            locked=self.locked if locked is None else {**self.locked, seat: locked},
        )
        if work.tasks:
            return DeckChange(deck.in_stage(work.with_origin()), (), checks)
        # The cards become a new layer.
        layers = deck.layers.with_layer(work.layer(deck))
        return replace(finish(deck.with_fields(layers=layers), self.after, self.events), checks=checks)


def split_commitments(data: bytes, count: int) -> list[bytes]:
    """Decode exactly `count` commitments. Raise `Malformed` unless all are different."""
    said = [data[at : at + DIGEST_BYTES] for at in range(0, len(data), DIGEST_BYTES)]
    if len(data) != count * DIGEST_BYTES or len(set(said)) != count:
        raise Malformed(f"the message must have {count} different commitments")
    return said


def _renew_commitments(work: Working, deck: DuelDeck, said: DuelGather | DuelShuffle | DuelLock) -> DuelDeck:
    """Return the deck with the new commitments of cards that were face up."""
    if not work.renew or not work.positions:
        if said.commitments:
            raise Malformed("the message has commitments that are not due")
        return deck
    faces = work.renewed_faces(deck)
    fresh = split_commitments(said.commitments, len(faces))
    commitments, made = list(deck.commitments), list(deck.made)
    for face, commitment in zip(faces, fresh, strict=True):
        commitments[face], made[face] = commitment, work.epoch
    if len(set(commitments)) != deck.size:
        raise Malformed("a commitment appears twice in the list")
    return deck.with_fields(commitments=tuple(commitments), made=tuple(made))


def _refuse_proofs(said: DuelGather | DuelShuffle | DuelLock) -> None:
    """Raise `Malformed` if a message has anything except cards, in a mode without proofs."""
    if said.proof or getattr(said, "key", b"") or getattr(said, "joint", b"") or getattr(said, "link", b""):
        raise Malformed("the message has proofs or keys, but nothing is proven in this mode")


# defence: twin
def _read_cards(work: Working, deck: DuelDeck, said: DuelGather | DuelShuffle | DuelLock) -> Points:
    """Decode the cards of a message. Without proofs, raise `Malformed` if two are equal."""
    cards = read_points(deck.cipher, said.cards, len(work.cards), "the cards")
    if not deck.mode.proofs:
        _refuse_proofs(said)
        if len(set(encodings(cards))) != len(cards):
            raise Malformed("a card appears twice in the deck")
    return cards


# --- Gather ---


def _gather(work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes) -> DuelGather:
    """Return the message that moves cards to one key of the seat."""
    g = deck.gather_key(tape, duty.seat, work.epoch)
    ratio = work.secret(deck, tape, duty.seat).invert() * g
    gathered = ratio * cards
    if not deck.mode.proofs:
        return DuelGather(gathered.to_bytes(), commitments=commitments)
    S = g * deck.cipher.G
    each = ManyEqualities(work.keys[duty.seat], S, cards, gathered)
    proof = equality.prove_many_equalities(deck.transcript(duty, work.epoch), tape, each, ratio)
    return DuelGather(gathered.to_bytes(), S.to_bytes(), proof)


def _apply_gather(work: Working, deck: DuelDeck, duty: Duty, said: DuelGather) -> DeckChange:
    """Check a gather message and finish the task."""
    cards = _read_cards(work, deck, said)
    deck = _renew_commitments(work, deck, said)
    if not deck.mode.proofs:
        return work.finish_task(deck, cards, (), under=Under.GATHERED)
    S = read_points(deck.cipher, said.key, 1, "the key")
    each = ManyEqualities(work.keys[duty.seat], S, work.cards, cards)
    check = equality.check_many_equalities(deck.transcript(duty, work.epoch), each, said.proof)
    return work.finish_task(deck, cards, (check,), keys=S, under=Under.GATHERED)


# --- Shuffle ---


def _chosen(work: Working, deck: DuelDeck, tape: Tape, choice: bytes | None) -> Order:
    """Return the order that the owner chose, as places among the cards it peeked at."""
    deck.read(tape, work.positions)
    chosen = read_choice(choice)
    if sorted(chosen) != sorted(work.positions):
        raise BadParameter(f"list all of {list(work.positions)} in the order you want, the top card first")
    return order_of([work.positions.index(position) for position in chosen])


def _shuffle(
    work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes, order: Order
) -> DuelShuffle:
    """Return the message that multiplies all cards by one secret and puts them in this order."""
    t = deck.shuffle_key(tape, duty.seat, work.epoch)
    shuffled = deck.cipher.products(t, cards.take(order))
    if not deck.mode.proofs:
        return DuelShuffle(shuffled.to_bytes(), commitments=commitments)
    T, before = t * deck.cipher.G, work.keys[duty.seat]
    transcript = deck.transcript(duty, work.epoch)
    proof = shuffle.prove(transcript, tape, OneScalar(T, cards, shuffled), order, lambda b: t)
    if work.under[duty.seat] is Under.PLACES:
        return DuelShuffle(shuffled.to_bytes(), T.to_bytes(), proof)
    joint = t * before
    link = equality.prove_equality(transcript, tape, T, before, joint, t)
    return DuelShuffle(shuffled.to_bytes(), T.to_bytes(), proof, joint.to_bytes(), link)


def _apply_shuffle(work: Working, deck: DuelDeck, duty: Duty, said: DuelShuffle) -> DeckChange:
    """Check a shuffle or arrange message and finish the task."""
    cards = _read_cards(work, deck, said)
    deck = _renew_commitments(work, deck, said)
    under = AFTER_SHUFFLE[work.under[duty.seat]]
    if not deck.mode.proofs:
        return work.finish_task(deck, cards, (), under=under)
    T = read_points(deck.cipher, said.key, 1, "the key")
    transcript = deck.transcript(duty, work.epoch)
    checks: list[Check] = [shuffle.check(transcript, OneScalar(T, work.cards, cards), said.proof)]
    joint = T
    if under is Under.BOTH:
        joint = read_points(deck.cipher, said.joint, 1, "the joint key")
        checks.append(equality.check_equality(transcript, T, work.keys[duty.seat], joint, said.link))
    elif said.joint or said.link:
        raise Malformed("the cards were not under a key of this seat")
    return work.finish_task(deck, cards, tuple(checks), keys=joint, under=under)


# --- Lock ---


def _lock(work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes) -> DuelLock:
    """Return the message that moves each card to its own key."""
    new = deck.layers.draw_secrets(tape, work.layer(deck), duty.seat)
    ratio = work.secret(deck, tape, duty.seat).invert() * new
    locked = deck.cipher.products(ratio, cards)
    if not deck.mode.keys:
        return DuelLock(locked.to_bytes(), commitments=commitments)
    keys = deck.cipher.products(new, deck.cipher.G)
    if not deck.mode.proofs:
        return DuelLock(locked.to_bytes(), keys.to_bytes(), commitments=commitments)
    each = ManyEqualities(work.keys[duty.seat], keys, cards, locked)
    proof = equality.prove_many_equalities(deck.transcript(duty, work.epoch), tape, each, ratio)
    return DuelLock(locked.to_bytes(), keys.to_bytes(), proof)


def _apply_lock(work: Working, deck: DuelDeck, duty: Duty, said: DuelLock) -> DeckChange:
    """Check a lock message and finish the task."""
    cards = _read_cards(work, deck, said)
    deck = _renew_commitments(work, deck, said)
    if not deck.mode.keys:
        if said.keys:
            raise Malformed("keys are not public in this mode")
        return work.finish_task(deck, cards, ())
    keys = read_points(deck.cipher, said.keys, len(cards), "the keys")
    before = [work.keys[duty.seat]] if deck.mode.proofs else []
    # Publishing one secret must never reveal another.
    if len(point_index(concat(keys, *before))) != len(cards) + len(point_index(concat(*before)) if before else ()):
        raise Malformed("two cards have the same key, or one has a key that was used before")
    if not deck.mode.proofs:
        return work.finish_task(deck, cards, (), locked=keys)
    each = ManyEqualities(work.keys[duty.seat], keys, work.cards, cards)
    check = equality.check_many_equalities(deck.transcript(duty, work.epoch), each, said.proof)
    return work.finish_task(deck, cards, (check,), locked=keys)
