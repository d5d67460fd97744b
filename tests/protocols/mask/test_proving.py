"""What a seat proves of cards that stay hidden, on decks as they are in a game."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends import FASTEST
from conformance.harness import Source
from nodealer.cards.operations import Deal, Gift, NoneOf, Open, Pass, Place, Portion, Prove, Return, Show
from nodealer.errors import BadParameter, DecodeError, Malformed, PeerFault, Unprovable
from nodealer.group import Group, concat
from nodealer.group import group as make_group
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Duty
from nodealer.protocols.exclusion import _transcript, check_none, prove_none
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.terms import terms_of
from sampling import times

from ..decks import Decks
from ..kit import changed, element, field_of, put
from . import by_shuffling
from .kit import decks_on, fresh, table, without
from .polynomials import ONE, in_span, symbol

SEATS: Final = 4
SUIT: Final = 13


def duty_of(deck: MaskDeck, seat: int) -> Duty:
    """What a game would ask for now."""
    return deck.duty(seat, "exclude", deck.trail)


def proven(deck: MaskDeck, tape: Tape, seat: int, claim: NoneOf) -> bytes:
    """A message that everybody takes."""
    message = prove_none(deck, duty_of(deck, seat), tape, claim)
    settle([check_none(deck, duty_of(deck, seat), claim, message)], Source("weights"))
    return message


def caught(deck: MaskDeck, seat: int, claim: NoneOf, message: bytes) -> PeerFault | Malformed:
    """What a false message is answered with."""
    try:
        settle([check_none(deck, duty_of(deck, seat), claim, message)], Source("weights"))
    except PeerFault as fault:
        assert fault.seat == seat
        return fault
    except Malformed as refused:
        return refused
    raise AssertionError("nobody notices")


@cache
def dealt(group: Group, size: int = 16, each: int = 3, mark: int = 1) -> Decks[MaskDeck]:
    """A deck with a few cards in each hand. Nothing asks more of it: decks never change."""
    decks = decks_on(table(group, SEATS), mark)
    decks.make(size)
    decks.ask(Deal(0, tuple(Portion(seat, each) for seat in range(SEATS))))
    decks.settle()
    return decks


def hand(decks: Decks[MaskDeck], seat: int) -> dict[int, int]:
    """Position to face, of the hidden cards in a hand."""
    hidden = decks.decks[0].places.only_hidden(decks.decks[0].places.hand(seat))
    return {card.position: face for card, face in decks.knows(seat).items() if card.position in hidden}


def others(decks: Decks[MaskDeck], seat: int, count: int = 3) -> tuple[int, ...]:
    """Faces that a seat does not have."""
    mine = set(hand(decks, seat).values())
    return tuple(face for face in range(decks.decks[0].faces.size) if face not in mine)[:count]


def none_held(deck: MaskDeck, seat: int, faces: Iterable[int]) -> NoneOf:
    """The claim that none of the cards that a seat still holds hidden is one of these faces."""
    return NoneOf(seat, tuple(sorted(deck.places.only_hidden(deck.places.hand(seat)))), tuple(sorted(faces)))


def one_of(deck: MaskDeck, position: int, faces: Iterable[int]) -> NoneOf:
    """The claim that a card is one of these faces."""
    return NoneOf.one_of(deck.places.owner(position) or 0, (position,), faces, deck.places.face_count)


def refused(deck: MaskDeck, claim: NoneOf, position: int) -> None:
    """The deck does not ask for it."""
    with pytest.raises(BadParameter, match=f"seat {claim.seat} cannot prove anything about card {position} of deck 0"):
        deck.request(Prove(0, (claim,)))


# --- True claims ---


def test_a_hand_of_thirteen_and_a_suit(fast: Group) -> None:
    """As in Hearts: after some cards are played, whoever has no heart left proves it, and nobody else can."""
    decks = dealt(fast, 52, 13)
    deck = decks.decks[0]
    for seat in range(SEATS):
        held = hand(decks, seat)
        hearts = {position for position, face in held.items() if face < SUIT}
        claim = none_held(deck, seat, range(SUIT))
        assert claim.positions == tuple(sorted(held)) and claim.faces == tuple(range(SUIT))
        with pytest.raises(Unprovable, match="one of the excluded faces"):
            prove_none(deck, duty_of(deck, seat), decks.tapes[seat], claim)
        rest = NoneOf(seat, tuple(p for p in claim.positions if p not in hearts), claim.faces)
        proven(deck, decks.tapes[seat], seat, rest)


def test_one_card_of_a_suit(fast: Group) -> None:
    """Every card of a hand is of its own suit, and cannot be proven to be of another."""
    decks = dealt(fast, 52, 13)
    deck, tape = decks.decks[0], decks.tapes[1]
    for position, face in list(hand(decks, 1).items())[: times(4, deep=13)]:
        for suit in range(4):
            claim = one_of(deck, position, range(suit * SUIT, suit * SUIT + SUIT))
            assert len(claim.faces) == 39
            if face // SUIT == suit:
                proven(deck, tape, 1, claim)
            else:
                with pytest.raises(Unprovable, match="one of the excluded faces"):
                    prove_none(deck, duty_of(deck, 1), tape, claim)


@given(st.integers(0, SEATS - 1), st.sets(st.integers(0, 15), min_size=1), st.sets(st.integers(0, 2), min_size=1))
@settings(max_examples=times(20, deep=300))
def test_both_ways_agree(seat: int, faces: set[int], some: set[int]) -> None:
    """Whatever is claimed of whichever cards: who can prove it can prove it by shuffling the other faces, too."""
    decks = dealt(make_group(backend=FASTEST))
    deck, tape, held = decks.decks[0], decks.tapes[seat], hand(decks, seat)
    positions = tuple(sorted(held)[place] for place in sorted(some))
    claim = NoneOf(seat, positions, tuple(sorted(faces)))
    true = faces.isdisjoint(held[position] for position in positions)
    if not true:
        with pytest.raises(Unprovable, match="one of the excluded faces"):
            prove_none(deck, duty_of(deck, seat), tape, claim)
    else:
        proven(deck, tape, seat, claim)
    allowed = [face for face in range(16) if face not in faces]
    if len(allowed) < 2:
        return  # nothing to shuffle
    cards, keys = deck.held_cards(positions), deck.card_keys(positions, seat)
    s, M = deck.card_secrets(tape, positions, seat), deck.faces.points.take(allowed)
    context = deck.binding.context(deck=0, epoch=0, step="exclude", seat=seat, anchor=deck.trail)
    if true:
        sent = by_shuffling.prove(context, tape, M, cards, keys, s)
        settle(by_shuffling.check(context, M, cards, keys, sent), Source("weights"))
    else:
        with pytest.raises(BadParameter, match="none of the allowed"):
            by_shuffling.prove(context, tape, M, cards, keys, s)


def test_what_the_other_way_costs(fast: Group) -> None:
    """For a hand of thirteen: more than three times the bytes. And it refuses what it should."""
    decks = dealt(fast, 52, 13)
    deck, tape, held = decks.decks[0], decks.tapes[0], hand(decks, 0)
    positions = tuple(sorted(held))
    allowed = sorted({*held.values(), *others(decks, 0, 26)})
    forbidden = tuple(face for face in range(52) if face not in allowed)
    cards, keys = deck.held_cards(positions), deck.card_keys(positions, 0)
    s, M = deck.card_secrets(tape, positions, 0), deck.faces.points.take(allowed)
    context = deck.binding.context(deck=0, epoch=0, step="exclude", seat=0, anchor=deck.trail)
    sent = by_shuffling.prove(context, tape, M, cards, keys, s)
    settle(by_shuffling.check(context, M, cards, keys, sent), Source("weights"))
    light = json.loads(proven(deck, tape, 0, NoneOf(0, positions, forbidden)))
    size = sum(len(field_of(light, name)) for name in ("key", "faces", "cards", "proof"))
    assert size == 32 * (1 + 13 + 13) + 1 + 32 * (2 * 13 + 4) == 1825
    assert sent.size > 3 * size
    with pytest.raises(Malformed, match="stands for two"):
        by_shuffling.check(context, M, cards, keys, replace(sent, chosen=(sent.chosen[1], *sent.chosen[1:])))
    other = replace(sent, chosen=(*sent.chosen[1:], sent.chosen[0]))
    with pytest.raises(PeerFault, match="does not verify"):
        settle(by_shuffling.check(context, M, cards, keys, other), Source("weights"))


def test_the_message_depends_on_nothing_else(group: Group) -> None:
    """Made again it is the same, byte for byte, on both backends."""
    decks = dealt(group)
    message = prove_none(decks.decks[0], duty_of(decks.decks[0], 2), decks.tapes[2], claim_of(decks, 2))
    other = dealt(make_group(backend="reference"))
    again = prove_none(other.decks[0], duty_of(other.decks[0], 2), other.tapes[2], claim_of(other, 2))
    assert message == again


def claim_of(decks: Decks[MaskDeck], seat: int) -> NoneOf:
    """A true claim about a whole hand."""
    return none_held(decks.decks[0], seat, others(decks, seat))


def test_proofs_of_a_hand_are_one_sum(fast: Group) -> None:
    """Every seat's, in one batch: the faces that all are asked about are one array."""
    decks = dealt(fast)
    deck, checks = decks.decks[0], list[Check]()
    nobodys = tuple(face for face in range(16) if not any(face in hand(decks, seat).values() for seat in range(SEATS)))
    for seat in range(SEATS):
        claim = none_held(deck, seat, nobodys)
        message = prove_none(deck, duty_of(deck, seat), decks.tapes[seat], claim)
        checks.append(check_none(deck, duty_of(deck, seat), claim, message))
    settle(checks, Source("weights"))
    f, h = len(nobodys), 3
    terms = sum(len(factors) for factors, _ in terms_of(checks, Source("terms")))
    assert f == 4 and terms == SEATS * (2 * f + 5 * h + 5) - (SEATS - 1) * (f + 1)


