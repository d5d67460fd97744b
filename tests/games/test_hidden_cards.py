"""Hidden cards, held or discarded, belong to one player: no one else can move them, through the library or a deck."""

from __future__ import annotations

from collections import deque

import pytest

import nodealer
from nodealer.cards.operations import Deal, Place, Portion, Return, Show
from nodealer.cards.places import Places
from nodealer.errors import BadParameter, EntryRefused, IllegalMove
from nodealer.games import free
from nodealer.games.free import Free
from nodealer.group import group
from nodealer.protocols import make_protocol
from nodealer.wire import encode
from protocols.decks import Decks, binding, tapes_of


def carry(players: list[nodealer.Player], frames: list[bytes]) -> None:
    waiting = deque(frames)
    while waiting:
        frame = waiting.popleft()
        for player in players:
            waiting.extend(player.receive(frame))


def seated(protocol: str = "mask") -> list[nodealer.Player]:
    players = [nodealer.Player("Ada"), nodealer.Player("Ben")]
    carry(players, [*players[0].hello(), *players[1].hello()])
    carry(players, players[0].propose(protocol=protocol, cards=6))
    carry(players, players[0].shuffle(6))
    carry(players, players[0].deal({"Ada": 1, "Ben": 2}))
    return players


def test_players_cannot_read_another_players_discards() -> None:
    """Ben discards; Ada gives his discards back to the top and deals them to herself. Ben's program answered it all."""
    ada, ben = seated()
    discarded = ben.hand()
    carry([ada, ben], ben.give_back(to="discard"))
    with pytest.raises((IllegalMove, BadParameter, EntryRefused)):
        carry([ada, ben], ada.move(free.GiveBack(0, (1, 2), "top")))
        carry([ada, ben], ada.deal({"Ada": 2}))
        assert not set(discarded) & set(ada.hand()), "she has read them"


@pytest.mark.parametrize("place", ["top", "bottom", "shuffled", "discard"])
@pytest.mark.parametrize("discarded", [False, True])
def test_players_cannot_move_another_players_cards_or_discards(place: str, discarded: bool) -> None:
    ada, ben = seated()
    if discarded:
        carry([ada, ben], ben.give_back(to="discard"))
    for positions in ((1,), (1, 2), (0, 1)):
        with pytest.raises((IllegalMove, BadParameter, EntryRefused)):
            ada.move(free.GiveBack(0, positions, place))  # type: ignore[arg-type]
    # Her own she may, laid aside or not, and the table goes on.
    carry([ada, ben], ada.give_back(to="discard"))
    carry([ada, ben], ada.move(free.GiveBack(0, (0,), place)))  # type: ignore[arg-type]
    assert ada.ready and ben.ready


def test_an_entry_that_asks_for_it_is_refused_by_every_other_program() -> None:
    """Ada runs a modified program: she signs the request by hand."""
    ada, ben = seated()
    carry([ada, ben], ben.give_back(to="discard"))
    deck = ben._me.replica.state.hand.decks[0]
    before = deck.digest()
    for operation in (Return(0, (1, 2), place, by=0) for place in Place):
        with pytest.raises(BadParameter, match="seat 1"):
            deck.request(operation)
    assert deck.digest() == before


def test_what_a_player_asks_for_carries_its_seat() -> None:
    hand = Free().begin(0, (0, 1), None, {}).moved(0, encode(free.Shuffle(0, 5))).told(())
    asking = hand.moved(1, encode(free.GiveBack(0, (3,), "top")))
    assert asking.asking == Return(0, (3,), Place.TOP, by=1)


# --- The bookkeeping, for every game and protocol ---


def places() -> Places:
    """Seat 0 holds 0 and discarded 1; seat 1 holds 2 and 3, of which 3 is shown; 4 is open on the table."""
    held = Places.fresh(0, 8).move_to_hand((0, 1), 0).move_to_hand((2, 3), 1)
    return held.discard((1,)).open({3: 7, 4: 6})


@pytest.mark.parametrize("place", list(Place))
def test_places_refuse_another_seats_hidden_cards(place: Place) -> None:
    table = places()
    for mine, others in ((0, (2,)), (1, (0, 1))):
        for position in others:
            with pytest.raises(BadParameter, match="is hidden and belongs to seat"):
                table.validate_return(Return(0, (position,), place, by=mine))
            with pytest.raises(BadParameter, match="is hidden and belongs to seat"):
                table.validate_return(Return(0, (4, position), place, by=mine))
            # The rules of a game may.
            assert table.validate_return(Return(0, (position,), place)) == (position,)
    assert table.validate_return(Return(0, (0, 1, 3, 4), place, by=0)) == (0, 1, 3, 4)
    assert table.validate_return(Return(0, (2, 3, 4), place, by=1)) == (2, 3, 4)
    # A seat without cards moves open ones only.
    assert table.validate_return(Return(0, (3, 4), place, by=5)) == (3, 4)


def test_nothing_else_reaches_cards_that_are_not_in_the_pile() -> None:
    """Deals and openings take from the pile, a show needs the holder, and a reshuffle without cards is of the pile."""
    table = places()
    for position in (0, 1, 2, 3, 4):
        with pytest.raises(BadParameter):
            table.resolve_deal(Deal(0, (Portion(0, positions=(position,)),)), (0, 1))
        with pytest.raises(BadParameter):
            table.resolve_positions(0, (position,))
    for seat, position in ((0, 1), (0, 2), (1, 0), (1, 1)):
        with pytest.raises(BadParameter):
            table.validate_show(Show(0, seat, (position,)))
    assert table.validate_return(Return(0, (), Place.SHUFFLED, by=1)) == ()


@pytest.mark.parametrize("name", ["mask", "lock", "offset", "chain"])
def test_decks_of_every_protocol_refuse_it(name: str) -> None:
    on = group()
    decks = Decks(binding(name, on, 2), tapes_of(2), make_protocol(name, on=on))
    decks.make(4)
    decks.ask(Deal(0, (Portion(0, 1), Portion(1, 1))))
    for _ in range(2):
        # First it is held, then laid aside.
        with pytest.raises(BadParameter, match="belongs to seat 1"):
            decks.ask(Return(0, (1,), Place.DISCARD, by=0))
        decks.ask(Return(0, (1,), Place.DISCARD, by=1))
