"""Hidden cards given to another seat, or shown to it alone: who can read what, what is refused, and who leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from conformance.harness import events_of
from conformance.leaving import ends_well, fall_silent, play_leaving, playing, true_faces
from nodealer.cards.events import Moved
from nodealer.cards.operations import Close, Deal, Gift, NewDeck, Open, Operation, Pass, Place, Portion, Return, Show
from nodealer.errors import BadParameter, Malformed
from nodealer.group import Group
from nodealer.proofs import linear
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHand, MaskReceive
from nodealer.protocols.mask.transfer import HandingOver, Receiving, _masks, _statement
from nodealer.tape import Tape
from nodealer.wire import decode, encode

from ..decks import Decks
from ..kit import cheat
from .kit import deck_of, fresh, lasting, refused, without

#: Three seats with two cards each: 0 and 1, 2 and 3, 4 and 5.
DEAL: Final = Deal(0, tuple(Portion(seat, 2) for seat in range(3)))
#: Round the table: one card each.
ROUND: Final = Pass(0, (Gift(0, 1, (0,)), Gift(1, 2, (2,)), Gift(2, 0, (4,))))


def dealt(group: Group, *asked: Operation, size: int = 8, seats: int = 3) -> Decks[MaskDeck]:
    decks = fresh(group, seats, size)
    for operation in (Deal(0, tuple(Portion(seat, 2) for seat in range(seats))), *asked):
        decks.ask(operation)
    decks.settle()
    return decks


def known(decks: Decks[MaskDeck], seat: int) -> dict[int, int]:
    deck = decks.decks[0]
    return {card.position: face for card, face in deck.knows(seat, decks.tapes[seat]).items()}


def faces(decks: Decks[MaskDeck]) -> dict[int, int]:
    deck = decks.decks[0]
    places = deck.places
    return true_faces(deck, decks.tapes, {*places.pile, *places.held, *places.discards, *places.opened})


def is_whole(decks: Decks[MaskDeck]) -> None:
    decks.settle()
    assert sorted(faces(decks).values()) == list(range(decks.decks[0].faces.size))


# --- Who has what, and who can read it ---


@pytest.mark.sample(reference=1)
def test_round_the_table(group: Group) -> None:
    decks = dealt(group)
    before = faces(decks)
    decks.ask(ROUND)
    is_whole(decks)
    places = decks.decks[0].places
    assert {p: places.holder(p) for p in places.held} == {1: 0, 3: 1, 5: 2, 8: 1, 9: 2, 10: 0}
    after = faces(decks)
    assert (after[8], after[9], after[10]) == (before[0], before[2], before[4])
    moved = [event for event in decks.events if isinstance(event, Moved) and event.was is not None]
    assert [(one.card.position, one.holder, one.was and one.was.position) for one in moved] == [
        (8, 1, 0),
        (9, 2, 2),
        (10, 0, 4),
    ]
    # The holder, and who gave it.
    for position, seats in ((8, {0, 1}), (9, {1, 2}), (10, {2, 0}), (1, {0})):
        assert {seat for seat in range(3) if known(decks, seat).get(position) == after[position]} == seats


def test_whole_hands_and_several_gifts_of_one_seat(fast: Group) -> None:
    decks = dealt(fast)
    before = faces(decks)
    decks.ask(Pass(0, (Gift(0, 1, (0,)), Gift(0, 2, (1,)), Gift(1, 0, (3, 2)), Gift(2, 0, (4,)))))
    is_whole(decks)
    after, places = faces(decks), decks.decks[0].places
    assert [after[position] for position in range(8, 13)] == [before[at] for at in (0, 1, 3, 2, 4)]
    assert [places.holder(position) for position in range(8, 13)] == [1, 2, 0, 0, 0]


def test_passed_on_and_back(fast: Group) -> None:
    decks = dealt(fast, Pass(0, (Gift(0, 1, (0,)),)), Pass(0, (Gift(1, 2, (8,)),)), Pass(0, (Gift(2, 0, (9,)),)))
    is_whole(decks)
    assert decks.decks[0].places.holder(10) == 0
    # Everybody has had it in hand.
    assert len({known(decks, seat)[10] for seat in range(3)}) == 1
    assert dict(decks.decks[0].places.seen[10]).keys() == {1, 2}


def test_shown_to_one_stays_where_it_is(fast: Group) -> None:
    decks = dealt(fast, Show(0, 0, (0, 1), 2))
    is_whole(decks)
    assert decks.decks[0].places.hand(0) == (0, 1)
    assert known(decks, 2).keys() == {0, 1, 4, 5} and known(decks, 1).keys() == {2, 3}
    assert known(decks, 2)[0] == known(decks, 0)[0]


@pytest.mark.parametrize("place", [Place.TOP, Place.BOTTOM, Place.SHUFFLED])
def test_a_passed_card_is_shown_opened_and_goes_back(fast: Group, place: Place) -> None:
    decks = dealt(fast, ROUND)
    face = faces(decks)[8]
    decks.ask(Show(0, 1, (8,)))
    assert decks.decks[0].places.opened == {8: face}
    decks.ask(Return(0, (8, 9, 1), place))
    is_whole(decks)
    # What went back is read by nobody, whoever had seen it.
    assert {p for seat in range(3) for p in known(decks, seat)} == {3, 5, 10}
    decks.ask(Deal(0, (Portion(0, 5),)))
    is_whole(decks)


def test_a_hidden_passed_card_is_laid_aside_and_comes_back(fast: Group) -> None:
    decks = dealt(fast, ROUND, Return(0, (8,), Place.DISCARD), Return(0, (8,), Place.SHUFFLED), Open(0, 2))
    is_whole(decks)


# --- Nothing of an old place is published ---


def test_no_key_of_an_old_place_is_ever_published(fast: Group) -> None:
    """Its holder's is the only one that is not: it alone hides the card, also from who looks at the whole log."""
    decks = dealt(fast, ROUND, Show(0, 1, (8, 3), 0), Show(0, 2, (9,)), Return(0, (8, 1), Place.SHUFFLED))
    deck = decks.decks[0]
    for position, giver in ((0, 0), (2, 1), (4, 2)):
        assert giver not in deck.released[position]
    assert not {8, 10} & deck.released.keys() and deck.released[9].keys() == {2}


