"""Seats leave a `mask` deck: what is held, what returns, what is dead, and what waits meanwhile.

That the deck is whole wherever they leave is in the conformance suite.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from conformance.cases import MASK
from conformance.harness import events_of
from conformance.leaving import finish, leave, recovered, true_faces, until_idle
from conformance.suite import nothing_repeats
from nodealer.cards.events import Event, Finished, Half, Moved, Opened
from nodealer.cards.operations import Close, Deal, NewDeck, Open, Operation, Place, Portion, Return, Show
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.proofs.encoding import encodings
from nodealer.protocols.keyed_deck import Releasing
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.rebuild import Joining, MaskDeclaring
from nodealer.protocols.mask.return_cards import Gathering
from nodealer.protocols.mask.tags import Sharing
from nodealer.protocols.stages import Closed, Idle

from ..decks import Decks
from ..kit import messages
from .kit import deck_of, fresh, lasting, without

SEATS: Final = 4
RESTING: Final = (Idle, Releasing, Gathering)


def portions(*seats: int, count: int = 1) -> Deal:
    return Deal(0, tuple(Portion(seat, count) for seat in seats))


def faces(decks: Decks[MaskDeck]) -> dict[int, int]:
    """Every card that is somewhere, and its face."""
    deck = decks.decks[0]
    places = deck.places
    return true_faces(deck, decks.tapes, {*places.pile, *places.held, *places.discards, *places.opened})


def is_whole(decks: Decks[MaskDeck]) -> None:
    decks.settle()
    assert sorted(faces(decks).values()) == list(range(decks.decks[0].faces.size))


def dealt(group: Group, *asked: Operation, seats: int = 3, size: int = 7) -> Decks[MaskDeck]:
    """A card in each hand, and what else is asked."""
    decks = fresh(group, seats, size)
    for operation in (portions(*range(seats)), *asked):
        decks.ask(operation)
    return decks


# --- What is held, what returns, what is dead ---


def test_what_returns_and_what_does_not(fast: Group) -> None:
    """Seat 1 leaves: its hand and its discard return; those of others, the open and the shown cards do not."""
    decks = dealt(fast, portions(0, 1, 2), Return(0, (0, 1), Place.DISCARD), Open(0, 2), Show(0, 2, (2,)), size=10)
    before, known = decks.decks[0].places, faces(decks)
    assert before.discards == {0: 0, 1: 1} and before.held == {2: 2, 3: 0, 4: 1, 5: 2}
    assert before.hidden_owned == (0, 1, 3, 4, 5) and len(before.face_down) == 7
    decks.run(without(decks, 1))
    after = decks.decks[0].places
    assert (after.held, after.discards, after.opened) == ({2: 2, 3: 0, 5: 2}, {0: 0}, before.opened)
    assert sorted(faces(decks)[p] for p in after.pile) == sorted(known[p] for p in (*before.pile, 1, 4))
    assert not set(after.pile) & set(range(10)), "old positions of the pile are dead"
    assert [event.card.position for event in decks.events if event == Moved(before.card(4), None)] == [4]
    is_whole(decks)


def test_a_shown_hand_of_the_leaver_is_public(fast: Group) -> None:
    """It is face up, and face up it stays: it does not come again."""
    decks = dealt(fast, Show(0, 2, (2,)))
    decks.run(without(decks, 2))
    places = decks.decks[0].places
    assert 2 in places.opened and 2 not in places.held and len(places.pile) == 4
    is_whole(decks)


def test_an_open_card_that_was_shuffled_in_is_hidden_again(fast: Group) -> None:
    decks = dealt(fast, Open(0, 1), Return(0, (3,), Place.SHUFFLED))
    decks.run(without(decks, 2))
    places = decks.decks[0].places
    assert not places.opened and len(places.face_down) == 7 and len(places.pile) == 5
    is_whole(decks)


def test_nothing_is_held(fast: Group) -> None:
    """Nobody declares or tags anything: those who stay join, shuffle and re-key."""
    decks = fresh(fast, 3, 5)
    decks.ask(Open(0, 1))
    said = len(decks.said)
    decks.run(without(decks, 1))
    assert [duty.kind for duty, _ in decks.said[said:]] == ["join"] * 2 + ["reshuffle"] * 2 + ["rekey"] * 2
    is_whole(decks)


@pytest.mark.parametrize(
    ("size", "asked", "pile"),
    [
        (3, (portions(0, 1), Open(0, 1)), 0),
        (2, (Open(0, 2),), 0),
        (2, (Open(0, 1),), 1),
        (4, (portions(0, 1), Open(0, 1)), 1),
        (3, (portions(0, 2), Open(0, 1)), 1),
    ],
)
def test_last_cards(fast: Group, size: int, asked: tuple[Operation, ...], pile: int) -> None:
    """Nothing is left for the pile, or one card, which all may know: the deck still goes on."""
    decks = fresh(fast, 3, size)
    for operation in asked:
        decks.ask(operation)
    decks.run(without(decks, 2))
    assert len(decks.decks[0].places.pile) == pile
    is_whole(decks)
    if pile:
        decks.ask(Open(0, 1))
        is_whole(decks)


# --- In the middle of a card ---


def half_open(group: Group, *published: int) -> Decks[MaskDeck]:
    """An opening in three groups, of seats 0 and 3, 1, and 2; these have published."""
    decks = fresh(group, SEATS, 9)
    decks.ask(portions(*range(SEATS)))
    step = decks.decks[0].request(Open(0, 1, order=((1,), (2,))))
    assert isinstance(step.deck, MaskDeck)
    decks.decks[0] = step.deck
    for seat in published:
        (duty,) = (duty for duty in decks.decks[0].duties if duty.seat == seat)
        decks.decks[0] = decks.step(decks.decks[0], duty)
    return decks


def test_who_would_leave_it_half_open(fast: Group) -> None:
    """Whoever owes a key that others have published, in a later group too: with the one in turn it may know it."""
    assert half_open(fast).decks[0].half == {}
    assert half_open(fast, 0).decks[0].half == dict.fromkeys((1, 2, 3), Half.OPENED)
    assert half_open(fast, 0, 3).decks[0].half == dict.fromkeys((1, 2), Half.OPENED)


def test_who_has_published_leaves_after_the_card(fast: Group) -> None:
    """It owes nothing of it, and cannot have it dealt again; what it held goes back when the card is open."""
    whole = half_open(fast, 0, 3, 1)
    face = whole.run(whole.decks[0]).places.opened[4]
    for leavers in ((3,), (0, 3)):
        decks = half_open(fast, 0, 3, 1)
        for leaver in leavers:
            deck = without(decks, leaver)
        assert isinstance(deck.stage, Releasing) and [duty.seat for duty in deck.duties] == [2]
        decks.decks[0] = decks.step(deck, deck.duties[0])
        after = decks.decks[0]
        assert after.places.opened == {4: face} and isinstance(after.stage, Joining)
        assert [e for e in decks.events if isinstance(e, Moved) and e.holder is None] == [
            Moved(after.places.card(leaver), None) for leaver in leavers
        ]
        assert not set(leavers) & {*after.places.held.values(), *after.binding.players}
        decks.run(after)
        is_whole(decks)


def test_one_more_who_owes_a_key_takes_them_all_out(fast: Group) -> None:
    decks = half_open(fast, 0, 3)
    without(decks, 3)
    deck = without(decks, 2)
    assert isinstance(deck.stage, Joining) and deck.binding.players == (0, 1) and not deck.leavers
    decks.run(deck)
    assert len(decks.decks[0].places.opened) == 1
    is_whole(decks)
    decks = half_open(fast, 0, 3, 1)
    without(decks, 3, 0)
    assert decks.decks[0].without((1,)) is None, "and one alone has no deck"


def test_who_stays_alone_has_no_deck(fast: Group) -> None:
    decks = dealt(fast)
    assert decks.decks[0].without((0, 1)) is None
    assert without(decks, 1).without((0,)) is None


def test_a_closed_deck_stays_closed(fast: Group) -> None:
    decks = dealt(fast, Close(0))
    assert isinstance(without(decks, 1).stage, Closed)


def test_a_seat_without_keys_changes_nothing(fast: Group) -> None:
    decks = dealt(fast)
    step = decks.decks[0].without((7,))
    assert step is not None and step.deck is decks.decks[0] and not step.events


@pytest.mark.parametrize("released", range(SEATS))
def test_half_dealt_cards_go_back(fast: Group, released: int) -> None:
    """So many have answered a deal: nobody holds anything, and all is dealt anew to those who stay."""
    decks = fresh(fast, SEATS, 8)
    deck = decks.decks[0].request(portions(*range(SEATS))).deck
    assert isinstance(deck, MaskDeck)
    for _ in range(released):
        deck = decks.step(deck, deck.duties[0])
    decks.decks[0] = deck
    half = set(deck.places.pile[:SEATS])
    decks.run(without(decks, 3))
    places = decks.decks[0].places
    assert sorted(places.held.values()) == [0, 1, 2] and not places.held.keys() & half
    assert half <= decks.decks[0].dead
    assert decks.events[-1] == Finished(portions(*range(SEATS))), "the game is told that what it asked is done"
    is_whole(decks)


@pytest.mark.parametrize("released", range(1, SEATS))
def test_half_opened_cards_go_back(fast: Group, released: int) -> None:
    """Keys for cards of the table are out, but not all: the cards go back and are never opened."""
    decks = dealt(fast, seats=SEATS, size=8)
    deck = decks.decks[0].request(Open(0, 2)).deck
    assert isinstance(deck, MaskDeck)
    for _ in range(released):
        deck = decks.step(deck, deck.duties[0])
    decks.decks[0] = deck
    half = set(deck.places.pile[:2])
    decks.run(without(decks, 3))
    opened = {event.card.position for event in decks.events if isinstance(event, Opened)}
    assert len(opened) == 2 and not opened & half
    is_whole(decks)


def test_no_key_of_a_dead_place_is_published(fast: Group) -> None:
    """Over a whole log with two rebuilds: who publishes a key, publishes it for a card that is asked for and alive."""
    game = until_idle(lasting(fast, (NewDeck(0, 9), portions(*range(SEATS))), (Open(0, 1),), (Open(0, 1),)), 1)
    before = deck_of(game)
    for leaver in (3, 2):
        leave(game, (leaver,))
        recovered(game)
    deck = deck_of(game)
    assert before.places.in_pile <= deck.dead
    finish(game, RESTING)
    replica = game.replica(0)
    for data in game.log:
        replica.append(data)
        for one in replica.state.hand.decks.values():
            assert isinstance(one, MaskDeck) and not one.released.keys() & one.dead


# --- Cards that go back, before and after ---


@pytest.mark.sample(reference=1)
@pytest.mark.parametrize("place", [Place.TOP, Place.BOTTOM, Place.SHUFFLED])
def test_a_kept_card_goes_back_after_a_rebuild(group: Group, place: Place) -> None:
    """Its layer has a key of one who left: that is published, and is taken off before the card is gathered."""
    decks = dealt(group, size=5)
    face = faces(decks)[0]
    decks.run(without(decks, 2))
    decks.ask(Return(0, (0,), place))
    places = decks.decks[0].places
    assert 0 not in places.held and face in {faces(decks)[position] for position in places.pile}
    if place is not Place.SHUFFLED:
        assert faces(decks)[places.pile[0 if place is Place.TOP else -1]] == face
    is_whole(decks)
    decks.ask(Open(0, 2))
    is_whole(decks)


@pytest.mark.parametrize("place", [Place.TOP, Place.BOTTOM, Place.SHUFFLED])
@pytest.mark.parametrize("said", [0, 2, 4, 6])
def test_a_return_is_broken_off_and_begun_again(fast: Group, place: Place, said: int) -> None:
    """The card stays its holder's until the deck is rebuilt, and then goes back; epochs are never used twice."""
    decks = dealt(fast)
    face = faces(decks)[0]
    asked = Return(0, (0,), place)
    deck = decks.decks[0].request(asked).deck
    assert isinstance(deck, MaskDeck) and deck.epoch == 1
    for _ in range(said):
        deck = decks.step(deck, deck.duties[0])
    decks.decks[0] = deck
    assert without(decks, 2).epoch == 2
    assert 0 in decks.decks[0].places.hidden_owned
    deck = decks.run(decks.decks[0])
    assert deck.epoch == 3 and 0 not in deck.places.held
    assert face in {faces(decks)[position] for position in deck.places.pile}
    assert decks.events[-1] == Finished(asked)
    is_whole(decks)


