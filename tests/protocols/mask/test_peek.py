"""Cards of the pile that one seat looks at, puts in order, keeps one of: who can read what, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from conformance.leaving import true_faces
from nodealer.cards.events import Half, Moved
from nodealer.cards.operations import Deal, Gift, Look, Mix, Open, Operation, Pass, Peek, Place, Portion, Return, Show
from nodealer.errors import BadParameter
from nodealer.group import Group, concat
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.reorder import Arranging
from nodealer.wire import encode

from ..decks import Decks
from ..kit import changed, field_of
from .kit import decks_on, refused, table, without

DEAL: Final = Deal(0, tuple(Portion(seat, 1) for seat in range(3)))


class Choosing(Decks[MaskDeck]):
    """Decks whose people choose the last card that they looked at first, and the others from below."""

    chosen: tuple[int, ...] = ()

    def message(self, deck: MaskDeck, duty: Duty) -> bytes:
        if not duty.choice:
            return super().message(deck, duty)
        assert isinstance(deck.asked, Peek)
        order = tuple(reversed(deck.places.pile[: deck.asked.count]))
        self.chosen = order[:1] if deck.asked.then is Look.TAKE else order
        return deck.message(duty, self.tapes[duty.seat], encode(list(self.chosen)))


def begun(group: Group, *asked: Operation, size: int = 8, seats: int = 3) -> Choosing:
    plain = decks_on(table(group, seats))
    decks = Choosing(plain.table, plain.tapes, plain.protocol)
    decks.make(size)
    for operation in asked:
        decks.ask(operation)
    decks.settle()
    return decks


def known(decks: Decks[MaskDeck], seat: int) -> dict[int, int]:
    return {card.position: face for card, face in decks.knows(seat).items()}


def faces(decks: Decks[MaskDeck]) -> dict[int, int]:
    places = decks.decks[0].places
    return true_faces(decks.decks[0], decks.tapes, {*places.pile, *places.held, *places.discards, *places.opened})


def is_whole(decks: Decks[MaskDeck]) -> None:
    decks.settle()
    assert sorted(faces(decks).values()) == list(range(decks.decks[0].faces.size))


@pytest.mark.sample(reference=1)
def test_who_looks_reads_and_nobody_else(group: Group) -> None:
    decks = begun(group, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 2))
    is_whole(decks)
    assert faces(decks) == before and not decks.decks[0].released.get(3)
    assert known(decks, 1) == {1: before[1], 3: before[3], 4: before[4]}
    assert known(decks, 0) == {0: before[0]} and known(decks, 2) == {2: before[2]}
    # Then it is dealt to another, and to nobody else.
    decks.ask(Deal(0, (Portion(2, 1),)))
    assert known(decks, 0) == {0: before[0]}
    assert known(decks, 2) == {2: before[2], 3: before[3]} and known(decks, 1).keys() == {1, 3, 4}
    decks.ask(Show(0, 2, (3,)))
    assert decks.decks[0].places.opened == {3: before[3]}


def test_a_look_lasts_until_the_card_is_shuffled(fast: Group) -> None:
    decks = begun(fast, DEAL, Peek(0, 0, 2), Peek(0, 2, 3), Return(0, (0,), Place.BOTTOM))
    assert known(decks, 0).keys() == {3, 4} and known(decks, 2).keys() == {2, 3, 4, 5}
    decks.ask(Return(0, (), Place.SHUFFLED))
    assert known(decks, 0).keys() == set() and known(decks, 2).keys() == {2}
    is_whole(decks)


def test_put_back_in_another_order(fast: Group) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 3, Look.REORDER))
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    assert places.pile == (8, 9, 10, 6, 7) and decks.chosen == (5, 4, 3)
    assert [after[at] for at in (8, 9, 10)] == [before[at] for at in (5, 4, 3)]
    assert not {3, 4, 5} & decks.decks[0].released.keys()
    decks.ask(Open(0, 1))
    assert decks.decks[0].places.opened == {8: before[5]}


def test_keep_one_and_order_the_others(fast: Group) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 1, 3, Look.KEEP))
    is_whole(decks)
    places, after = decks.decks[0].places, faces(decks)
    assert places.hand(1) == (1, 8) and places.pile == (9, 10, 6, 7)
    assert [after[at] for at in (8, 9, 10)] == [before[at] for at in (5, 4, 3)]
    assert known(decks, 1) == {1: before[1], 8: before[5]} and 8 not in known(decks, 0)
    assert [event.card.position for event in decks.events if isinstance(event, Moved)][-1] == 8


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("size", [8, 4, 5])
def test_search(fast: Group, count: int, size: int) -> None:
    count = min(count, size - 3)
    decks = begun(fast, DEAL, size=size)
    before = faces(decks)
    decks.ask(Peek(0, 2, count, Look.TAKE))
    is_whole(decks)
    places = decks.decks[0].places
    assert places.hand(2) == (2, size) and places.pile == tuple(range(size + 1, 2 * size - 3))
    assert known(decks, 2) == {2: before[2], size: before[2 + count]}
    assert not set(range(3, size)) & decks.decks[0].released.keys()


@pytest.mark.parametrize("then", [Look.KEEP, Look.REORDER])
def test_one_card_alone_has_no_order(fast: Group, then: Look) -> None:
    decks = begun(fast, DEAL)
    before = faces(decks)
    decks.ask(Peek(0, 0, 1, then))
    is_whole(decks)
    assert before[3] in known(decks, 0).values() and "arrange" not in {duty.kind for duty, _ in decks.said}


# --- What a cheat would send ---


@cache
def base(group: Group, seats: int = 3) -> Choosing:
    return begun(group, Deal(0, tuple(Portion(seat, 1) for seat in range(seats))), size=5 + seats, seats=seats)


def copied(group: Group, seats: int = 3) -> Choosing:
    """Decks with a card in each hand, to go on with."""
    first = base(group, seats)
    return Choosing(first.table, first.tapes, first.protocol, dict(first.decks))


def at(decks: Choosing, operation: Operation, kind: str, skip: int = 0) -> MaskDeck:
    """The deck when such a message is owed, and so many of that kind have come."""
    deck = decks.decks[0].request(operation).deck
    assert isinstance(deck, MaskDeck)
    came = 0
    while deck.duties[0].kind != kind or came < skip:
        came += deck.duties[0].kind == kind
        deck = decks.step(deck, deck.duties[0])
    decks.settle()
    return deck


def answered(decks: Choosing, deck: MaskDeck, **changes: bytes) -> str:
    """What comes of the honest message that is owed next with some fields changed."""
    duty = deck.duties[0]
    honest = decks.message(deck, duty)
    return refused(deck, duty, changed(honest, **changes) if changes else honest)


def other(group: Group, deck: MaskDeck, data: bytes, place: int = 0) -> bytes:
    """An array of points with another one at a place."""
    points = group.points(data)
    moved = points[place] + deck.faces.points.take([2])
    return concat(*(moved if at == place else points[at] for at in range(len(points)))).to_bytes()


def test_a_key_of_a_look_that_somebody_else_knows(fast: Group) -> None:
    """It would open to everybody what is told under it, once it is published: as a key of a card, or copied."""
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2), "look")
    for theirs in (deck.card_keys((4,), 2), deck.card_keys((3,), 1)):
        assert "already" in answered(decks, deck, key=theirs.to_bytes())
    assert answered(decks, deck, key=deck.faces.points.take([0]).to_bytes()) == "fault"
    assert answered(decks, deck) == ""


@pytest.mark.parametrize("field", ["epk", "msg"])
def test_another_mask_than_ones_own(fast: Group, field: str) -> None:
    """What is told is the card's mask and nothing else: whoever looks would read another face."""
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2), "tell")
    honest = field_of(decks.message(deck, deck.duties[0]), field)
    for place in (0, 1):
        assert answered(decks, deck, **{field: other(fast, deck, honest, place)}) == "fault"
    assert "32 bytes instead of 64" in answered(decks, deck, **{field: honest[:32]})
    assert answered(decks, deck) == ""