# --- Cards of every way of life ---


def test_cards_that_were_laid_aside(fast: Group) -> None:
    """A card laid face down is its owner's still, and can be proven; nobody else's claim of it is heard."""
    decks = fresh(fast, SEATS, 8)
    decks.ask(Deal(0, (Portion(1, 2),)))
    (first, face), (second, _) = hand(decks, 1).items()
    deck = decks.ask(Return(0, (first,), Place.DISCARD, by=1))
    decks.settle()
    proven(deck, decks.tapes[1], 1, one_of(deck, first, {face, (face + 1) % 8}))
    assert none_held(deck, 1, (0,)).positions == (second,), "it is not in the hand any more"
    refused(deck, NoneOf(2, (first,), (0,)), first)


def test_cards_of_two_layers_after_a_seat_has_left(fast: Group) -> None:
    """Held through a rebuild, and dealt after it: one proof for both, though others' keys are in them."""
    decks = fresh(fast, SEATS, 10)
    decks.ask(Deal(0, tuple(Portion(seat, 2) for seat in range(SEATS))))
    decks.run(without(decks, 3))
    deck = decks.ask(Deal(0, (Portion(1, 2),)))
    decks.settle()
    claim = claim_of(decks, 1)
    assert len(claim.positions) == 4 and len({deck.masked_by(position) for position in claim.positions}) == 2
    proven(deck, decks.tapes[1], 1, claim)
    mine = set(hand(decks, 1).values())
    with pytest.raises(Unprovable, match="one of the excluded faces"):
        prove_none(deck, duty_of(deck, 1), decks.tapes[1], NoneOf(1, claim.positions, tuple(sorted(mine))[:1]))