def test_a_return_by_who_leaves(fast: Group) -> None:
    """Its cards go back anyway: nothing is left of what it asked but, where it was to be shuffled, a shuffle."""
    for place, kinds in ((Place.TOP, {"rekey"}), (Place.SHUFFLED, {"rekey", "gather", "reshuffle"})):
        decks = dealt(fast)
        deck = decks.decks[0].request(Return(0, (2,), place, by=2)).deck
        assert isinstance(deck, MaskDeck) and isinstance(deck.stage, Gathering)
        decks.decks[0] = deck
        decks.run(without(decks, 2))
        last = [duty.kind for duty, _ in decks.said[-2:]]
        assert decks.events[-1] == Finished(Return(0, (2,), place, by=2)) and set(last) <= kinds
        assert len(decks.decks[0].places.pile) == 5
        is_whole(decks)


def test_a_return_that_names_a_leavers_card(fast: Group) -> None:
    """A game that had asked when it was still there: the rest is done. What never was there is still refused."""
    decks = dealt(fast)
    decks.run(without(decks, 2))
    decks.ask(Return(0, (1, 2), Place.TOP))
    assert decks.decks[0].places.held == {0: 0}
    is_whole(decks)
    with pytest.raises(BadParameter):
        decks.decks[0].request(Return(0, (1, 99), Place.TOP))