def test_keys_and_masks_are_of_this_pass_alone(fast: Group) -> None:
    """The same cards to the same seat twice, and to two seats: no value is seen again."""
    one, two = dealt(fast), dealt(fast)
    one.ask(Show(0, 0, (0,), 1))
    one.ask(Show(0, 0, (0,), 1))
    two.ask(Show(0, 0, (0,), 2))
    said = [message for decks in (one, two) for duty, message in decks.said if duty.kind in ("receive", "hand")]
    assert len(said) == 6 == len(set(said))


# --- What a cheat would send ---


def at(decks: Decks[MaskDeck], operation: Operation, stage: type) -> MaskDeck:
    """The deck when this stage has begun."""
    change = decks.decks[0].request(operation)
    deck = change.deck
    assert isinstance(deck, MaskDeck)
    while not isinstance(deck.stage, stage):
        duty = deck.duties[0]
        deck = decks.step(deck, duty)
    return deck


def receive(deck: MaskDeck, duty: Duty, tape: Tape) -> tuple[bytes, bytes]:
    said = decode(MaskReceive, deck.message(duty, tape), what="the message")
    return said.keys, said.knowledge


def test_a_key_that_somebody_else_knows(fast: Group) -> None:
    """Named as one's own, it would open the card to everybody when it is published."""
    decks = dealt(fast)
    deck = at(decks, ROUND, Receiving)
    duty = deck.duties[0]
    _, knowledge = receive(deck, duty, decks.tapes[duty.seat])
    for theirs in (deck.card_keys((3,), 1), deck.card_keys((6,), 2)):
        assert "already" in refused(deck, duty, encode(MaskReceive(theirs.to_bytes(), knowledge)))
    fresh_point = deck.faces.points.take([0])
    assert refused(deck, duty, encode(MaskReceive(fresh_point.to_bytes(), knowledge))) == "fault"


def test_one_key_for_two_cards(fast: Group) -> None:
    decks = dealt(fast)
    deck = at(decks, Pass(0, (Gift(0, 1, (0, 1)),)), Receiving)
    keys, knowledge = receive(deck, deck.duties[0], decks.tapes[1])
    assert "already" in refused(deck, deck.duties[0], encode(MaskReceive(keys[:32] * 2, knowledge)))


