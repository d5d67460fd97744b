"""A hand that its holder shuffles, and cards that go back at a told depth or are exchanged for others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from nodealer.cards.events import Moved
from nodealer.cards.operations import Deal, Gift, Mix, Operation, Pass, Peek, Place, Portion, Return, Show
from nodealer.errors import BadParameter
from nodealer.group import Group, concat
from nodealer.protocols.mask.deck import MaskDeck

from ..decks import Decks
from ..kit import changed, field_of
from .kit import fresh, refused, without
from .test_transfer import faces, is_whole, known

#: Three seats with two cards each: 0 and 1, 2 and 3, 4 and 5; and two in the pile.
DEAL: Final = Deal(0, tuple(Portion(seat, 2) for seat in range(3)))
HAND: Final = Mix(0, 0, (0, 1))


@cache
def base(group: Group) -> Decks[MaskDeck]:
    decks = fresh(group, 3, 8)
    decks.ask(DEAL)
    decks.settle()
    return decks


def dealt(group: Group, *asked: Operation) -> Decks[MaskDeck]:
    decks = replace(base(group), decks=dict(base(group).decks), said=[], events=[])
    for operation in asked:
        decks.ask(operation)
    return decks


# --- A hand that is shuffled ---


@pytest.mark.sample(reference=1)
def test_only_the_holder_knows_which_is_which(group: Group) -> None:
    decks = dealt(group, Show(0, 0, (0,), 1))
    before = faces(decks)
    assert known(decks, 1)[0] == before[0]
    decks.ask(HAND)
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    new = places.hand(0)
    assert len(new) == 2 and {after[at] for at in new} == {before[0], before[1]} and not {0, 1} & places.held.keys()
    assert known(decks, 0).keys() == {*new} and known(decks, 1).keys() == {2, 3}
    moved = [(event.card.position, event.holder) for event in decks.events if isinstance(event, Moved)]
    assert moved == [(0, None), (1, None), *((at, 0) for at in new)]
    assert 0 not in decks.decks[0].released[0] and not decks.decks[0].released.keys() & {*new}


def test_some_hands_change_their_order_and_some_do_not(fast: Group) -> None:
    """Again and again, as the tape has it; each time with other keys, masks and proofs."""
    decks, kept = dealt(fast), set[bool]()
    for _ in range(12):
        before = [faces(decks)[at] for at in decks.decks[0].places.hand(0)]
        decks.ask(Mix(0, 0, decks.decks[0].places.hand(0)))
        kept.add([faces(decks)[at] for at in decks.decks[0].places.hand(0)] == before)
    is_whole(decks)
    assert kept == {True, False}
    values = [field_of(m, name) for _, m in decks.said for name in ("key", "gains", "epk", "msg", "keys", "last")]
    every = [text[at : at + 32] for text in values for at in range(0, len(text), 32)]
    assert len(set(every)) == len(every)


def test_a_shuffled_hand_is_shown_passed_laid_aside_and_put_back(fast: Group) -> None:
    decks = dealt(fast, HAND, Pass(0, (Gift(0, 2, (8,)),)), Mix(0, 2, (4, 5, 10)), Show(0, 2, (11,)))
    decks.ask(Return(0, (12,), Place.DISCARD))
    decks.ask(Return(0, (9, 13), Place.SHUFFLED))
    is_whole(decks)
    decks.ask(Deal(0, (Portion(1, 4),)))
    is_whole(decks)


def test_one_card_has_no_order(fast: Group) -> None:
    decks = dealt(fast, Mix(0, 0, (1,)))
    assert decks.said == [] and decks.decks[0].places.hand(0) == (0, 1)


@pytest.mark.parametrize(
    "operation", [Mix(0, 0, ()), Mix(0, 0, (0, 0)), Mix(0, 0, (0, 2)), Mix(0, 0, (0, 6)), Mix(0, 3, (0, 1))]
)
def test_what_cannot_be_shuffled(fast: Group, operation: Operation) -> None:
    with pytest.raises(BadParameter):
        base(fast).decks[0].request(operation)


def test_an_open_card_is_not_shuffled(fast: Group) -> None:
    with pytest.raises(BadParameter, match="already open"):
        dealt(fast, Show(0, 0, (0,))).decks[0].request(HAND)


def mixing(decks: Decks[MaskDeck]) -> tuple[MaskDeck, bytes]:
    deck = decks.decks[0].request(HAND).deck
    assert isinstance(deck, MaskDeck)
    return deck, deck.message(deck.duties[0], decks.tapes[0])


@pytest.mark.parametrize("field", ["gains", "epk", "msg", "last"])
def test_another_card_than_one_held(fast: Group, field: str) -> None:
    """Exchanged when it moves to the one key, when it is masked, or when it gets a key of its own."""
    deck, honest = mixing(dealt(fast))
    points = fast.points(field_of(honest, field))
    false = concat(points[0] + deck.faces.points.take([3]), points[1]).to_bytes()
    assert refused(deck, deck.duties[0], changed(honest, **{field: false})) == "fault"
    doubled = field_of(honest, field)[:32] * 2
    assert refused(deck, deck.duties[0], changed(honest, **{field: doubled})) == "fault"
    assert refused(deck, deck.duties[0], honest) == ""


def test_keys_that_there_are_already(fast: Group) -> None:
    """One key, one card: its own of before, somebody else's, one for two, and the one key for a card."""
    deck, honest = mixing(dealt(fast))
    keys, one = field_of(honest, "keys"), field_of(honest, "key")
    for false in (keys[:32] * 2, one + keys[32:], deck.card_keys((0,), 0).to_bytes() + keys[32:]):
        assert "already" in refused(deck, deck.duties[0], changed(honest, keys=false))
    for key in (deck.card_keys((4,), 2), deck.card_keys((1,), 0)):
        assert "already" in refused(deck, deck.duties[0], changed(honest, key=key.to_bytes()))
    other = (fast.integers([5]) * fast.G).to_bytes()
    assert refused(deck, deck.duties[0], changed(honest, key=other)) == "fault"
    assert refused(deck, deck.duties[0], changed(honest, keys=other + keys[32:])) == "fault"