def test_the_masks_of_other_cards(fast: Group) -> None:
    """Told of the next cards, with a proof for these: it is not the proof of the cards that are looked at."""
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2), "tell")
    there = deck.in_stage(replace(deck.stage, positions=(5, 6)))  # type: ignore[type-var]
    assert refused(deck, deck.duties[0], there.message(deck.duties[0], decks.tapes[deck.duties[0].seat])) == "fault"


def test_what_was_told_of_an_earlier_look_or_to_another(fast: Group) -> None:
    decks = copied(fast)
    first = at(decks, Peek(0, 1, 2), "tell")
    said = first.message(first.duties[0], decks.tapes[0])
    fork = copied(fast)
    to_another = at(fork, Peek(0, 2, 2), "tell")
    assert refused(to_another, to_another.duties[0], said) == "fault"
    decks.run(first)
    again = at(decks, Peek(0, 1, 2), "tell")
    assert refused(again, again.duties[0], said) == "fault"
    assert again.message(again.duties[0], decks.tapes[0]) != said


CONTEXTS: Final = {
    "another session": lambda deck: deck.with_fields(binding=replace(deck.binding, session=bytes(32))),
    "another hand": lambda deck: deck.with_fields(binding=replace(deck.binding, hand=1)),
    "another deck": lambda deck: deck.with_fields(number=1),
    "another epoch": lambda deck: deck.with_fields(epoch=deck.epoch + 1),
}