# --- What is asked meanwhile ---


def test_requests_wait_for_the_end_of_a_rebuild(fast: Group) -> None:
    """Of cards of the new pile, of cards that are held, and of positions that are dead by then."""
    asked: list[tuple[Operation, type[Event]]] = [
        (Open(0, 1), Opened),
        (Open(0, positions=(5, 6)), Opened),
        (Show(0, 0, (0,)), Opened),
        (portions(0, 1, count=2), Moved),
        (Deal(0, (Portion(1, positions=(4,)),)), Moved),
        (Return(0, (1,), Place.SHUFFLED), Moved),
        (Return(0, (1,), Place.DISCARD), Moved),
    ]
    for operation, happens in asked:
        decks = dealt(fast)
        deck = without(decks, 2)
        for _ in range(3):
            deck = decks.step(deck, deck.duties[0])
        step = deck.request(operation)
        assert isinstance(step.deck, MaskDeck) and isinstance(step.deck.stage, MaskDeclaring) and not step.events
        with pytest.raises(BadParameter, match="busy"):
            step.deck.request(operation)
        decks.run(step.deck)
        assert decks.events[-1] == Finished(operation) and isinstance(decks.events[-2], happens)
        is_whole(decks)


def test_what_will_make_no_sense_is_refused_at_once(fast: Group) -> None:
    """The pile will have five cards, one more than before: so many can be asked for, and no more."""
    decks = dealt(fast)
    deck = without(decks, 2)
    assert isinstance(deck.stage, Joining)
    gone: tuple[Operation, ...] = (Show(0, 2, (2,)), Deal(0, (Portion(2, 1),)))
    for nonsense in (Open(0, 6), *gone, Show(0, 0, (1,)), Return(0, (6,), Place.TOP)):
        with pytest.raises(BadParameter):
            deck.request(nonsense)
    decks.run(deck.request(Open(0, 5)).deck)  # type: ignore[arg-type]
    is_whole(decks)


