"""The messages of a stage of work: how an honest seat makes each, and how each is judged.

With proofs a message carries the public key of what it does and the proof that it did just that. Without, only equal
cards are refused, and the rest comes out when cards are played, or at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Points, concat
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import Each
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points
from nodealer.protocols.duel import secrets
from nodealer.protocols.duel.making import AFTER_SHUFFLE, Kind, Under, Working, fresh_commitments, refuse_equal
from nodealer.protocols.duel.making import split_commitments as split
from nodealer.protocols.duel.messages import Gather, Lock, Shuffle
from nodealer.tape import Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.duel.deck import DuelDeck


def message(work: Working, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
    """An honest seat's message for the next task."""
    cards, commitments = work.cards, b""
    if work.renew and duty.seat == deck.owner:
        cards = work.renewed(deck, tape)
        if work.positions:
            commitments = fresh_commitments(deck, tape, work.renewed_faces(deck), work.epoch)
    match work.tasks[0].kind:
        case Kind.GATHER:
            return encode(_gather(work, deck, duty, tape, cards, commitments))
        case Kind.SHUFFLE:
            order = secrets.order(deck, tape, work.epoch, duty.seat, work.cards)
            return encode(_shuffle(work, deck, duty, tape, cards, commitments, order))
        case Kind.ARRANGE:
            return encode(_shuffle(work, deck, duty, tape, cards, commitments, _chosen(work, deck, tape, choice)))
        case Kind.LOCK:
            return encode(_lock(work, deck, duty, tape, cards, commitments))