@pytest.mark.sample
@pytest.mark.parametrize("where", CONTEXTS)
@pytest.mark.parametrize(("kind", "proof"), [("look", "knowledge"), ("tell", "proof"), ("arrange", "proof")])
def test_a_true_statement_proven_for_another_place(fast: Group, kind: str, proof: str, where: str) -> None:
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2, Look.REORDER), kind)
    there = decks.message(CONTEXTS[where](deck), deck.duties[0])
    assert answered(decks, deck, **{proof: field_of(there, proof)}) == "fault"


@pytest.mark.parametrize("then", [Look.REORDER, Look.KEEP, Look.TAKE])
def test_other_cards_than_were_looked_at(fast: Group, then: Look) -> None:
    """Replaced, doubled, left as it was: the proof is false, or it is seen at once."""
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 3, then), "arrange")
    stage, honest = deck.stage, decks.message(deck, deck.duties[0])
    assert isinstance(stage, Arranging)
    epk, msg = field_of(honest, "epk"), field_of(honest, "msg")
    assert answered(decks, deck, msg=other(fast, deck, msg)) == "fault"
    assert answered(decks, deck, epk=epk[:32] * 2 + epk[64:], msg=msg[:32] * 2 + msg[64:]) == "fault"
    assert "card of the deck before" in answered(decks, deck, epk=stage.given.epk.to_bytes())
    assert answered(decks, deck) == ""


@pytest.mark.parametrize(
    ("then", "chosen"), [(Look.TAKE, [7]), (Look.TAKE, [3, 4]), (Look.KEEP, [3]), (Look.REORDER, [3, 3])]
)
def test_what_cannot_be_chosen(fast: Group, then: Look, chosen: list[int]) -> None:
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2, then), "arrange")
    for choice in (encode(chosen), b"{}", None):
        with pytest.raises(BadParameter):
            deck.message(deck.duties[0], decks.tapes[1], choice)


def test_two_orders_share_no_mask(fast: Group) -> None:
    """With one mask for both, who sees both (on a fork, or out of a book) could say which card went where."""
    decks = copied(fast)
    deck = at(decks, Peek(0, 1, 2, Look.REORDER), "arrange")
    stage = deck.stage
    assert isinstance(stage, Arranging)
    masks = [stage._masks(deck, decks.tapes[1], order).to_bytes() for order in ([0, 1], [1, 0])]
    assert len({mask[at : at + 32] for mask in masks for at in (0, 32)}) == 4


def test_nothing_of_two_looks_is_the_same(fast: Group) -> None:
    decks = copied(fast)
    for _ in range(2):
        decks.ask(Peek(0, 1, 2))
    said = [field_of(m, name) for d, m in decks.said for name in {"look": ("key",), "tell": ("epk", "msg")}[d.kind]]
    assert len({text[at : at + 32] for text in said for at in range(0, len(text), 32)}) == 2 + 2 * 2 * 4