def test_a_receivers_key_copied_by_another(fast: Group) -> None:
    decks = dealt(fast)
    deck = at(decks, ROUND, Receiving)
    first = deck.duties[0]
    said = deck.message(first, decks.tapes[first.seat])
    deck = decks.step(deck, first, said)
    assert "already" in refused(deck, deck.duties[0], said)


def handed(deck: MaskDeck, duty: Duty, tape: Tape, positions: tuple[int, ...]) -> tuple[Masked, MaskHand]:
    """A handing of these cards, proven as well as anybody can for what it is said to be."""
    stage = deck.stage
    assert isinstance(stage, HandingOver)
    keys = stage._keys(duty.seat)
    mine, s = deck.held_cards(positions), deck.card_secrets(tape, positions, duty.seat)
    masks = _masks(deck, tape, duty.seat, mine, keys)
    true = Masked(masks * deck.binding.group.G, mine.msg - s * mine.epk + masks * keys)
    asked = stage._positions(duty.seat)
    statement = _statement(deck.held_cards(asked), deck.card_keys(asked, duty.seat), true, keys)
    secret = deck.card_secrets(tape, asked, duty.seat)
    proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [secret, masks])
    return true, MaskHand(true.epk.to_bytes(), true.msg.to_bytes(), proof)


def test_another_card_than_was_named(fast: Group) -> None:
    """A card that it holds too, and one that it makes up: the proof does not verify, and the giver is named."""
    decks = dealt(fast)
    deck = at(decks, ROUND, HandingOver)
    duty = deck.duties[0]
    _, said = handed(deck, duty, decks.tapes[0], (1,))
    assert refused(deck, duty, encode(said)) == "fault"
    honest, said = handed(deck, duty, decks.tapes[0], (0,))
    assert refused(deck, duty, encode(said)) == ""
    other = deck.faces.points.take([3])
    assert refused(deck, duty, encode(replace_fields(said, msg=(honest.msg + other).to_bytes()))) == "fault"
    assert refused(deck, duty, encode(replace_fields(said, epk=(honest.epk + other).to_bytes()))) == "fault"


def replace_fields(said: MaskHand, **changes: bytes) -> MaskHand:
    return MaskHand(**({"epk": said.epk, "msg": said.msg, "proof": said.proof} | changes))


def test_a_handing_for_another_receiver_is_none(fast: Group) -> None:
    """What seat 1 was handed is not what seat 2 is: other keys, other proof."""
    one, two = dealt(fast), dealt(fast)
    first = at(one, Pass(0, (Gift(0, 1, (0,)),)), HandingOver)
    second = at(two, Pass(0, (Gift(0, 2, (0,)),)), HandingOver)
    said = first.message(first.duties[0], one.tapes[0])
    assert refused(second, second.duties[0], said) == "fault"


def test_a_handing_of_an_earlier_pass_is_none(fast: Group) -> None:
    decks = dealt(fast)
    first = at(decks, Show(0, 0, (0,), 1), HandingOver)
    said = first.message(first.duties[0], decks.tapes[0])
    decks.run(first)
    second = at(decks, Show(0, 0, (0,), 1), HandingOver)
    assert refused(second, second.duties[0], said) == "fault"


CONTEXTS: Final = {
    "another session": lambda deck: deck.with_fields(binding=replace(deck.binding, session=bytes(32))),
    "another hand": lambda deck: deck.with_fields(binding=replace(deck.binding, hand=1)),
    "another deck": lambda deck: deck.with_fields(number=1),
    "another epoch": lambda deck: deck.with_fields(epoch=deck.epoch + 1),
}