def apply(work: Working, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
    """Judge the message of the next task."""
    match work.tasks[0].kind:
        case Kind.GATHER:
            return _apply_gather(work, deck, duty, read_message(Gather, message))
        case Kind.LOCK:
            return _apply_lock(work, deck, duty, read_message(Lock, message))
        case _:
            return _apply_shuffle(work, deck, duty, read_message(Shuffle, message))


def _renew(work: Working, deck: DuelDeck, said: Gather | Shuffle | Lock) -> DuelDeck:
    """Take the new commitments of cards that lay face up."""
    if not work.renew or not work.positions:
        if said.commitments:
            raise Malformed("no commitments are owed")
        return deck
    faces = work.renewed_faces(deck)
    fresh = split(said.commitments, len(faces))
    commitments, made = list(deck.commitments), list(deck.made)
    for face, commitment in zip(faces, fresh, strict=True):
        commitments[face], made[face] = commitment, work.epoch
    if len(set(commitments)) != deck.size:
        raise Malformed("a commitment stands twice in the list")
    return deck.at(commitments=tuple(commitments), made=tuple(made))


def _bare(said: Gather | Shuffle | Lock) -> None:
    """Without proofs there is nothing but the cards."""
    if said.proof or getattr(said, "key", b"") or getattr(said, "joint", b"") or getattr(said, "link", b""):
        raise Malformed("nothing is proven in this mode")


def _read_cards(work: Working, deck: DuelDeck, said: Gather | Shuffle | Lock) -> Points:
    cards = read_points(deck.cipher, said.cards, len(work.cards), "the cards")
    if not deck.mode.proofs:
        _bare(said)
        refuse_equal(cards)
    return cards


# --- Gather ---


def _gather(work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes) -> Gather:
    g = secrets.gather_key(deck, tape, work.epoch, duty.seat)
    ratio = work.secret(deck, tape, duty.seat).invert() * g
    gathered = ratio * cards
    if not deck.mode.proofs:
        return Gather(gathered.to_bytes(), commitments=commitments)
    S = g * deck.cipher.G
    each = Each(work.keys[duty.seat], S, cards, gathered)
    proof = equality.prove_each(deck.transcript(duty, work.epoch), tape, each, ratio)
    return Gather(gathered.to_bytes(), S.to_bytes(), proof)


def _apply_gather(work: Working, deck: DuelDeck, duty: Duty, said: Gather) -> DeckChange:
    cards = _read_cards(work, deck, said)
    deck = _renew(work, deck, said)
    if not deck.mode.proofs:
        return work.went_on(deck, cards, (), under=Under.GATHERED)
    S = read_points(deck.cipher, said.key, 1, "the key")
    each = Each(work.keys[duty.seat], S, work.cards, cards)
    check = equality.check_each(deck.transcript(duty, work.epoch), each, said.proof)
    return work.went_on(deck, cards, (check,), keys=S, under=Under.GATHERED)


# --- Shuffle ---


def _chosen(work: Working, deck: DuelDeck, tape: Tape, choice: bytes | None) -> list[int]:
    """The order that the owner chose, as places among the cards it looked at."""
    from nodealer.protocols.duel.peeking import read_choice

    deck.read(tape, work.positions)
    chosen = read_choice(choice)
    if sorted(chosen) != sorted(work.positions):
        raise BadParameter(f"an order of {list(work.positions)} is needed, the top first")
    return [work.positions.index(position) for position in chosen]


def _shuffle(
    work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes, order: list[int]
) -> Shuffle:
    t = secrets.shuffle_key(deck, tape, work.epoch, duty.seat)
    shuffled = t * cards.take(order)
    if not deck.mode.proofs:
        return Shuffle(shuffled.to_bytes(), commitments=commitments)
    T, before = t * deck.cipher.G, work.keys[duty.seat]
    transcript = deck.transcript(duty, work.epoch)
    proof = shuffle.prove(transcript, tape, OneScalar(T, cards, shuffled), order, lambda b: t)
    if work.under[duty.seat] is Under.PLACES:
        return Shuffle(shuffled.to_bytes(), T.to_bytes(), proof)
    joint = t * before
    link = equality.prove_equality(transcript, tape, T, before, joint, t)
    return Shuffle(shuffled.to_bytes(), T.to_bytes(), proof, joint.to_bytes(), link)


def _apply_shuffle(work: Working, deck: DuelDeck, duty: Duty, said: Shuffle) -> DeckChange:
    cards = _read_cards(work, deck, said)
    deck = _renew(work, deck, said)
    under = AFTER_SHUFFLE[work.under[duty.seat]]
    if not deck.mode.proofs:
        return work.went_on(deck, cards, (), under=under)
    T = read_points(deck.cipher, said.key, 1, "the key")
    transcript = deck.transcript(duty, work.epoch)
    checks: list[Check] = [shuffle.check(transcript, OneScalar(T, work.cards, cards), said.proof)]
    joint = T
    if under is Under.BOTH:
        joint = read_points(deck.cipher, said.joint, 1, "the joint key")
        checks.append(equality.check_equality(transcript, T, work.keys[duty.seat], joint, said.link))
    elif said.joint or said.link:
        raise Malformed("the cards were under no key of this seat")
    return work.went_on(deck, cards, tuple(checks), keys=joint, under=under)


# --- Lock ---


def _lock(work: Working, deck: DuelDeck, duty: Duty, tape: Tape, cards: Points, commitments: bytes) -> Lock:
    new = secrets.card_keys(deck, tape, work.epoch, work.origin, len(cards), duty.seat)
    ratio = work.secret(deck, tape, duty.seat).invert() * new
    locked = ratio * cards
    if not deck.mode.keys:
        return Lock(locked.to_bytes(), commitments=commitments)
    keys = new * deck.cipher.G
    if not deck.mode.proofs:
        return Lock(locked.to_bytes(), keys.to_bytes(), commitments=commitments)
    each = Each(work.keys[duty.seat], keys, cards, locked)
    proof = equality.prove_each(deck.transcript(duty, work.epoch), tape, each, ratio)
    return Lock(locked.to_bytes(), keys.to_bytes(), proof)


def _apply_lock(work: Working, deck: DuelDeck, duty: Duty, said: Lock) -> DeckChange:
    cards = _read_cards(work, deck, said)
    deck = _renew(work, deck, said)
    if not deck.mode.keys:
        if said.keys:
            raise Malformed("keys are not public in this mode")
        return work.went_on(deck, cards, ())
    keys = read_points(deck.cipher, said.keys, len(cards), "the keys")
    before = [work.keys[duty.seat]] if deck.mode.proofs else []
    # Publishing one secret must never publish another.
    if len(point_index(concat(keys, *before))) != len(cards) + len(point_index(concat(*before)) if before else ()):
        raise Malformed("two cards have the same key, or one has a key that was used before")
    if not deck.mode.proofs:
        return work.went_on(deck, cards, (), locked=keys)
    each = Each(work.keys[duty.seat], keys, work.cards, cards)
    check = equality.check_each(deck.transcript(duty, work.epoch), each, said.proof)
    return work.went_on(deck, cards, (check,), locked=keys)
