"""A game of three seats, Python, Node, Python, against the npm package itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nodealer_lab.npm import NodeError, NodeSeat
from npm.game import CARDS, Game, three_seats

pytestmark = pytest.mark.timeout(600)
Start = Callable[[], NodeSeat]


def test_it_is_the_package_that_was_asked_for(node: Start) -> None:
    about = node().ask("about")
    assert (about["version"], about["secp256k1"]) == ("1.0.0", "3.8.1")


def test_a_game_from_the_first_card_to_the_last(node: Start) -> None:
    game = Game(three_seats(node))
    game.play()
    drawn = {place: game.draw(place % 3, place) for place in range(9)}
    opened = [game.open(place) for place in range(CARDS)]
    assert sorted(opened) == list(range(CARDS)) and opened != list(range(CARDS))
    assert drawn == {place: opened[place] for place in drawn}
    assert game.keys_verify()
    game.recheck()


def test_either_side_sees_a_false_key_and_a_doubled_point(node: Start) -> None:
    game = Game(three_seats(node))
    game.play()
    ours, theirs, _ = game.seats
    secrets = [seat.secrets(range(4)) for seat in game.seats]
    assert theirs.verifies(ours.public_keys[:4], secrets[0]) and ours.verifies(theirs.public_keys[:4], secrets[1])
    assert not theirs.verifies(ours.public_keys[1:5], secrets[0])
    assert not ours.verifies(theirs.public_keys[1:5], secrets[1])
    doubled = game.deck.take([0, *range(CARDS - 1)])
    assert not ours.accepts(doubled) and not theirs.accepts(doubled)


def test_what_the_package_throws_is_told(node: Start) -> None:
    seat = node()
    with pytest.raises(NodeError, match="Error"):
        seat.ask("distinct")
    with pytest.raises(NodeError, match="RangeError"):
        seat.ask("player", cards=1)
    assert seat.ask("player", cards=2)["keys"]