def test_cards_that_were_passed(fast: Group) -> None:
    """A gift is its receiver's to prove, with its other cards; the giver has no claim to it any more, though it knows
    it, and who was shown a card has none to where it sees it."""
    decks = fresh(fast, 3, 9)
    decks.ask(Deal(0, tuple(Portion(seat, 2) for seat in range(3))))
    given, kept = sorted(hand(decks, 0))
    face = hand(decks, 0)[given]
    deck = decks.ask(Pass(0, (Gift(0, 1, (given,)),)))
    deck = decks.ask(Show(0, 0, (kept,), 2))
    decks.settle()
    claim = claim_of(decks, 1)
    assert len(claim.positions) == 3 and {deck.masked_by(position) for position in claim.positions} == {(0, 1, 2), (1,)}
    proven(deck, decks.tapes[1], 1, claim)
    gift = next(position for position in claim.positions if deck.masked_by(position) == (1,))
    proven(deck, decks.tapes[1], 1, one_of(deck, gift, {face}))
    with pytest.raises(Unprovable, match="one of the excluded faces"):
        prove_none(deck, duty_of(deck, 1), decks.tapes[1], NoneOf(1, claim.positions, (face,)))
    seen = next(position for position in range(deck.places.position_count) if deck.masked_by(position) == (2,))
    for seat, position in ((0, given), (0, gift), (2, seen), (2, kept)):
        refused(deck, NoneOf(seat, (position,), (0,)), position)
    proven(deck, decks.tapes[0], 0, one_of(deck, kept, {hand(decks, 0)[kept]}))