@pytest.mark.parametrize("proof", ["gathered", "permuted", "proof"])
def test_a_proof_of_another_place(fast: Group, proof: str) -> None:
    deck, honest = mixing(dealt(fast))
    for there in (
        deck.with_fields(epoch=deck.epoch + 1),
        deck.with_fields(binding=replace(deck.binding, hand=1)),
        deck.with_fields(number=1),
    ):
        said = there.message(deck.duties[0], base(fast).tapes[0])
        assert refused(deck, deck.duties[0], changed(honest, **{proof: field_of(said, proof)})) == "fault"


@pytest.mark.parametrize("leaver", [0, 2])
def test_somebody_leaves_while_a_hand_is_shuffled(fast: Group, leaver: int) -> None:
    decks = dealt(fast)
    decks.decks[0], _ = mixing(decks)
    without(decks, leaver)
    decks.run(decks.decks[0])
    is_whole(decks)
    places = decks.decks[0].places
    assert len(places.hand(0)) == (0 if leaver == 0 else 2) and not {0, 1} & places.held.keys()


def test_a_shuffled_hand_in_a_deck_that_is_made_again(fast: Group) -> None:
    """Held by who stays, it stays; of a leaver it goes back, also what another had seen: nobody knows which it is."""
    decks = dealt(fast, Pass(0, (Gift(2, 0, (4,)),)), Mix(0, 0, (0, 1, 8)))
    mine = {faces(decks)[at] for at in decks.decks[0].places.hand(0)}
    without(decks, 1)
    decks.run(decks.decks[0])
    is_whole(decks)
    assert {faces(decks)[at] for at in decks.decks[0].places.hand(0)} == mine
    gone = dealt(fast, Pass(0, (Gift(2, 0, (4,)),)), Mix(0, 0, (0, 1, 8)))
    without(gone, 0)
    gone.run(gone.decks[0])
    is_whole(gone)
    assert gone.decks[0].places.discards == {} and mine <= {faces(gone)[at] for at in gone.decks[0].places.pile}


