"""Every cheat at the table: refused, or a fault of the cheater with its reason, alike for eager and lazy replicas."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import msgspec
import pytest

from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.engine.bodies import Cards, read_body
from nodealer.errors import DecodeError, EntryRefused
from nodealer.group import Group, concat
from nodealer.log.entry import read_entry
from nodealer.proofs import equality
from nodealer.proofs.generators import blinding_generator
from nodealer.protocols.base import Duty
from nodealer.protocols.offset.deck import OffsetDeck, OffsetPairs
from nodealer.tape import Tape
from nodealer.wire import CARDS_MAX, SEATS_MAX

from ..kit import Verdict, changed, cheat, element, field_of, is_fault, is_refused, put
from . import cheats
from .kit import Forge, played

pytestmark = pytest.mark.sample(reference=1)

CARDS: Final = 4
SEATS: Final = 3
NEW: Final = (NewDeck(0, CARDS),)
DEAL: Final = (Deal(0, tuple(Portion(seat, 1) for seat in range(SEATS))),)
OPEN: Final = (Open(0, 1),)
SHOW: Final = (Show(0, 1, (1,)),)
SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (NEW, DEAL, OPEN, SHOW)

every_index = pytest.mark.parametrize("index", range(CARDS))
every_seat = pytest.mark.parametrize("seat", range(SEATS))


def caught(group: Group, forge: Forge, step: str, seat: int, dealer: int | None = None) -> Verdict:
    return cheat(played(group, *SCRIPT, dealer=dealer), seat, step, forge)


def says(**changes: object) -> Forge:
    """The honest message with other values in some fields."""
    return lambda deck, duty, tape, honest: changed(honest, **changes)


# --- Pairs, in a shuffle ---


@every_index
@every_seat
@pytest.mark.parametrize("kind", cheats.SECOND_STAGE)
def test_pair_in_a_shuffle(fast: Group, kind: str, seat: int, index: int) -> None:
    forge = cheats.false_shuffle(cheats.SECOND_STAGE[kind](index))
    is_fault(caught(fast, forge, "shuffle", seat), "shuffle proof (offset)")


@pytest.mark.parametrize("kind", cheats.SECOND_STAGE)
def test_pair_in_a_shuffle_on_both_backends(group: Group, kind: str) -> None:
    forge = cheats.false_shuffle(cheats.SECOND_STAGE[kind](1))
    verdict = cheat(played(group, (NewDeck(0, 3),), seats=2), 1, "shuffle", forge)
    is_fault(verdict, "shuffle proof (offset)")


@every_index
@every_seat
def test_pair_in_the_first_stage(fast: Group, seat: int, index: int) -> None:
    is_fault(caught(fast, cheats.false_shuffle(cheats.half_scaled(index)), "shuffle", seat), "equality, a secret each")


@every_seat
@pytest.mark.parametrize("change", [cheats.other_offset, cheats.commitment_for_other_r, cheats.other_r])
def test_offset_untied_from_its_commitment(fast: Group, seat: int, change: cheats.Change) -> None:
    """The offset used is not the one committed to: seen at the shuffle, not when it is too late."""
    is_fault(caught(fast, cheats.false_shuffle(change), "shuffle", seat), "shuffle proof (offset)")


@every_index
@pytest.mark.parametrize("name", ["deck", "scaled"])
@pytest.mark.parametrize("column", [0, 1])
def test_identity_in_a_pair(fast: Group, name: str, column: int, index: int) -> None:
    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, **{name: put(field_of(honest, name), column * CARDS + index, bytes(32))})

    is_refused(caught(fast, forge, "shuffle", 1), f"{name}: ")


@pytest.mark.parametrize("name", ["key", "commitment"])
def test_identity_for_a_key(fast: Group, name: str) -> None:
    is_refused(caught(fast, says(**{name: bytes(32)}), "shuffle", 0), name)


@pytest.mark.parametrize("column", [0, 1])
def test_same_point_twice(fast: Group, column: int) -> None:
    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data, at = field_of(honest, "deck"), column * CARDS
        return changed(honest, deck=put(data, at, element(data, at + 2)))

    is_refused(caught(fast, forge, "shuffle", 2), "contains a point twice")


@pytest.mark.parametrize("name", ["deck", "scaled"])
@pytest.mark.parametrize("drop", [32, 64, 2 * 32 * CARDS])
def test_other_number_of_pairs(fast: Group, name: str, drop: int) -> None:
    def shorter(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, **{name: field_of(honest, name)[:-drop]})

    def longer(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, **{name: field_of(honest, name) + bytes(drop)})

    for forge in (shorter, longer):
        is_refused(caught(fast, forge, "shuffle", 1), "bytes instead of")


def test_pairs_left_as_they_were(fast: Group) -> None:
    """ρ = 1 in the first stage, and an r that undoes the ρ: the proofs hold, but everybody could follow the pairs."""

    def unscaled(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        step = cheats.offset_step(deck, duty, tape)
        one = fast.integers([1] * CARDS)
        same = replace(step, scales=one, scaled=step.before)
        return cheats.send(deck, duty, tape, same.mapped(step.order))

    def undone(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        step = cheats.offset_step(deck, duty, tape)
        back = fast.integers([1] * CARDS) * step.r.invert()
        scaled = OffsetPairs(back * step.before.A, back * step.before.B)
        return cheats.send(deck, duty, tape, replace(step, scales=back, scaled=scaled).mapped(step.order))

    is_refused(caught(fast, unscaled, "shuffle", 1), "scaled: pair 0 has a point of the previous deck")
    is_refused(caught(fast, undone, "shuffle", 1), "deck: pair 0 has a point of the previous deck")


@pytest.mark.parametrize("step", [0, 1, 3, 4, -1, 2**40])
def test_wrong_step(fast: Group, step: int) -> None:
    is_refused(caught(fast, says(step=step), "shuffle", 1), "step")


def test_no_offset_at_all(fast: Group) -> None:
    """x = 0 can be shuffled with, and cannot be revealed: the seat is named, and no card is ever dealt."""

    def zero(step: cheats.OffsetStep) -> cheats.OffsetStep:
        nothing = fast.integers([0])
        W = step.t * blinding_generator(fast)
        return replace(step, x=nothing, W=W).mapped(step.order, nothing)

    game = played(fast, *SCRIPT)
    shuffled = cheats.false_shuffle(zero)
    game.play(until=lambda game: b'"step":1' in game.log[-1])
    replica = game.replica()
    (duty,) = (known.duty for known in replica.state.duties.open.values())
    deck = replica.state.hand.decks[0]
    assert isinstance(deck, OffsetDeck) and duty.seat == 1
    deck = deck.apply(duty, shuffled(deck, duty, game.tape(1), deck.message(duty, game.tape(1)))).deck
    (third,) = deck.duties
    deck = deck.apply(third, deck.message(third, game.tape(2))).deck
    reveal = next(duty for duty in deck.duties if duty.seat == 1)
    honest = deck.message(reveal, game.tape(1))
    with pytest.raises(DecodeError, match="offset: zero"):
        deck.apply(reveal, changed(honest, offset=bytes(32)))


# --- Key parts ---


@every_seat
def test_key_parts_nobody_proves(fast: Group, seat: int) -> None:
    """The part that makes a joint key one that the cheater knows: it cannot know its own part then."""

    def rogue(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "dealPublicKeyParts")
        others = [parts[0] for other, parts in deck.parts.items() if other != duty.seat]
        known = fast.integers([7]) * fast.G
        wanted = known - concat(*others).sum() if others else cheats.any_point(fast.G)
        return changed(honest, dealPublicKeyParts=put(data, 0, wanted.to_bytes()))

    step = "requestDealParts" if seat == 0 else "respondDealParts"
    is_fault(caught(fast, rogue, step, seat), "knowledge of keys")


@every_index
def test_key_part_that_cancels_the_others(fast: Group, index: int) -> None:
    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        others = concat(*(parts[index] for parts in deck.parts.values())).sum()
        return changed(
            honest, dealPublicKeyParts=put(field_of(honest, "dealPublicKeyParts"), index, (-others).to_bytes())
        )

    is_refused(caught(fast, forge, "respondDealParts", 2), "or one has none")


def test_key_part_that_makes_two_deals_one(fast: Group) -> None:
    """Two deals with one joint key would be one card twice."""

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "dealPublicKeyParts")
        joint = [concat(*(parts[index] for parts in deck.parts.values())).sum() for index in (0, 1)]
        own = fast.points(element(data, 0)) + joint[0] - joint[1]
        return changed(honest, dealPublicKeyParts=put(data, 1, own.to_bytes()))

    is_refused(caught(fast, forge, "respondDealParts", 2), "two deals have the same joint key")


@every_seat
def test_repeated_key_parts(fast: Group, seat: int) -> None:
    """One part for two deals, proven: the one who has it would open both by publishing one."""

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        d = deck.deal_parts(tape, duty.seat).take([0, 1, 0, 3])
        D = d * fast.G
        proof = equality.prove_knowledge(deck.transcript(duty, 0), tape, D, d)
        return changed(honest, dealPublicKeyParts=D.to_bytes(), proof=proof)

    step = "requestDealParts" if seat == 0 else "respondDealParts"
    is_refused(caught(fast, forge, step, seat), "two deals have the same key part")


def test_copied_key_parts(fast: Group) -> None:
    """Parts and proof of another seat, word for word."""

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        bodies = [read_body(bytes(read_entry(data).entry.body)) for data in game.log]
        victim = next(
            bytes(b.message) for b in bodies if isinstance(b, Cards) and b"requestDealParts" in bytes(b.message)
        )
        names = ("dealPublicKeyParts", "proof")
        return changed(honest, **{name: field_of(victim, name) for name in names})

    game = played(fast, *SCRIPT)
    is_fault(cheat(game, 2, "respondDealParts", forge), "knowledge of keys")


@pytest.mark.parametrize("wrong", [bytes(32), b"\xff" * 32])
def test_key_part_that_is_no_point(fast: Group, wrong: bytes) -> None:
    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, dealPublicKeyParts=put(field_of(honest, "dealPublicKeyParts"), 1, wrong))

    is_refused(caught(fast, forge, "respondDealParts", 1), "dealPublicKeyParts")


# --- What the dealer asks for ---

ORDERS: Final = {
    "missing": [1, 2],
    "doubled": [1, 2, 2],
    "doubled and complete": [1, 2, 3, 3],
    "foreign": [1, 2, 4],
    "foreign and complete": [1, 2, 3, 4],
    "empty": [],
    "from zero": [0, 1, 2],
    "too large": [1, 2, SEATS_MAX + 1],
    "no number": [1, 2, "3"],
}


@pytest.mark.parametrize("name", ORDERS)
def test_wrong_shuffle_order(fast: Group, name: str) -> None:
    verdict = caught(fast, says(shuffleOrder=ORDERS[name]), "requestDealParts", 0)
    is_refused(verdict, "")


@pytest.mark.parametrize(
    "changes",
    [
        {"cards": CARDS - 1},
        {"cards": CARDS + 1},
        {"cards": CARDS_MAX + 1},
        {"cards": 0},
        {"deck": 1},
        {"players": [1, 2]},
        {"players": [1, 2, 3, 4]},
        {"players": [3, 2, 1]},
        {"system": "card"},
        {"type": "respondDealParts"},
    ],
    ids=str,
)
def test_wrong_request(fast: Group, changes: dict[str, object]) -> None:
    is_refused(caught(fast, says(**changes), "requestDealParts", 0), "")


STEPS: Final = (("respondDealParts", 1), ("shuffle", 2), ("revealOffset", 0), ("dealFinal", 1), ("revealFinal", 2))


@pytest.mark.parametrize(("step", "seat"), STEPS)
def test_wrong_player_id(fast: Group, step: str, seat: int) -> None:
    for wrong in (seat, seat + 2, SEATS_MAX, 0, SEATS_MAX + 1):
        is_refused(caught(fast, says(playerId=wrong), step, seat), "playerId" if 0 < wrong <= SEATS_MAX else "")


@pytest.mark.parametrize("step", ["requestDealParts", "dealInitial", "revealInitial"])
@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_who_is_not_the_dealer_cannot_speak_for_it(fast: Group, step: str, dealer: int) -> None:
    game = played(fast, *SCRIPT, dealer=dealer)
    game.play(until=lambda game: f'"type":"{step}"'.encode() in game.log[-1])
    words = read_entry(game.log[-1]).entry
    assert words.seat == dealer
    replica = game.replica(len(game.log) - 1)
    other = (dealer + 1) % SEATS
    with pytest.raises(EntryRefused) as refused:
        replica.append(game.by_hand(other, bytes(words.body), replica))
    assert refused.value.seat == other


# --- Offsets ---


@every_seat
def test_wrong_offset(fast: Group, seat: int) -> None:
    """Another offset, another blinding, both of another seat's step: none of them opens the commitment."""

    def more(name: str) -> Forge:
        def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
            value = fast.scalars(field_of(honest, name)) + fast.integers([1])
            return changed(honest, **{name: value.to_bytes()})

        return forge

    def exchanged(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, offset=field_of(honest, "blinding"), blinding=field_of(honest, "offset"))

    for forge in (more("offset"), more("blinding"), exchanged):
        is_fault(caught(fast, forge, "revealOffset", seat), "the offset it reveals is not the one it shuffled with")