def test_a_rebuild_is_closed_at_any_step(fast: Group) -> None:
    decks = dealt(fast)
    deck = without(decks, 2)
    while deck.duties:
        closed = deck.request(Close(0))
        assert isinstance(closed.deck, MaskDeck) and isinstance(closed.deck.stage, Closed)
        assert closed.events == (Finished(Close(0)),)
        deck = decks.step(deck, deck.duties[0])


def test_two_decks_are_rebuilt_side_by_side(fast: Group) -> None:
    """Each by itself, with keys of its own, in whatever order the words about them come."""
    deals = [Deal(deck, (Portion(0, 1), Portion(1, 1))) for deck in (0, 1)]
    game = until_idle(lasting(fast, (NewDeck(0, 5), NewDeck(1, 4), *deals), (Open(0, 1), Open(1, 1)), seats=3), 1)
    leave(game, (2,))
    owed = {(known.duty.deck, known.duty.kind) for known in game.state.duties.open.values() if not known.duty.optional}
    assert owed == {(0, "join"), (1, "join")}
    finish(game, RESTING)
    said = [message["key"] for _, message in messages(game.log) if message["type"] == "join"]
    assert len(set(said)) == 4
    opened = [event.card.deck for event in events_of(game.seats[0].replica) if isinstance(event, Opened)]
    assert sorted(opened) == [0, 1]