@pytest.mark.parametrize("operation", [Peek(0, 3, 1), Peek(0, 1, 0), Peek(0, 1, 6)])
def test_what_cannot_be_looked_at(fast: Group, operation: Operation) -> None:
    with pytest.raises(BadParameter):
        base(fast).decks[0].request(operation)


# --- Who leaves ---

STEPS: Final = [
    (then, kind, skip)
    for then in Look
    for kind, skip in (
        ("look", 0),
        ("tell", 0),
        ("tell", 1),
        *(() if then is Look.LOOK else (("gather", 0), ("gather", 1), ("arrange", 0), ("rekey", 0), ("rekey", 1))),
        *((("reshuffle", 0), ("reshuffle", 1)) if then is Look.TAKE else ()),
        *((("release", 0), ("release", 1)) if then in (Look.KEEP, Look.TAKE) else ()),
    )
]


@pytest.mark.sample
@pytest.mark.parametrize(("then", "kind", "skip"), STEPS, ids=str)
@pytest.mark.parametrize("leaver", [1, 3])
def test_somebody_leaves_at_each_step(fast: Group, then: Look, kind: str, skip: int, leaver: int) -> None:
    """Who looks, and another one. All cards are there afterwards; who stays has looked in the end, or kept one."""
    decks = copied(fast, 4)
    decks.decks[0] = at(decks, Peek(0, 1, 2, then), kind, skip)
    before = decks.decks[0].places
    without(decks, leaver)
    decks.run(decks.decks[0])
    is_whole(decks)
    places, stays = decks.decks[0].places, leaver != 1
    assert not decks.decks[0].asked and not before.in_pile & (places.in_pile | places.held.keys())
    assert len(places.hand(1)) == (1 + (then in (Look.KEEP, Look.TAKE))) * stays
    assert len(places.peeked) == 2 * (stays and then is Look.LOOK)
    for position in base(fast, 4).decks[0].places.pile:
        assert not decks.decks[0].released.get(position), "no key was ever published of what was looked at"


@pytest.mark.parametrize(("then", "kind", "skip"), STEPS, ids=str)
def test_who_would_get_the_looker_another_look(fast: Group, then: Look, kind: str, skip: int) -> None:
    """A friend goes when seat 1 does not like what it saw, and owes nothing: the game is told of it all the same."""
    deck = at(copied(fast, 4), Peek(0, 1, 2, then), kind, skip)
    owing = {duty.seat for duty in deck.duties}
    others = {"look": set(), "tell": owing if skip else set(), "release": owing}.get(kind, {0, 2, 3})
    assert deck.half == dict.fromkeys(others, Half.DEALT)


def test_who_looked_knows_nothing_of_a_deck_that_is_made_again(fast: Group) -> None:
    decks = copied(fast, 4)
    decks.ask(Peek(0, 1, 3))
    decks.ask(Deal(0, (Portion(0, 1), Portion(3, 1))))
    face = faces(decks)
    assert known(decks, 1).keys() == {1, 4, 5, 6}
    without(decks, 3)
    decks.run(decks.decks[0])
    is_whole(decks)
    # The card of the one who stays is where it was. The leaver's is somewhere in the deck, like those of the pile.
    assert known(decks, 1) == {1: face[1], 4: face[4]}
    assert {face[5], face[6]} <= {faces(decks)[at] for at in decks.decks[0].places.pile}


def test_what_was_looked_at_is_passed_on(fast: Group) -> None:
    """Who looked at it in the pile knows where it goes; until its holder shuffles its hand."""
    decks = copied(fast)
    face = faces(decks)[3]
    for operation in (Peek(0, 1, 1), Deal(0, (Portion(0, 1),)), Pass(0, (Gift(0, 2, (3,)),))):
        decks.ask(operation)
    assert known(decks, 1)[8] == known(decks, 0)[8] == known(decks, 2)[8] == face
    decks.ask(Mix(0, 2, (2, 8)))
    is_whole(decks)
    assert known(decks, 1).keys() == {1} and known(decks, 0).keys() == {0} and face in known(decks, 2).values()