@pytest.mark.parametrize("name", ["offset", "blinding"])
@pytest.mark.parametrize("wrong", [bytes(32), b"\xff" * 32, b"", bytes([1] * 31), bytes([1] * 64)])
def test_offset_that_is_none(fast: Group, name: str, wrong: bytes) -> None:
    is_refused(caught(fast, says(**{name: wrong}), "revealOffset", 1), name)


def test_offset_of_another_seat(fast: Group) -> None:
    game = played(fast, *SCRIPT)

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        other = deck.message(next(d for d in game.replica().state.hand.decks[0].duties if d.seat == 2), game.tape(2))
        return changed(honest, offset=field_of(other, "offset"), blinding=field_of(other, "blinding"))

    is_fault(cheat(game, 1, "revealOffset", forge), "the offset it reveals")


# --- Deals ---


@pytest.mark.sample(cases=1)
@pytest.mark.parametrize("dealer", [0, 2])
def test_wrong_deal(fast: Group, dealer: int) -> None:
    """A deal number used twice, one that was not asked for, one that does not exist, and a seat that does not."""
    wrong: tuple[dict[str, list[int]], ...] = (
        {"dealNo": [1, 1, 3]},
        {"dealNo": [1, 2, 4]},
        {"dealNo": [1, 2]},
        {"dealNo": [1, 2, 3, 4]},
        {"dealNo": [2, 1, 3]},
        {"dealNo": [0, 1, 2]},
        {"dealNo": [1, 2, CARDS + 1]},
        {"dealNo": [1, 2, CARDS_MAX + 1]},
        {"dealNo": []},
        {"player": [1, 2, 4]},
        {"player": [1, 2, SEATS_MAX]},
        {"player": [1, 2, SEATS_MAX + 1]},
        {"player": [1, 2, 0]},
        {"player": [1, 1, 3]},
        {"player": [3, 2, 1]},
        {"player": [1, 2]},
    )
    for changes in wrong:
        is_refused(caught(fast, says(**changes), "dealInitial", dealer, dealer), "")