# --- What may be claimed ---


def test_claims_that_are_none(fast: Group) -> None:
    for numbers in ((), (1, 1), (2, 1), (-1,), (0, 3, 3)):
        with pytest.raises(BadParameter, match="no positions, or they are not in ascending order"):
            NoneOf(1, numbers, (1,)).refuse_form()
        with pytest.raises(BadParameter, match="no faces, or they are not in ascending order"):
            NoneOf(1, (1,), numbers).refuse_form()
    deck = dealt(fast).decks[0]
    with pytest.raises(BadParameter, match="does not have all of"):
        one_of(deck, 0, {3, 16})
    with pytest.raises(BadParameter, match="no faces"):
        one_of(deck, 0, range(16)).refuse_form()


def test_cards_that_are_not_the_seats_alone(fast: Group) -> None:
    """Of the pile, another's, open, shown, gone: nobody is asked."""
    decks = fresh(fast, 3, 9)
    decks.ask(Deal(0, (Portion(0, 2), Portion(1, 2))))
    decks.ask(Open(0, 1))
    mine, shown = sorted(hand(decks, 1))
    theirs = min(hand(decks, 0))
    opened = min(set(decks.decks[0].places.opened))
    deck = decks.ask(Show(0, 1, (shown,)))
    for position in (shown, theirs, opened, deck.places.pile[0], 99):
        for positions in {(position,), tuple(sorted((mine, position)))}:
            refused(deck, NoneOf(1, positions, (0,)), position)
    with pytest.raises(BadParameter, match="has no face 9"):
        deck.request(Prove(0, (NoneOf(1, (mine,), (3, 9)),)))


def test_a_place_that_the_card_has_left(fast: Group) -> None:
    """A card that went back is another place's; all keys of the old one but the seat's are published as before."""
    decks = fresh(fast, 3, 6)
    decks.ask(Deal(0, (Portion(1, 2),)))
    gone, kept = sorted(hand(decks, 1))
    deck = decks.ask(Return(0, (gone,), Place.TOP, by=1))
    assert set(deck.masked_by(gone)) - set(deck.released[gone]) == {1}
    refused(deck, NoneOf(1, (gone, kept), others(decks, 1)), gone)
    proven(deck, decks.tapes[1], 1, NoneOf(1, (kept,), others(decks, 1)))


