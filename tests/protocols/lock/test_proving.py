"""What a seat proves of `lock` cards that stay hidden. What is the same for `mask` is tested there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends import FASTEST
from conformance.harness import Source
from nodealer.cards.operations import Deal, NoneOf, Place, Portion, Prove, Return, Show
from nodealer.errors import BadParameter, DecodeError, Malformed, PeerFault, Unprovable
from nodealer.group import Group, Scalars, concat
from nodealer.group import group as make_group
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Duty
from nodealer.protocols.exclusion import check_none, prove_none
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.deck import LockDeck
from nodealer.tape import Tape
from sampling import times

from ..decks import Decks, binding, tapes_of
from ..kit import changed, element, field_of, put
from ..mask.polynomials import ONE, in_span, symbol

SEATS = 3
CARDS = 10


@cache
def dealt(group: Group) -> Decks[LockDeck]:
    """Three cards in each hand."""
    decks = Decks(binding("lock", group, SEATS), tapes_of(SEATS), Lock(on=group))
    decks.make(CARDS)
    decks.ask(Deal(0, tuple(Portion(seat, 3) for seat in range(SEATS))))
    decks.settle()
    return decks


def again(group: Group) -> Decks[LockDeck]:
    """The same, to be gone on with."""
    decks = dealt(group)
    return Decks(decks.table, decks.tapes, decks.protocol, dict(decks.decks))


def duty_of(deck: LockDeck, seat: int) -> Duty:
    return deck.duty(seat, "exclude", deck.trail)


def hand(decks: Decks[LockDeck], seat: int) -> dict[int, int]:
    places = decks.decks[0].places
    hidden = places.only_hidden(places.hand(seat))
    return {card.position: face for card, face in decks.knows(seat).items() if card.position in hidden}


def others(decks: Decks[LockDeck], seat: int) -> tuple[int, ...]:
    """Faces that a seat does not have."""
    return tuple(face for face in range(CARDS) if face not in hand(decks, seat).values())


def none_held(deck: LockDeck, seat: int, faces: Iterable[int]) -> NoneOf:
    return NoneOf(seat, tuple(sorted(deck.places.only_hidden(deck.places.hand(seat)))), tuple(sorted(faces)))


def one_of(deck: LockDeck, position: int, faces: Iterable[int]) -> NoneOf:
    return NoneOf.one_of(deck.places.owner(position) or 0, (position,), faces, deck.places.face_count)


def proven(decks: Decks[LockDeck], seat: int, claim: NoneOf) -> bytes:
    deck = decks.decks[0]
    message = prove_none(deck, duty_of(deck, seat), decks.tapes[seat], claim)
    settle([check_none(deck, duty_of(deck, seat), claim, message)], Source("weights"))
    return message


def caught(deck: LockDeck, seat: int, claim: NoneOf, message: bytes) -> PeerFault | Malformed:
    try:
        settle([check_none(deck, duty_of(deck, seat), claim, message)], Source("weights"))
    except PeerFault as fault:
        assert fault.seat == seat
        return fault
    except Malformed as refused:
        return refused
    raise AssertionError("nobody notices")


@given(
    st.integers(0, SEATS - 1),
    st.sets(st.integers(0, CARDS - 1), min_size=1),
    st.sets(st.integers(0, 2), min_size=1),
)
@settings(max_examples=times(15, deep=200))
def test_whatever_is_true_can_be_proven(seat: int, faces: set[int], some: set[int]) -> None:
    decks = dealt(make_group(backend=FASTEST))
    deck, held = decks.decks[0], hand(decks, seat)
    positions = tuple(sorted(held)[place] for place in sorted(some))
    claim = NoneOf(seat, positions, tuple(sorted(faces)))
    if faces.isdisjoint(held[position] for position in positions):
        proven(decks, seat, claim)
    else:
        with pytest.raises(Unprovable, match="one of the excluded faces"):
            prove_none(deck, duty_of(deck, seat), decks.tapes[seat], claim)


def test_both_backends_give_the_same_bytes(native: Group) -> None:
    made = [dealt(group) for group in (native, make_group(backend="reference"))]
    assert len({proven(decks, 1, none_held(decks.decks[0], 1, others(decks, 1))) for decks in made}) == 1


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_on_secp256k1(backend: str) -> None:
    """Where points have 33 bytes and scalars are big-endian."""
    if backend == "native" and FASTEST != "native":
        pytest.skip("the native core is not built")
    group = make_group("secp256k1", backend)
    decks = Decks(binding("lock", group, 2), tapes_of(2), Lock(on=group))
    decks.make(4)
    decks.ask(Deal(0, (Portion(0, 1), Portion(1, 1))))
    position, face = next(iter(hand(decks, 1).items()))
    message = proven(decks, 1, one_of(decks.decks[0], position, {face}))
    assert len(field_of(message, "faces")) == 3 * 33 and len(field_of(message, "proof")) == 1 + 4 * 33 + 2 * 32
    claim = one_of(decks.decks[0], position, {(face + 1) % 4, face})
    assert "the multiplied faces" in str(caught(decks.decks[0], 1, claim, message))


def test_cards_laid_aside_and_held_through_a_recovery(fast: Group) -> None:
    decks = again(fast)
    first, second, _ = sorted(hand(decks, 1))
    faces = hand(decks, 1)
    decks.ask(Return(0, (first,), Place.DISCARD, by=1))
    proven(decks, 1, one_of(decks.decks[0], first, {faces[first]}))
    change = decks.decks[0].without((2,))
    assert change is not None and isinstance(change.deck, LockDeck)
    decks.run(change.deck)
    decks.ask(Deal(0, (Portion(1, 1),)))
    deck = decks.decks[0]
    claim = none_held(deck, 1, others(decks, 1))
    assert len({deck.masked_by(position) for position in claim.positions}) == 2
    proven(decks, 1, claim)
    proven(decks, 1, one_of(deck, first, {faces[first]}))
    proven(decks, 1, one_of(deck, second, {faces[second]}))


def test_cards_that_are_not_the_seats_alone(fast: Group) -> None:
    decks = again(fast)
    mine, shown, _ = sorted(hand(decks, 1))
    theirs = min(hand(decks, 0))
    deck = decks.ask(Show(0, 1, (shown,)))
    for position in (theirs, shown, deck.places.pile[0], 77):
        with pytest.raises(BadParameter, match=f"seat 1 cannot prove anything about card {position} of deck 0"):
            deck.request(Prove(0, (NoneOf(1, tuple(sorted((mine, position))), (0,)),)))
    with pytest.raises(BadParameter, match="no faces yet"):
        Lock(on=fast).new_deck(decks.table, 1, CARDS, None).face_points((0,))


@pytest.mark.parametrize("name", ["key", "faces", "cards", "proof"])
def test_every_field_tampered_with(fast: Group, name: str) -> None:
    decks = dealt(fast)
    deck = decks.decks[0]
    claim = none_held(deck, 1, others(decks, 1))
    message = proven(decks, 1, claim)
    data = field_of(message, name)
    for wrong in (b"", data[:-1], data + bytes(32)):
        assert isinstance(caught(deck, 1, claim, changed(message, **{name: wrong})), DecodeError)
    start = 1 if name == "proof" else 0
    for index in range(len(data[start:]) // 32):
        piece = element(data[start:], index)
        for other in (bytes(32), fast.G.to_bytes(), piece[:5] + bytes([piece[5] ^ 4]) + piece[6:]):
            caught(deck, 1, claim, changed(message, **{name: data[:start] + put(data[start:], index, other)}))


def test_a_proof_of_something_else(fast: Group) -> None:
    """Of an earlier play, another seat, other cards or other faces."""
    decks = dealt(fast)
    deck = decks.decks[0]
    claim = none_held(deck, 1, others(decks, 1)[:3])
    message, fault = proven(decks, 1, claim), "does not verify"
    assert fault in str(caught(deck.with_fields(trail=bytes(32)), 1, claim, message))
    assert fault in str(caught(deck.with_fields(epoch=deck.epoch + 1), 1, claim, message))
    assert fault in str(caught(deck, 2, none_held(deck, 2, claim.faces), message))
    assert fault in str(caught(deck, 1, NoneOf(1, claim.positions, others(decks, 1)[1:4]), message))
    two = proven(decks, 1, NoneOf(1, claim.positions[:2], claim.faces))
    assert fault in str(caught(deck, 1, NoneOf(1, claim.positions[1:], claim.faces), two))
    # A face left out.
    assert "the multiplied faces" in str(caught(deck, 1, NoneOf(1, claim.positions, others(decks, 1)[:4]), message))


def test_a_holder_that_lies_about_its_key(fast: Group) -> None:
    """With another secret its product is no face, and no forbidden one: the row of the key says so."""
    decks = dealt(fast)
    deck, tape = decks.decks[0], decks.tapes[1]
    held = hand(decks, 1)
    claim = NoneOf(1, tuple(sorted(held)), tuple(sorted(held.values()))[:1])
    secrets = deck.card_secrets(tape, claim.positions, 1)
    lying = concat(*(secrets[place] + fast.integers([place + 1]) for place in range(3)))

    class Lying(LockDeck):
        def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int) -> Scalars:
            return lying

    fields: dict[str, Any] = {name: getattr(deck, name) for name in deck.__dataclass_fields__}
    false = prove_none(Lying(**fields), duty_of(deck, 1), tape, claim)
    assert "does not verify" in str(caught(deck, 1, claim, false))


@pytest.mark.parametrize("proofs", [0, 1, 3])
def test_the_face_is_not_in_the_span_of_what_is_published(proofs: int) -> None:
    """In symbols: from the card under its holder's secret, that secret's key, all faces and all products."""
    s, card, faces = symbol("s"), symbol("card"), [symbol(f"face {j}") for j in range(3)]
    published = [ONE, s, s * card, *faces]
    for number in range(proofs):
        y = symbol(f"y{number}")
        published += [y, y * card, *(y * face for face in faces)]
    assert not in_span(card, published)