@pytest.mark.parametrize("used", [1, 2, 3])
def test_deal_number_used_before(fast: Group, used: int) -> None:
    """An opening that names a deal which is in a hand."""
    is_refused(caught(fast, says(dealNo=[used]), "revealInitial", 0), "dealNo")


@pytest.mark.sample(cases=3)
@pytest.mark.parametrize(
    ("step", "seat"), [("dealFinal", 0), ("dealFinal", 1), ("revealInitial", 0), ("revealFinal", 1), ("revealFinal", 2)]
)
def test_wrong_key_part(fast: Group, step: str, seat: int) -> None:
    def more(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "dealKeyPart")
        wrong = fast.scalars(element(data, 0)) + fast.integers([1])
        return changed(honest, dealKeyPart=put(data, 0, wrong.to_bytes()))

    def negative(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "dealKeyPart")
        return changed(honest, dealKeyPart=put(data, 0, (-fast.scalars(element(data, 0))).to_bytes()))

    for forge in (more, negative):
        is_fault(caught(fast, forge, step, seat), "is not the card's key")
    for part in (b"", bytes(32), bytes([1]) * 31, b"\xff" * 32):
        is_refused(caught(fast, says(dealKeyPart=part), step, seat), "dealKeyPart")


def test_key_parts_in_another_order(fast: Group) -> None:
    """Right secrets for the wrong deals: a fault. Deals named in another order: refused."""

    def parts(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "dealKeyPart")
        return changed(honest, dealKeyPart=element(data, 1) + element(data, 0))

    def deals(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, dealNo=json.loads(honest)["dealNo"][::-1])

    is_fault(caught(fast, parts, "dealFinal", 1), "is not the card's key")
    is_refused(caught(fast, deals, "dealFinal", 1), "dealNo")