def test_a_card_with_a_key_that_is_missing(fast: Group) -> None:
    """No deck has such a card in a hand; were there one, nobody could say what it is under."""
    decks = dealt(fast)
    deck, claim = decks.decks[0], claim_of(decks, 1)
    first = claim.positions[0]
    half = deck.with_fields(released={**deck.released, first: {0: deck.released[first][0]}})
    own = deck.card_secrets(decks.tapes[1], (first,), 1)
    told = deck.with_fields(released={**deck.released, first: {**deck.released[first], 1: own}})
    for other in (half, told):
        with pytest.raises(BadParameter, match="alone"):
            other.request(Prove(0, (claim,)))


# --- False messages ---

FIELDS: Final = ("key", "faces", "cards", "proof")


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_tampered_with(fast: Group, name: str) -> None:
    decks = dealt(fast)
    deck, claim = decks.decks[0], claim_of(decks, 1)
    message = proven(deck, decks.tapes[1], 1, claim)
    data = field_of(message, name)
    for wrong in (b"", data[:-1], data + b"\0", data + bytes(32), data[:-32]):
        refused = caught(deck, 1, claim, changed(message, **{name: wrong}))
        assert isinstance(refused, DecodeError) and "bytes instead of" in str(refused)
    start = 1 if name == "proof" else 0
    for index in range(len(data[start:]) // 32):
        piece = element(data[start:], index)
        for other in (bytes(32), b"\xff" * 32, fast.G.to_bytes(), piece[:5] + bytes([piece[5] ^ 4]) + piece[6:]):
            spoilt = data[:start] + put(data[start:], index, other)
            caught(deck, 1, claim, changed(message, **{name: spoilt}))


def test_other_messages(fast: Group) -> None:
    decks = dealt(fast)
    deck, claim = decks.decks[0], claim_of(decks, 1)
    message = proven(deck, decks.tapes[1], 1, claim)
    fields = json.loads(message)
    for wrong in (
        b"",
        b"{}",
        b"[]",
        message + b" ",
        message.replace(b'"exclude"', b'"held"'),
        encode({name: value for name, value in fields.items() if name != "cards"}),
        encode(fields | {"more": 1}),
        encode(fields | {"key": None}),
    ):
        assert isinstance(caught(deck, 1, claim, wrong), DecodeError)


def test_a_proof_of_something_else(fast: Group) -> None:
    """Of an earlier play, another seat, other cards or faces, another hand, deck or session, or other people."""
    decks = dealt(fast)
    deck, claim, tape = decks.decks[0], claim_of(decks, 1), decks.tapes[1]
    message = proven(deck, tape, 1, claim)
    fault = "does not verify"
    # An earlier play: the deck has heard something since.
    later = replace(deck, trail=bytes(32))
    assert fault in str(caught(later, 1, claim, message))
    # Another step of the same anchor, another epoch.
    with pytest.raises(PeerFault, match=fault):
        settle([check_none(deck, deck.duty(1, "other", deck.trail), claim, message)], Source("weights"))
    assert fault in str(caught(deck.with_fields(epoch=deck.epoch + 1), 1, claim, message))
    # Another seat's cards, or the same message as another seat's.
    shared = tuple(face for face in others(decks, 1, 9) if face in others(decks, 2, 9))[:3]
    mine = proven(deck, tape, 1, none_held(deck, 1, shared))
    assert fault in str(caught(deck, 2, none_held(deck, 2, shared), mine))
    # Other cards of the same seat, one for another.
    two = NoneOf(1, claim.positions[:2], claim.faces)
    assert fault in str(caught(deck, 1, NoneOf(1, claim.positions[1:], claim.faces), proven(deck, tape, 1, two)))
    # Other faces: as many, fewer, more.
    faces = others(decks, 1, 9)
    assert fault in str(caught(deck, 1, NoneOf(1, claim.positions, faces[1:4]), message))
    assert "the multiplied faces" in str(caught(deck, 1, NoneOf(1, claim.positions, faces[:2]), message))
    assert "the multiplied faces" in str(caught(deck, 1, NoneOf(1, claim.positions, faces[:4]), message))
    # Another hand, session, roster: other decks, with the same tapes.
    for options in ({"hand": 1}, {"session": b"t" * 32}, {"roster": b"q" * 32}):
        other = deck.with_fields(binding=replace(deck.binding, **options))
        assert fault in str(caught(other, 1, claim, message))
    assert fault in str(caught(deck.with_fields(number=1), 1, claim, message))
    # The cards were shuffled by people with other tapes: another deck altogether.
    unlike = dealt(fast, mark=2)
    same_places = NoneOf(1, claim.positions, others(unlike, 1))
    assert fault in str(caught(unlike.decks[0], 1, same_places, message))


def test_the_names_of_cards_and_faces_are_in_the_transcript(fast: Group) -> None:
    """Beside their points: which faces, which positions, and since which epoch."""
    deck = dealt(fast).decks[0]
    later = deck.with_fields(places=replace(deck.places, epochs=(2, *deck.places.epochs)))
    claims = (
        NoneOf(1, (0, 1), (4, 5)),
        NoneOf(1, (0, 1), (4, 6)),
        NoneOf(1, (0, 2), (4, 5)),
        NoneOf(1, (0, 1, 4), (5,)),
    )
    states = [_transcript(deck, duty_of(deck, 1), claim) for claim in claims]
    states.append(_transcript(later, duty_of(deck, 1), NoneOf(1, (1, 2), (4, 5))))
    states.append(_transcript(deck, duty_of(deck, 1), NoneOf(1, (1, 2), (4, 5))))
    assert len({state.challenge("any", fast).to_bytes() for state in states}) == len(states)


def test_a_holder_of_a_heart_that_lies(fast: Group) -> None:
    """It has one of the faces. Whatever it sends for that card, the seat is named, or the message refused."""
    decks = dealt(fast)
    deck, tape, held = decks.decks[0], decks.tapes[1], hand(decks, 1)
    positions = tuple(sorted(held))
    hearts = tuple(sorted((held[positions[0]], *others(decks, 1, 2))))
    claim = NoneOf(1, positions, hearts)
    fewer = NoneOf(1, positions, others(decks, 1, 2))
    sent = prove_none(deck, duty_of(deck, 1), tape, fewer)
    place = hearts.index(held[positions[0]])
    faces = field_of(sent, "faces")
    for extra in (fast.G.to_bytes(), field_of(sent, "key"), faces[:32], element(field_of(sent, "cards"), 0)):
        stuffed = faces[: 32 * place] + extra + faces[32 * place :]
        caught(deck, 1, claim, changed(sent, faces=stuffed))
    # The card that it lacks the courage for left out, and an honest proof of the rest.
    rest = prove_none(deck, duty_of(deck, 1), tape, NoneOf(1, positions[1:], hearts))
    assert "the multiplied cards" in str(caught(deck, 1, claim, rest))
    # It uses another card's product, or that of another proof, for the heart.
    cards = field_of(rest, "cards")
    for other in (cards[:32], element(field_of(sent, "cards"), 0), fast.G.to_bytes()):
        padded = changed(rest, cards=other + cards, proof=_padded(fast, field_of(rest, "proof")))
        caught(deck, 1, claim, padded)
    # It proves with the key of another card in the place of the heart's.
    assert "does not verify" in str(caught(deck, 1, claim, _with_another_key(deck, tape, claim)))


def _padded(group: Group, proof: bytes) -> bytes:
    """A proof about two cards in the size of one about three."""
    points, scalars = proof[1 : 1 + 5 * 32], proof[1 + 5 * 32 :]
    return proof[:1] + points[:64] + group.G.to_bytes() + points[64:] + scalars + bytes(31) + b"\1"


def _with_another_key(deck: MaskDeck, tape: Tape, claim: NoneOf) -> bytes:
    """The honest prover with a secret that is not the heart's: its product is then no face, and no forbidden one."""
    secrets = deck.card_secrets(tape, claim.positions, 1)
    lying = concat(secrets[0] + deck.binding.group.integers([1]), secrets[1:])

    class Lying(MaskDeck):
        def card_secrets(self, tape: Tape, positions: tuple[int, ...], seat: int):  # type: ignore[no-untyped-def]
            return lying

    fields = {name: getattr(deck, name) for name in deck.__dataclass_fields__}
    return prove_none(Lying(**fields), duty_of(deck, 1), tape, claim)


# --- Secrecy ---


def test_y_is_another_in_every_proof(fast: Group) -> None:
    """Products of two proofs never meet: not at a later play, not for fewer cards, not for other faces."""
    decks = dealt(fast)
    deck, claim, tape = decks.decks[0], claim_of(decks, 1), decks.tapes[1]
    later = replace(deck, trail=bytes(32))
    claims = (claim, NoneOf(1, claim.positions[1:], claim.faces), NoneOf(1, claim.positions, claim.faces[1:]))
    messages = [prove_none(at, duty_of(at, 1), tape, one) for at in (deck, later) for one in claims]
    messages.append(prove_none(deck, deck.duty(1, "other", deck.trail), tape, claim))
    pieces: list[bytes] = []
    for message in messages:
        for name in ("key", "faces", "cards"):
            data = field_of(message, name)
            pieces += [data[at : at + 32] for at in range(0, len(data), 32)]
    assert len(set(pieces)) == len(pieces)


@pytest.mark.parametrize("proofs", [0, 1, 3])
def test_the_face_is_not_in_the_span_of_what_is_published(proofs: int) -> None:
    """In symbols: from the card, its public key, all faces and all products, the face cannot be added up."""
    u, s, card, faces = symbol("u"), symbol("s"), symbol("card"), [symbol(f"face {j}") for j in range(3)]
    published = [ONE, u, s, card + s * u, *faces]
    for number in range(proofs):
        y = symbol(f"y{number}")
        published += [y, y * card, *(y * face for face in faces)]
    assert not in_span(card, published)
    assert in_span(card, [*published, s * u]), "with the holder's key it can"


def test_which_face_a_card_is_shows_only_where_y_is_used_twice(fast: Group) -> None:
    """Products of a card and of the faces are compared: under one y the card's is found, under two it is not."""
    decks = dealt(fast)
    deck, tape, held = decks.decks[0], decks.tapes[1], hand(decks, 1)
    first, second = sorted(held)[:2]
    about_first = NoneOf(1, (first,), others(decks, 1))
    about_second = NoneOf(1, (second,), tuple(sorted({held[first], *others(decks, 1)})))
    message, table = (prove_none(deck, duty_of(deck, 1), tape, one) for one in (about_first, about_second))
    found = element(field_of(message, "cards"), 0)
    faces = field_of(table, "faces")
    looked_up = [element(faces, at) for at in range(len(about_second.faces))]
    assert found not in looked_up
    # The same with one y, as a careless holder would.
    careless = [_with_y(deck, tape, one) for one in (about_first, about_second)]
    place = about_second.faces.index(held[first])
    assert element(field_of(careless[0], "cards"), 0) == element(field_of(careless[1], "faces"), place)


def _with_y(deck: MaskDeck, tape: Tape, claim: NoneOf) -> bytes:
    """The prover with one y for all."""

    class Careless:
        """A tape that looks at the label alone."""

        def draw(self, label: str, inputs: bytes, *, size: int, index: int = 0) -> bytes:
            return tape.draw(label, b"" if label == "y" else inputs, size=size, index=index)

        def __getattr__(self, name: str) -> object:
            return getattr(tape, name)

    return prove_none(deck, duty_of(deck, 1), Careless(), claim)  # type: ignore[arg-type]