# --- Cards that go back, and exchanges ---


@pytest.mark.parametrize("depth", [1, 2])
def test_put_back_at_a_told_depth(fast: Group, depth: int) -> None:
    """A hidden card, and one that was passed; the order of all cards is known to be what it is."""
    decks = dealt(fast, Pass(0, (Gift(0, 1, (0,)),)))
    before = faces(decks)
    decks.ask(Return(0, (8, 3), Place.TOP, by=1, depth=depth))
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    assert places.pile == ((6, 9, 10, 7) if depth == 1 else (6, 7, 9, 10))
    assert [after[9], after[10]] == [before[8], before[3]]
    assert {at for seat in range(3) for at in known(decks, seat)} == {1, 2, 4, 5}
    assert 1 not in decks.decks[0].released[3] and not decks.decks[0].released.get(8)


@pytest.mark.parametrize(
    "operation",
    [
        Return(0, (0,), Place.TOP, depth=3),
        Return(0, (0,), Place.TOP, depth=-1),
        Return(0, (0,), Place.BOTTOM, depth=1),
        Return(0, (0,), Place.SHUFFLED, depth=1),
        Return(0, (0,), Place.DISCARD, depth=1),
        Return(0, (0,), Place.TOP, by=1, depth=1),
    ],
)
def test_depths_that_are_none(fast: Group, operation: Operation) -> None:
    with pytest.raises(BadParameter):
        base(fast).decks[0].request(operation)


@pytest.mark.parametrize("kind", ["gather", "mask", "rekey"])
def test_somebody_leaves_while_a_card_goes_back_at_a_depth(fast: Group, kind: str) -> None:
    decks = dealt(fast)
    face = faces(decks)[0]
    deck = decks.decks[0].request(Return(0, (0,), Place.TOP, depth=2)).deck
    assert isinstance(deck, MaskDeck)
    while deck.duties[0].kind != kind:
        deck = decks.step(deck, deck.duties[0])
    decks.decks[0] = decks.step(deck, deck.duties[0])
    without(decks, 2)
    decks.run(decks.decks[0])
    is_whole(decks)
    assert faces(decks)[decks.decks[0].places.pile[2]] == face


def test_hidden_cards_shuffled_in_are_read_by_nobody(fast: Group) -> None:
    decks = dealt(fast, Peek(0, 2, 2), Return(0, (0, 3), Place.SHUFFLED))
    is_whole(decks)
    assert {at for seat in range(3) for at in known(decks, seat)} == {1, 2, 4, 5}
    for position, holder in ((0, 0), (3, 1)):
        assert holder not in decks.decks[0].released[position]
    assert not {6, 7} & decks.decks[0].released.keys()


def test_an_exchange_is_a_discard_and_a_deal(fast: Group) -> None:
    """What was laid aside stays its seat's: nobody reads it, and it is never dealt again, also when somebody leaves."""
    decks = dealt(fast, Return(0, (0, 1), Place.DISCARD, by=0), Deal(0, (Portion(0, 2),)))
    is_whole(decks)
    places = decks.decks[0].places
    assert places.hand(0) == (6, 7) and places.discards == {0: 0, 1: 0} and not places.pile
    laid = {faces(decks)[0], faces(decks)[1]}
    without(decks, 2)
    decks.run(decks.decks[0])
    is_whole(decks)
    assert decks.decks[0].places.discards == {0: 0, 1: 0}
    assert not laid & {faces(decks)[at] for at in decks.decks[0].places.pile}
