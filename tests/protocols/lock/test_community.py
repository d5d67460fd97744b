"""Cards for the table: the order of pickers, and a server that picks for the whole hand."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec import Raw

from conformance.harness import Table
from conformance.leaving import ends_well, leave, play_leaving, playing
from nodealer.cards.operations import Deal, NewDeck, Open
from nodealer.engine.bodies import Cards
from nodealer.errors import BadParameter, EntryRefused
from nodealer.group import Group
from nodealer.protocols.base import Binding as Places
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.community import Picking, ServerPicking, picker_order
from nodealer.tape import digest
from nodealer.wire import encode
from sampling import times

from ..kit import changed, cheat, is_refused, messages
from .kit import SERVER, deck_of, holdem, portions, scripted

ROLES: Final = {3: "server"}
SCRIPT: Final = ((NewDeck(0, 10), Deal(0, portions(range(3)))), (Open(0, 2),), (Open(0, 1),), (Open(0, 1),))


def with_server(group: Group, seed: str = "server") -> Table:
    return scripted(group, *SCRIPT, seats=4, seed=seed, parameters=SERVER, roles=ROLES)


def asked(game: Table, at: int) -> Table:
    game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) >= at)
    return game


def picks(game: Table) -> list[int]:
    return [seat for seat, message in messages(game.log) if message["type"] == "pick"]


# --- Pickers ---


def test_order_of_pickers(fast: Group) -> None:
    """It hangs on all keys, not on who sits where, and is another one for other keys."""
    keys = [bytes([k]) * 32 for k in (9, 4, 7, 1)]

    def order(given: list[bytes]) -> list[bytes]:
        table = Places("lock", 0, bytes(32), bytes(32), 0, (0, 1, 2, 3), (), fast, tuple(enumerate(given)))
        return [given[seat] for seat in picker_order(table)]

    seed = digest("lock pickers", b"".join(sorted(keys)))
    assert order(keys) == sorted(keys, key=lambda key: digest("lock picker", seed, key))
    assert order(keys) == order(keys[::-1]) == order(keys[2:] + keys[:2])
    assert len({tuple(order([bytes([k]) * 32, *keys[1:]])) for k in range(20, 40)}) > 5


def test_first_who_is_there_picks(fast: Group) -> None:
    game = scripted(fast, *SCRIPT, seats=3, seed="pickers")
    asked(game, 1)
    first, second, _ = deck_of(game).pickers
    asked(game, 2)
    assert picks(game) == [first]
    leave(game, (first,))
    game.play()
    ends_well(game)
    assert picks(game) == [first, second, second]


def test_picker_leaves_when_it_should_pick(fast: Group) -> None:
    game = asked(scripted(fast, *SCRIPT, seats=3, seed="pickers"), 1)
    first, second, _ = deck_of(game).pickers
    assert isinstance(deck_of(game).stage, Picking)
    leave(game, (first,))
    game.play()
    ends_well(game)
    assert picks(game) == [second] * 3


def test_pick_takes_what_it_names(fast: Group) -> None:
    game = scripted(fast, *SCRIPT, seats=3).play()
    named = [position for _, m in messages(game.log) if m["type"] == "pick" for position in m["positions"]]
    assert len(named) == len(set(named)) == 4 and named != [3, 4, 5, 6], "not simply the next ones"


# --- A server ---


def test_server_picks_once_and_has_no_cards(fast: Group) -> None:
    game = asked(with_server(fast), 3)
    deck = deck_of(game)
    assert picks(game) == [3] and deck.binding.players == (0, 1, 2)
    assert 3 not in deck.layers.all_layers[0].keys and not deck.places.hand(3)
    named = next(m["positions"] for _, m in messages(game.log) if m["type"] == "pick")
    assert sorted(named) == list(range(3, 10))
    assert list(deck.places.opened) == named[:3]
    assert {card.position for card in deck.knows(3, game.tape(3))} == set(named[:3]), "it knows what is open"
    game.play()
    ends_well(game)
    assert picks(game) == [3]


def test_holdem_with_a_server(fast: Group) -> None:
    game = holdem(fast, 4, "served", parameters=SERVER, roles=ROLES).play()
    ends_well(game)
    assert picks(game) == [3]
    assert {row["seat"] for row in game.state.results[0]["stacks"]} == {0, 1, 2}
    assert {message["type"] for seat, message in messages(game.log) if seat == 3} == {"pick"}


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_server_leaves(fast: Group, at: int) -> None:
    """It has no secrets, so nothing is made again: what it named stands, or the pickers take over."""
    game = asked(with_server(fast), at)
    if at == 0:
        game.play(until=lambda game: any(m["type"] == "cascade" for _, m in messages(game.log)))
    if at == 1:
        assert isinstance(deck_of(game).stage, ServerPicking)
    first = deck_of(game).pickers[0]
    leave(game, (3,))
    game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) >= 3)
    assert len(deck_of(game).layers.all_layers) == 1
    game.play()
    ends_well(game)
    assert picks(game) == ([3] if at > 1 else [first] * 3)


def test_player_leaves_a_table_with_a_server(fast: Group) -> None:
    """The server names the cards of the recovered deck anew."""
    game = asked(with_server(fast), 2)
    leave(game, (1,))
    game.play()
    ends_well(game)
    assert picks(game) == [3, 3]


def test_server_and_player_leave(fast: Group) -> None:
    for leavers in (((1, 3),), ((1,), (3,)), ((3,), (1,))):
        game = asked(with_server(fast), 2)
        for seats in leavers:
            leave(game, seats)
        game.play()
        ends_well(game)
        assert not {3, 1} & set(picks(game)[1:])


@pytest.mark.parametrize("leaver", [0, 3])
def test_holdem_left_by_server_or_player(fast: Group, leaver: int) -> None:
    for height in (6, 14, 24, 31)[:: times(2, deep=1)]:
        game = holdem(fast, 4, f"served {height}", parameters=SERVER, roles=ROLES)
        play_leaving(game, [(height, (leaver,))])


def test_bad_picks_of_a_server(fast: Group) -> None:
    for positions, reason in (
        ([3, 4], "does not name 7 different"),
        ([3, 3, 4, 5, 6, 7, 8], "does not name 7 different"),
        ([0, 3, 4, 5, 6, 7, 8], "is not in the pile"),
        ([3, 4, 5, 6, 7, 8, 9, 10], "does not name 7 different"),
    ):
        verdict = cheat(with_server(fast), 3, "pick", lambda d, duty, t, honest: changed(honest, positions=positions))
        is_refused(verdict, reason)


def test_nobody_picks_for_the_server(fast: Group) -> None:
    game = asked(with_server(fast), 1)
    (duty,) = deck_of(game).duties
    replica = game.replica()
    for seat in range(3):
        body = Cards(duty.id, Raw(encode({"type": "pick", "positions": list(range(3, 10))})))
        with pytest.raises(EntryRefused) as refused:
            replica.append(game.by_hand(seat, body, replica))
        assert refused.value.seat == seat
    assert playing(game)


def test_a_server_is_needed_where_one_was_agreed_on(fast: Group) -> None:
    with pytest.raises(BadParameter, match="role server"):
        scripted(fast, *SCRIPT, seats=3, parameters=SERVER)
    with pytest.raises(Exception, match="parameters of lock"):
        Lock(b'{"community":"dealer"}', on=fast)