@pytest.mark.parametrize("where", CONTEXTS)
@pytest.mark.parametrize("stage", [Receiving, HandingOver])
def test_a_true_statement_proven_for_another_place(fast: Group, stage: type, where: str) -> None:
    decks = dealt(fast)
    deck = at(decks, ROUND, stage)
    duty, kind = deck.duties[0], MaskReceive if stage is Receiving else MaskHand
    name = "knowledge" if stage is Receiving else "proof"
    honest = decode(kind, deck.message(duty, decks.tapes[duty.seat]), what="it")
    there = decode(kind, CONTEXTS[where](deck).message(duty, decks.tapes[duty.seat]), what="it")
    fields = {field: getattr(honest, field) for field in honest.__struct_fields__} | {name: getattr(there, name)}
    assert refused(deck, duty, encode(kind(**fields))) == "fault"


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_too_few_and_too_many(fast: Group, size: int) -> None:
    decks = dealt(fast)
    deck = at(decks, ROUND, Receiving)
    _, knowledge = receive(deck, deck.duties[0], decks.tapes[deck.duties[0].seat])
    with pytest.raises(Malformed):
        deck.apply(deck.duties[0], encode(MaskReceive(bytes(size), knowledge)))
    deck = at(decks, ROUND, HandingOver)
    with pytest.raises(Malformed):
        deck.apply(deck.duties[0], encode(MaskHand(bytes(size), bytes(size), b"")))


@pytest.mark.parametrize(
    "operation",
    [
        Pass(0, ()),
        Pass(0, (Gift(0, 1, ()),)),
        Pass(0, (Gift(0, 0, (0,)),)),
        Pass(0, (Gift(0, 3, (0,)),)),
        Pass(0, (Gift(0, 1, (2,)),)),
        Pass(0, (Gift(0, 1, (6,)),)),
        Pass(0, (Gift(0, 1, (0, 0)),)),
        Pass(0, (Gift(0, 1, (0,)), Gift(0, 2, (0,)))),
        Show(0, 0, (0,), 0),
        Show(0, 0, (0,), 5),
        Show(0, 0, (2,), 1),
    ],
)
def test_what_cannot_be_given(fast: Group, operation: Operation) -> None:
    with pytest.raises(BadParameter):
        dealt(fast).decks[0].request(operation)


def test_an_open_card_and_an_old_place_are_not_given(fast: Group) -> None:
    decks = dealt(fast, Show(0, 0, (1,)), ROUND)
    for gift in (Gift(0, 1, (1,)), Gift(0, 1, (0,)), Gift(1, 0, (0,))):
        with pytest.raises(BadParameter):
            decks.decks[0].request(Pass(0, (gift,)))
    for operation in (Show(0, 0, (0,)), Return(0, (0,), Place.TOP)):
        with pytest.raises(BadParameter):
            decks.decks[0].request(operation)


# --- Who leaves ---


def test_the_receiver_leaves_and_the_giver_lays_it_aside(fast: Group) -> None:
    """The giver has seen the card: it must not be dealt again."""
    decks = dealt(fast, ROUND)
    before = faces(decks)
    without(decks, 1)
    decks.run(decks.decks[0])
    is_whole(decks)
    places = decks.decks[0].places
    assert places.discards == {0: 0} and faces(decks)[0] == before[8]
    # What the leaver gave is in its new hand; what it held alone is in the deck again.
    assert places.holder(9) == 2 and faces(decks)[9] == before[9]
    assert before[3] in {faces(decks)[position] for position in places.pile}


def test_the_giver_leaves_and_the_card_stays(fast: Group) -> None:
    decks = dealt(fast, ROUND)
    before = faces(decks)
    without(decks, 0)
    decks.run(decks.decks[0])
    is_whole(decks)
    assert decks.decks[0].places.holder(8) == 1 and faces(decks)[8] == before[8]


def test_who_was_shown_a_card_lays_it_aside_when_its_holder_leaves(fast: Group) -> None:
    decks = dealt(fast, Show(0, 0, (0,), 1))
    face = faces(decks)[0]
    without(decks, 0)
    decks.run(decks.decks[0])
    is_whole(decks)
    ((position, seat),) = decks.decks[0].places.discards.items()
    assert seat == 1 and faces(decks)[position] == face


def test_the_lowest_who_has_seen_it_declares_it_once(fast: Group) -> None:
    """Both others have: were it declared twice, two tags would match one card, and the hand would stop."""
    decks = dealt(fast, Show(0, 3, (6,), 2), Show(0, 3, (6,), 1), seats=4, size=10)
    without(decks, 3)
    decks.run(decks.decks[0])
    is_whole(decks)
    places = decks.decks[0].places
    ((position, seat),) = places.discards.items()
    assert seat == 1 and [who for who, _ in places.seen[position]] == [2]
    # And then that one leaves too.
    without(decks, 1)
    decks.run(decks.decks[0])
    is_whole(decks)
    assert list(decks.decks[0].places.discards.values()) == [2]


