"""Every cheat at the table: refused, or a fault of the cheater with its reason, alike for eager and lazy replicas."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from conformance.harness import forked, resigned
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Place, Portion, Return, Show
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.replica import Outcome
from nodealer.errors import BadParameter, EntryRefused
from nodealer.group import Group
from nodealer.log.entry import read_entry
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.tape import Tape

from ..kit import Verdict, changed, cheat, element, field_of, is_fault, is_refused, put
from . import cheats
from .cheats import Move, ShuffleStep
from .kit import Forge, fresh, played

pytestmark = pytest.mark.sample(reference=1)

CARDS: Final = 4
SEATS: Final = 3
NEW: Final = (NewDeck(0, CARDS),)
DEAL: Final = (Deal(0, tuple(Portion(seat, 1) for seat in range(SEATS))),)
SHUFFLED: Final[tuple[tuple[Operation, ...], ...]] = (NEW, DEAL, (Return(0, (0, 1), Place.SHUFFLED),), (Open(0, 2),))
STACKED: Final[tuple[tuple[Operation, ...], ...]] = (NEW, DEAL, (Return(0, (1, 0), Place.TOP),), (Open(0, 2),))

every_index = pytest.mark.parametrize("index", range(CARDS))
every_seat = pytest.mark.parametrize("seat", range(SEATS))


def caught(group: Group, forge: Forge, step: str, seat: int, *script: tuple[Operation, ...], skip: int = 0) -> Verdict:
    return cheat(played(group, *(script or (NEW, DEAL))), seat, step, forge, skip=skip)


# --- Keys ---


@pytest.mark.parametrize("seat", [1, 2])
def test_rogue_key(fast: Group, seat: int) -> None:
    verdict = caught(fast, cheats.false_shuffle(cheats.rogue_key), "shuffle", seat)
    is_fault(verdict, "shuffle proof (addmask)")


def test_key_that_cancels_all_others(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, key=(-deck.stage.joint).to_bytes())  # type: ignore[attr-defined]

    is_refused(caught(fast, forge, "shuffle", 2), "the joint key is the identity")


@pytest.mark.parametrize("victim", [0, 1])
def test_copied_key(fast: Group, victim: int) -> None:
    """Key, cards and proof of another seat, word for word; and its key with cards of one's own."""
    game = played(fast, NEW)

    def words(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        bodies = [read_body(bytes(read_entry(data).entry.body)) for data in game.log]
        return next(bytes(b.message) for b in bodies if isinstance(b, Cards) and b"shuffle" in bytes(b.message))

    def key(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, key=deck.stage.keys[victim].to_bytes())  # type: ignore[attr-defined]

    is_refused(cheat(game, 2, "shuffle", words), "another seat's")
    is_refused(caught(fast, key, "shuffle", 2), "another seat's")


def test_copied_gather_key(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, key=deck.stage.said[0][0].to_bytes())  # type: ignore[attr-defined]

    is_refused(caught(fast, forge, "gather", 1, *SHUFFLED), "another seat's")


def test_gather_key_that_cancels(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        others = [key for key, _ in deck.stage.said.values()]  # type: ignore[attr-defined]
        return changed(honest, key=(-(others[0] + others[1])).to_bytes())

    is_refused(caught(fast, forge, "gather", 2, *SHUFFLED), "the joint key is the identity")


def test_gather_key_without_a_secret(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        known = fast.integers([7]) * fast.G
        return changed(honest, key=(known - deck.stage.said[0][0]).to_bytes())  # type: ignore[attr-defined]

    is_fault(caught(fast, forge, "gather", 1, *SHUFFLED), "does not verify")


# --- Cards, in a shuffle ---

CARD_CHEATS: Final[dict[str, Callable[[int], Callable[[ShuffleStep], ShuffleStep]]]] = {
    "doubled": cheats.doubled,
    "replaced": cheats.swapped_for,
    "marked": cheats.marked,
    "scaled": cheats.scaled,
}


@every_index
@every_seat
@pytest.mark.parametrize("kind", CARD_CHEATS)
def test_card_in_a_shuffle(fast: Group, kind: str, seat: int, index: int) -> None:
    verdict = caught(fast, cheats.false_shuffle(CARD_CHEATS[kind](index)), "shuffle", seat, NEW)
    is_fault(verdict, "shuffle proof (addmask)")


@every_index
@pytest.mark.parametrize("kind", CARD_CHEATS)
def test_card_in_a_reshuffle(fast: Group, kind: str, index: int) -> None:
    if index < 3:
        verdict = caught(fast, cheats.false_shuffle(CARD_CHEATS[kind](index)), "reshuffle", index, *SHUFFLED)
        is_fault(verdict, "shuffle proof (pairs)")


@pytest.mark.parametrize("kind", CARD_CHEATS)
def test_card_in_a_shuffle_on_both_backends(group: Group, kind: str) -> None:
    verdict = caught(group, cheats.false_shuffle(CARD_CHEATS[kind](1)), "shuffle", 1, (NewDeck(0, 3),))
    is_fault(verdict, "shuffle proof (addmask)")


@every_index
@pytest.mark.parametrize(("step", "seat"), [("shuffle", 1), ("shuffle", 2), ("reshuffle", 0), ("reshuffle", 2)])
def test_card_left_unmasked(fast: Group, step: str, seat: int, index: int) -> None:
    if step == "shuffle" or index < 3:
        verdict = caught(fast, cheats.false_shuffle(cheats.unmasked(index)), step, seat, *SHUFFLED)
        is_refused(verdict, "is a card of the deck before it")


def test_first_shuffle_unmasked(fast: Group) -> None:
    """Before the first shuffle every epk is the identity: a card without a mask is not even a point on the wire."""
    verdict = caught(fast, cheats.false_shuffle(cheats.unmasked(0)), "shuffle", 0, NEW)
    is_refused(verdict, "epk")


@pytest.mark.parametrize("cut", ["dropped", "added"])
def test_card_too_few_or_too_many(fast: Group, cut: str) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        epk, msg = field_of(honest, "epk"), field_of(honest, "msg")
        if cut == "dropped":
            return changed(honest, epk=epk[:-32], msg=msg[:-32])
        return changed(honest, epk=epk + epk[:32], msg=msg + msg[:32])

    is_refused(caught(fast, forge, "shuffle", 1), "bytes instead of")


def test_remasked_copy_of_another_seats_card(fast: Group) -> None:
    """In a reshuffle, a card of the pile is replaced by a re-masked copy of one that another seat holds."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        step = cheats.shuffle_step(deck, duty, tape)
        victim = deck.layers.cards((2,))
        r = step.masks[0]
        epk, msg = victim.epk + r * fast.G, victim.msg + r * step.joint
        copied = replace(step, epk=cheats.replaced(step.epk, 0, epk), msg=cheats.replaced(step.msg, 0, msg))
        return cheats.send_shuffle(deck, duty, tape, copied)

    is_fault(caught(fast, forge, "reshuffle", 0, *SHUFFLED), "shuffle proof (pairs)")


def test_gathered_copy_of_another_seats_card(fast: Group) -> None:
    """While moving its card to a new key, a seat turns it into the card that another seat holds."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        own, victim = deck.layers.cards((0,)), deck.layers.cards((2,))

        def change(move: Move) -> Move:
            gain = move.gains[0] + victim.msg - own.msg
            return replace(move, gains=cheats.replaced(move.gains, 0, gain))

        return cheats.false_gather(change)(deck, duty, tape, honest)

    is_fault(caught(fast, forge, "gather", 0, *SHUFFLED), "does not verify")


# --- Keys of single cards ---

MOVES: Final = {
    "off": cheats.gain_off,
    "of another card": cheats.gain_of_another,
    "cancelling": cheats.gains_cancel,
    "key of another": cheats.key_of_another,
}


@every_index
@pytest.mark.parametrize("kind", MOVES)
def test_wrong_rekey(fast: Group, kind: str, index: int) -> None:
    verdict = caught(fast, cheats.false_rekey(MOVES[kind](index)), "rekey", index % SEATS, NEW)
    is_fault(verdict, "does not verify")


@pytest.mark.parametrize("kind", MOVES)
def test_wrong_rekey_on_both_backends(group: Group, kind: str) -> None:
    is_fault(caught(group, cheats.false_rekey(MOVES[kind](1)), "rekey", 2, (NewDeck(0, 2),)), "does not verify")


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("kind", ["off", "of another card", "cancelling"])
@pytest.mark.parametrize("script", [SHUFFLED, STACKED], ids=["shuffled", "stacked"])
def test_wrong_gather(fast: Group, script: tuple[tuple[Operation, ...], ...], kind: str, index: int) -> None:
    if index < (3 if script is SHUFFLED else 2):
        verdict = caught(fast, cheats.false_gather(MOVES[kind](index)), "gather", index, *script)
        is_fault(verdict, "does not verify")


@pytest.mark.parametrize("index", range(2))
@every_seat
def test_wrong_mask(fast: Group, seat: int, index: int) -> None:
    """A card that goes back to the top, masked with two different numbers, or with a tag."""

    def msg_off(added: Masked) -> Masked:
        return Masked(added.epk, cheats.replaced(added.msg, index, added.msg[index] + fast.G))

    def epk_off(added: Masked) -> Masked:
        return Masked(cheats.replaced(added.epk, index, added.epk[index] + fast.G), added.msg)

    for change in (msg_off, epk_off):
        is_fault(caught(fast, cheats.false_mask(change), "mask", seat, *STACKED), "does not verify")


def test_mask_that_takes_anothers_away(fast: Group) -> None:
    """Masks are added side by side. The negative of another seat's mask needs a secret that only that seat has."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        victim = deck.stage.said[0]  # type: ignore[attr-defined]
        return changed(honest, epk=(-victim.epk).to_bytes(), msg=(-victim.msg).to_bytes())

    is_fault(caught(fast, forge, "mask", 1, *STACKED), "does not verify")


def test_two_seats_whose_false_gains_cancel(fast: Group) -> None:
    """The sum of what the card gains is right; the first of the two is named, and the second is not looked at."""
    game = played(fast, NEW)
    tag = cheats.any_point(fast.G)

    def off(sign: int) -> Callable[[Move], Move]:
        def change(move: Move) -> Move:
            gain = move.gains[0] + tag if sign > 0 else move.gains[0] - tag
            return replace(move, gains=cheats.replaced(move.gains, 0, gain))

        return change

    eager, lazy = game.replica(0), game.replica(0, eager=False)
    signs = {0: 1, 2: -1}
    while not eager.state.faults:
        for data in game.step():
            seat, body = game.signer(data), read_body(bytes(read_entry(data).entry.body))
            known = eager.state.duties.open.get(body.duty) if isinstance(body, Cards) else None
            if known is not None and known.duty.kind == "rekey" and seat in signs:
                deck = eager.state.hand.decks[0]
                assert isinstance(deck, MaskDeck)
                false = cheats.false_rekey(off(signs[seat]))(deck, known.duty, game.tape(seat), b"")
                message = json.loads(false)
                data = resigned(data, game.persons[seat].key, lambda e: e["body"].update(message=message))
            else:
                game.order(data)
            eager.append(data)
            lazy.append(data)
    lazy.settle()
    assert eager.state.fault is not None and eager.state.fault.seat == 0
    assert eager.digest() == lazy.digest()


def test_one_key_for_two_cards(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        keys = field_of(honest, "keys")
        return changed(honest, keys=put(keys, 1, element(keys, 0)))

    is_refused(caught(fast, forge, "rekey", 1), "the same new key")


def test_rekey_to_the_shuffle_key(fast: Group) -> None:
    """A card that stays under the shuffle key: publishing its key would publish that of all cards."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        own = deck.stage.old[duty.seat].to_bytes()  # type: ignore[attr-defined]
        return changed(honest, keys=put(field_of(honest, "keys"), 0, own))

    is_refused(caught(fast, forge, "rekey", 1), "did not change")


# --- Publishing keys ---


@pytest.mark.parametrize("index", range(2))
@every_seat
@pytest.mark.parametrize("kind", ["other", "next", "shuffle key"])
def test_wrong_key_released(fast: Group, kind: str, seat: int, index: int) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        keys = field_of(honest, "keys")
        one = fast.integers([1])
        wrong = {
            "other": (fast.scalars(element(keys, index)) + one).to_bytes(),
            "next": element(keys, 1 - index),
            "shuffle key": deck.shuffle_secret(tape, duty.seat, 0).to_bytes(),
        }[kind]
        return changed(honest, keys=put(keys, index, wrong))

    is_fault(caught(fast, forge, "release", seat), "is not the card's key")


@pytest.mark.parametrize("kind", ["zero", "order", "short", "long"])
def test_malformed_key_released(fast: Group, kind: str) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        keys = field_of(honest, "keys")
        order = fast.order.to_bytes(32, "little")
        spoilt = {"zero": put(keys, 0, bytes(32)), "order": put(keys, 0, order), "short": keys[:-32]}
        return changed(honest, keys=spoilt.get(kind, keys + keys[:32]))

    is_refused(caught(fast, forge, "release", 1), "the keys")


def test_key_released_twice(fast: Group) -> None:
    """Two values for one key: with one number it is equivocation, with the next number it answers nothing."""
    game = played(fast, NEW, DEAL).play()
    eager, lazy = game.replica(0), game.replica(0, eager=False)
    for data in game.log:
        body = read_body(bytes(read_entry(data).entry.body))
        eager.append(data)
        lazy.append(data)
        if not isinstance(body, Cards) or b'"release"' not in bytes(body.message):
            continue
        seat = game.signer(data)
        keys = field_of(bytes(body.message), "keys")
        other = json.loads(changed(bytes(body.message), keys=put(keys, 0, element(keys, 1))))
        again = resigned(data, game.persons[seat].key, lambda entry: entry["body"].update(message=other))
        for replica in (eager, lazy):
            twin = forked(replica)
            assert twin.append(again).outcome is Outcome.FAULT
            assert twin.state.fault is not None and twin.state.fault.seat == seat
        if eager.state.hand.number:
            continue
        later = game.by_hand(seat, bytes(read_entry(again).entry.body), eager)
        for replica in (eager, lazy):
            with pytest.raises(EntryRefused) as refused:
                forked(replica).append(later)
            assert refused.value.seat == seat


# --- What a game may not ask ---


def test_only_what_one_holds(fast: Group) -> None:
    decks = fresh(fast)
    deck = decks.ask(Deal(0, tuple(Portion(seat, 1) for seat in range(3))))
    for operation in (
        Show(0, 1, (0,)),
        Show(0, 0, (3,)),
        Show(0, 0, (0, 0)),
        Show(0, 1, (0,), to=2),
        Open(0, positions=(0,)),
        Deal(0, (Portion(1, positions=(0,)),)),
        Deal(0, (Portion(7, 1),)),
        Return(0, (3,), Place.TOP),
        Return(0, (0, 0), Place.SHUFFLED),
        Open(0, 2),
    ):
        with pytest.raises(BadParameter):
            deck.request(operation)