def test_key_part_of_ones_own_card(fast: Group) -> None:
    """The receiver does not owe its own part, and cannot be made to publish it instead of another."""

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        own = deck.card_secrets(tape, (duty.seat,), duty.seat).to_bytes()
        data = field_of(honest, "dealKeyPart")
        return changed(honest, dealNo=[duty.seat + 1, 3], dealKeyPart=own + element(data, 1))

    is_refused(caught(fast, forge, "dealFinal", 1), "dealNo")


# --- Twice ---


@pytest.mark.parametrize("step", ["shuffle", "respondDealParts", "revealOffset", "dealFinal"])
def test_twice_by_the_same_seat(fast: Group, step: str) -> None:
    """Every duty of a seat is done once: a second shuffle, offset or part is refused, as is doing another's duty."""
    game = played(fast, *SCRIPT)
    game.play(until=lambda game: f'"type":"{step}"'.encode() in game.log[-1])
    replica = game.replica()
    entry = read_entry(game.log[-1]).entry
    body = read_body(bytes(entry.body))
    assert isinstance(body, Cards)
    before = replica.digest()
    with pytest.raises(EntryRefused) as refused:
        replica.append(game.by_hand(entry.seat, bytes(entry.body), replica))
    assert refused.value.seat == entry.seat
    # With the duty of the seat that is next.
    known = next(
        k.duty for k in replica.state.duties.open.values() if k.duty.kind == step and k.duty.seat != entry.seat
    )
    deck = replica.state.hand.decks[0]
    forged = deck.message(known, game.tape(known.seat))
    for message in (bytes(body.message), changed(forged, playerId=entry.seat + 1), forged):
        with pytest.raises(EntryRefused) as refused:
            replica.append(game.by_hand(entry.seat, Cards(known.id, msgspec.Raw(message)), replica))
        assert refused.value.seat == entry.seat
    assert replica.digest() == before


def test_second_shuffle_by_its_own_name(fast: Group) -> None:
    """An order that names a seat twice would give it two steps; there is none, so it has no second duty to answer."""
    game = played(fast, *SCRIPT).play()
    shuffles = [data for data in game.log if b'"type":"shuffle"' in data]
    assert sorted(read_entry(data).entry.seat for data in shuffles) == [0, 1, 2]
