"""Parameters, and what carries over from hand to hand: chips, the button, who plays."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.engine.ledger import Ledger
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games.base import Done
from nodealer.games.holdem import Carry, Hand, Holdem, NoHand
from nodealer.games.holdem.faces import NAMES, index, indices, name, names
from nodealer.games.holdem.rules import STACK_MAX
from nodealer.games.registry import find_game

from .dealer import FOLD, MUCK, Dealer, checks_down, play, script, stacks_after

RULES = Holdem(100, (1, 2))


def test_parameters() -> None:
    rules = Holdem(500, (5, 10), 1)
    assert rules.parameters == b'{"stack":500,"blinds":[5,10],"ante":1,"leaving":"strict"}'
    assert Holdem.from_parameters(rules.parameters) == rules == find_game("holdem").rules(rules.parameters)
    assert (rules.name, rules.version, rules.deck_max) == ("holdem", 1, 52)
    assert rules.stake == 500
    assert {one.value for one in rules.operations} == {"newdeck:shared", "deal:top", "open:top", "show:all"}


@pytest.mark.parametrize(
    "change",
    [
        (b"500", b"true"),
        (b"500", b"500.0"),
        (b"500", b"-500"),
        (b"500", b"0"),
        (b"500", b"9007199254740992"),
        (b"[5,10]", b"[5]"),
        (b"[5,10]", b"[5,10,20]"),
        (b"[5,10]", b"[0,10]"),
        (b'"ante":1', b'"ante":-1'),
        (b'"ante":1', b'"ante":1,"rake":1'),
        (b',"ante":1', b""),
        (b',"leaving":"strict"', b""),
        (b'"strict"', b'"free"'),
        (b'"ante":1', b'"ante": 1'),
        (b"}", b""),
        (b"{", b"[{"),
    ],
)
def test_parameters_that_are_none(change: tuple[bytes, bytes]) -> None:
    with pytest.raises(DecodeError):
        Holdem.from_parameters(Holdem(500, (5, 10), 1).parameters.replace(*change))


@pytest.mark.parametrize(
    "values",
    [
        (0, (1, 2), 0),
        (100, (2, 1), 0),
        (100, (1, 101), 0),
        (100, (1, 2), 101),
        (100, (1, 2), -1),
        (True, (1, 1), 0),
        (100.0, (1, 2), 0),
        (100, (1.0, 2), 0),
        (100, (1, 2, 4), 0),
        (STACK_MAX + 1, (1, 2), 0),
    ],
)
def test_parameters_that_cannot_be_played(values: Any) -> None:
    with pytest.raises(BadParameter):
        Holdem(*values)


def test_parameters_that_are_not_bytes() -> None:
    with pytest.raises(BadParameter):
        Holdem.from_parameters("{}")  # type: ignore[arg-type]
    with pytest.raises(DecodeError):
        Holdem.from_parameters(b"x" * 2000)


# --- From hand to hand ---


def after(chips: dict[int, int], button: int | None, big_blind: int | None = None) -> NoHand:
    return NoHand(0, tuple(chips), Carry(button, big_blind), chips)


def begun(seats: tuple[int, ...], before: Hand | NoHand | None = None, number: int = 1) -> Hand:
    """Begin the next hand; new seats get the stack of the rules."""
    chips = dict.fromkeys(seats, RULES.stake) | ({} if before is None else stacks_after(before))
    hand = RULES.begin(number, seats, before, {seat: chips[seat] for seat in seats})
    assert isinstance(hand, Hand)
    return hand


def test_the_button_moves() -> None:
    hand, buttons, blinds = begun((0, 2, 5)), [], []
    for _ in range(5):
        buttons.append(hand.button)
        blinds.append((hand.small_blind, hand.big_blind))
        over = play(hand, Dealer.shuffled("button"), checks_down)
        hand = begun((0, 2, 5), over)
    assert buttons == [0, 2, 5, 0, 2]
    assert blinds[:3] == [(2, 5), (5, 0), (0, 2)]


def test_heads_up_the_button_has_the_small_blind() -> None:
    hand, seen = begun((3, 7)), []
    for _ in range(4):
        seen.append((hand.button, hand.small_blind, hand.big_blind))
        assert hand.table.bets == {hand.small_blind: 1, hand.big_blind: 2}
        hand = begun((3, 7), play(hand, Dealer.shuffled("heads-up"), checks_down))
    assert seen == [(3, 3, 7), (7, 7, 3), (3, 3, 7), (7, 7, 3)]


def test_no_big_blind_twice_in_a_row_when_two_are_left() -> None:
    """Button 0, small blind 1, big blind 2; then 0 is out of chips. It would be 2's big blind again."""
    hand = begun((0, 1, 2), after({0: 0, 1: 150, 2: 150}, 0, 2))
    assert (hand.button, hand.big_blind) == (2, 1)
    hand = begun((0, 1, 2), after({0: 150, 1: 0, 2: 150}, 0, 2))
    assert (hand.button, hand.big_blind) == (2, 0)
    hand = begun((0, 1, 2), after({0: 150, 1: 150, 2: 0}, 0, 2))
    assert (hand.button, hand.big_blind) == (1, 0)