SCRIPT: Final = (
    (NewDeck(0, 12), Deal(0, tuple(Portion(seat, 2) for seat in range(4)))),
    (Pass(0, (Gift(0, 1, (0,)), Gift(1, 2, (2, 3)), Gift(2, 3, (4,)), Gift(3, 0, (6,)))),),
    (Open(0, 1),),
    (Close(0),),
)


@pytest.mark.parametrize("height", range(12, 26))
def test_somebody_leaves_at_any_step_of_a_pass(fast: Group, height: int) -> None:
    game = lasting(fast, *SCRIPT)
    play_leaving(game, [(height, (2,))])
    gone = {event.holder for event in events_of(game.replica()) if isinstance(event, Moved) and event.was is not None}
    assert gone <= {0, 1, 2, 3}


@pytest.mark.parametrize(("first", "then"), [(14, 17), (18, 24), (20, 21)])
def test_two_leave_around_a_pass(fast: Group, first: int, then: int) -> None:
    play_leaving(lasting(fast, *SCRIPT), [(first, (3,)), (then, (0,))])


@pytest.mark.parametrize("height", [16, 18, 20, 22])
def test_the_others_would_not_wait(fast: Group, height: int) -> None:
    game = lasting(fast, *SCRIPT)
    game.play(until=lambda game: len(game.log) >= height and playing(game))
    fall_silent(game, (1,))
    game.play()
    ends_well(game)


def test_faces_at_a_table(fast: Group) -> None:
    """The whole deck once every face, after the pass, with the tapes of all."""
    game = lasting(fast, *SCRIPT[:3])
    game.play(until=lambda game: 0 in game.state.hand.decks and bool(deck_of(game).places.seen))
    deck = deck_of(game)
    tapes: Mapping[int, Tape] = {seat: game.tape(seat) for seat in game.seats}
    positions = {*deck.places.pile, *deck.places.held, *deck.places.opened}
    assert sorted(true_faces(deck, tapes, positions).values()) == list(range(12))


def test_a_card_that_was_handed_over_in_a_pass_that_broke_off_is_not_dealt_again(fast: Group) -> None:
    """Its giver leaves while another still owes its own: who was to get it has read it from the log."""
    decks = dealt(fast)
    face = faces(decks)[0]
    decks.decks[0] = decks.step(deck := at(decks, ROUND, HandingOver), deck.duties[0])
    without(decks, 0)
    decks.run(decks.decks[0])
    is_whole(decks)
    places = decks.decks[0].places
    assert face not in {faces(decks)[position] for position in places.pile}
    ((position, seat),) = places.discards.items()
    assert seat == 1 and faces(decks)[position] == face


def test_nor_if_its_giver_leaves_when_the_pass_is_begun_anew(fast: Group) -> None:
    decks = dealt(fast, seats=4, size=10)
    face = faces(decks)[0]
    four = Pass(0, (Gift(0, 1, (0,)), Gift(1, 2, (2,)), Gift(2, 3, (4,)), Gift(3, 0, (6,))))
    decks.decks[0] = decks.step(deck := at(decks, four, HandingOver), deck.duties[0])
    deck = without(decks, 3)
    while not isinstance(deck.stage, Receiving):
        deck = decks.step(deck, deck.duties[0])
    decks.decks[0] = deck
    without(decks, 0)
    decks.run(decks.decks[0])
    is_whole(decks)
    places = decks.decks[0].places
    ((position, seat),) = places.discards.items()
    assert seat == 1 and faces(decks)[position] == face
    assert face not in {faces(decks)[position] for position in places.pile}


@pytest.mark.parametrize("seat", [0, 3])
def test_a_false_handing_at_a_table_names_its_seat(fast: Group, seat: int) -> None:
    """First or last of those who give: what it said is not in the deck that those who stay make."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        said = decode(MaskHand, honest, what="the message")
        other = fast.points(said.msg) + deck.faces.points.take([3])
        return encode(replace_fields(said, msg=other.to_bytes()))

    verdict = cheat(lasting(fast, *SCRIPT), seat, "hand", forge)
    assert verdict.fault is not None and verdict.fault.seat == seat