# --- Nothing of one rebuild in another ---


def test_two_rebuilds_have_nothing_in_common(fast: Group) -> None:
    """No value of one stands in the other, also where the first was broken off at its last step; tags are others."""
    decks = dealt(fast, seats=SEATS, size=8)
    deck, tags = without(decks, 3), list[set[bytes]]()
    values = [len(decks.said)]
    for leaver in (2, None):
        while deck.duties:
            if isinstance(deck.stage, Sharing) and len(deck.duties) == 1:
                shares = fast.points(said_shares(decks, deck))
                total = deck.stage.tagged.msg - shares
                for one in deck.stage.said.values():
                    total = total - one
                tags.append(set(encodings(total)))
            duty = deck.duties[0]
            if leaver is not None and duty.kind == "rekey" and len(deck.duties) == 1:
                break
            deck = decks.step(deck, duty)
        values.append(len(decks.said))
        if leaver is not None:
            decks.decks[0] = deck
            deck = without(decks, leaver)
    first, second = (
        {value for _, message in decks.said[begin:end] for value in MASK.fresh_values(fast, message)}
        for begin, end in pairwise(values)
    )
    assert len(first) > 200 and len(second) > 150 and not first & second
    # Eight faces and three held; then eight and two: each held tag is that of a card.
    assert [len(one) for one in tags] == [8, 8] and not tags[0] & tags[1]
    decks.settle()


def said_shares(decks: Decks[MaskDeck], deck: MaskDeck) -> bytes:
    """The shares that the last seat is about to publish."""
    duty = deck.duties[0]
    secret = deck.shuffle_secret(decks.tapes[duty.seat], duty.seat, deck.epoch)
    assert isinstance(deck.stage, Sharing)
    return (secret * deck.stage.tagged.epk).to_bytes()


def test_no_value_is_said_twice(fast: Group) -> None:
    game = until_idle(lasting(fast, (NewDeck(0, 8), portions(*range(SEATS))), (Open(0, 1),), (Open(0, 1),)), 1)
    for leaver in (3, 2):
        leave(game, (leaver,))
        recovered(game)
    finish(game, RESTING)
    nothing_repeats(MASK, [game])


def test_a_forked_rebuild_gets_other_secrets(fast: Group) -> None:
    """One epoch, two logs: a seat multiplies other cards by another secret, and masks its own for another key anew."""
    decks = dealt(fast)
    deck, tape = decks.decks[0], decks.tapes[0]
    mine = deck.held_cards((0,))
    for one, two in (
        (deck.tag_secret(tape, 0, mine), deck.tag_secret(tape, 0, deck.held_cards((1,)))),
        (deck.held_draws(tape, 0, mine, fast.G), deck.held_draws(tape, 0, mine, fast.G + fast.G)),
        (deck.tag_secret(tape, 0, mine), deck.with_fields(epoch=deck.epoch + 1).tag_secret(tape, 0, mine)),
    ):
        assert one != two