def test_joining_leaving_and_coming_back() -> None:
    """The table keeps the balances of all seats it has seen; a hand knows only those that begin it."""
    account, hand = Ledger(), None
    for seats, players, chips in (
        ((0, 1, 2), (1, 2, 0), {0: 100, 1: 99, 2: 101}),
        # 1 is away, 3 is new; both are known afterwards.
        ((0, 2, 3), (3, 0, 2), {0: 101, 1: 99, 2: 101, 3: 99}),
    ):
        account = account.add_seats(seats, RULES.stake)
        begun_now = RULES.begin(1, seats, hand, {seat: account.chips[seat] for seat in seats})
        assert isinstance(begun_now, Hand) and begun_now.players == players
        hand = script(begun_now, Dealer.shuffled("join"), FOLD, FOLD, MUCK)
        assert isinstance(hand.wants, Done)
        account = account.close_hand(1, hand.wants, hand.players, books=False)
        assert account.chips == chips
    account = account.add_seats((0, 1, 2, 3), RULES.stake)
    assert account.chips[1] == 99 and sum(account.chips.values()) == 400


def test_without_chips_a_seat_sits_out() -> None:
    hand = begun((0, 1, 2, 3), after({0: 100, 1: 0, 2: 100, 3: 200}, 0))
    assert hand.players == (3, 0, 2)
    assert hand.seats == (0, 1, 2, 3)
    over = play(hand, Dealer.shuffled("out"), checks_down)
    assert stacks_after(over)[1] == 0
    assert isinstance(over.wants, Done) and {"seat": 1, "before": 0, "after": 0} in over.wants.result["stacks"]


def test_a_hand_that_cannot_be_played() -> None:
    hand = RULES.begin(4, (0, 1), after({0: 200, 1: 0}, 1, 0), {0: 200, 1: 0})
    assert isinstance(hand, NoHand) and isinstance(hand.wants, Done)
    assert hand.wants.result["ended"] == "not played" and hand.carry.button == 1
    assert hand.left((0,), cards=False) is hand
    assert hand.legal(0).call is None
    assert hand.players == () and hand.paid == {} == hand.wants.net
    with pytest.raises(IllegalMove):
        hand.moved(0, FOLD)
    with pytest.raises(BadParameter):
        hand.told(())
    # Somebody joins, and it goes on where it was: 0 had the big blind last.
    assert begun((0, 1, 2), hand).big_blind == 2
    assert isinstance(RULES.begin(0, (4,), None, {4: 100}), NoHand)


def test_more_than_nine() -> None:
    """Nine play, starting at the button; the seats that sit out change with the button."""
    seats = tuple(range(12))
    hand = begun(seats)
    assert hand.button == 0 and hand.players == (1, 2, 3, 4, 5, 6, 7, 8, 0)
    hand = begun(seats, after(dict.fromkeys(seats, 100), 9))
    assert hand.players == (11, 0, 1, 2, 3, 4, 5, 6, 10)


@pytest.mark.parametrize("seats", [(0, 0), (-1, 2), (0, 20), (0, True), (0, 1.0), ("0", 1)])
def test_seats_that_are_none(seats: Any) -> None:
    with pytest.raises(BadParameter):
        RULES.begin(0, seats, None, dict.fromkeys(seats, 100))


def test_begin_after_something_else() -> None:
    with pytest.raises(BadParameter, match="another game"):
        RULES.begin(1, (0, 1), object(), {0: 100, 1: 100})  # type: ignore[arg-type]
    # A hand that was broken off, or ended by a claim, is never over for the game: the button moves all the same.
    cut = begun((0, 1))
    hand = RULES.begin(1, (0, 1), cut, {0: 100, 1: 100})
    assert isinstance(hand, Hand) and hand.button != cut.button and hand.chips == {0: 100, 1: 100}


# --- Faces ---


def test_faces() -> None:
    assert (name(0), name(12), name(13), name(51)) == ("2c", "Ac", "2d", "As")
    assert len(set(NAMES)) == 52
    assert all(index(name(face)) == face for face in range(52))
    assert names(indices("AsTd2c")) == ("As", "Td", "2c")
    for bad in (-1, 52, True, 1.0, "As"):
        with pytest.raises(BadParameter):
            name(bad)  # type: ignore[arg-type]
    for text in ("", "as", "1c", "Asd"):
        with pytest.raises(BadParameter):
            index(text)
