"""Scripted hands: the flow of the cards, legal and illegal moves, mucks and shows, run-outs."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Card, Deal, NewDeck, Open, Portion, Show
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Hand, HandStage, Holdem, HoldemEnding, Legal
from nodealer.games.holdem.faces import indices
from nodealer.games.holdem.result import Carry

from .dealer import (
    CALL,
    FOLD,
    MUCK,
    SHOW,
    Dealer,
    checks_down,
    dealt,
    play,
    public,
    raise_to,
    script,
    stacks_after,
    table_of,
)

RULES = Holdem(200, (1, 2))
#: Seats 1, 2, 0 get aces, kings, queens; the board helps nobody.
DECK = "AsAd KsKd QsQd 2c7dJh 3s 9c"


def three() -> Hand:
    """Seat 0 has the button, 1 the small blind, 2 the big blind."""
    return table_of({0: 200, 1: 200, 2: 200}, RULES)


def result(hand: Hand) -> dict[str, Any]:
    assert isinstance(hand.wants, Done)
    return hand.wants.result


def test_the_cards_flow() -> None:
    dealer, hand = Dealer.stacked(DECK), three()
    asked = []
    while not isinstance(hand.wants, Done):
        if isinstance(hand.wants, Ask):
            asked.append(hand.wants.operations)
            hand = hand.told(dealer.answer(hand.wants))
        else:
            assert isinstance(hand.wants, Turn)
            hand = hand.moved(hand.wants.seats[0], CALL if hand.stage is HandStage.BETTING else SHOW)
    assert asked == [
        (NewDeck(0, 52), Deal(0, (Portion(1, 2), Portion(2, 2), Portion(0, 2)))),
        (Open(0, 3, order=((0, 1, 2),)),),
        (Open(0, 1, order=((0, 1, 2),)),),
        (Open(0, 1, order=((0, 1, 2),)),),
        (Show(0, 1, (0, 1)),),
        (Show(0, 2, (2, 3)),),
        (Show(0, 0, (4, 5)),),
    ]
    assert stacks_after(hand) == {0: 198, 1: 204, 2: 198}
    assert result(hand) == {
        "hand": 0,
        "button": 0,
        "ended": "showdown",
        "stacks": [
            {"seat": 0, "before": 200, "after": 198},
            {"seat": 1, "before": 200, "after": 204},
            {"seat": 2, "before": 200, "after": 198},
        ],
        "board": ["2c", "7d", "Jh", "3s", "9c"],
        "pots": [{"amount": 6, "winners": [{"seat": 1, "amount": 6}]}],
        "shown": [
            {"seat": 0, "cards": ["Qs", "Qd"]},
            {"seat": 1, "cards": ["As", "Ad"]},
            {"seat": 2, "cards": ["Ks", "Kd"]},
        ],
        "gone": [],
        "dead": 0,
        "charged": [],
    }


def test_positions_are_what_the_protocol_says() -> None:
    """The cards of a seat are those that moved to it, wherever they were."""
    hand = play(three(), Dealer.shuffled("positions", stride=11), checks_down)
    assert isinstance(hand, Hand)
    assert hand.held == {1: (0, 11), 2: (22, 33), 0: (44, 3)}
    assert all(len(faces) == 2 for faces in hand.shown.values())


# --- Moves ---


@pytest.mark.parametrize(
    "move",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"type":"check"}',
        b'{"type":"raise"}',
        b'{"type":"raise","to":true}',
        b'{"type":"raise","to":10.0}',
        b'{"type":"raise","to":1e1}',
        b'{"type":"raise","to":"10"}',
        b'{"type":"raise","to":null}',
        b'{"type":"raise","to":-10}',
        b'{"type":"raise","to":0}',
        b'{"type":"raise","to":9007199254740992}',
        b'{"type":"raise","to":010}',
        b'{"type":"raise","to":10,"to":10}',
        b'{"to":10,"type":"raise"}',
        b'{"type":"raise", "to":10}',
        b'{"type":"call","cards":["As","Ad"]}',
        b'{"type":"show","cards":["As","Ad"]}',
        b'{"type":"call"}\n',
        b"\xff\xfe",
        b'{"type":"' + b"x" * 5000 + b'"}',
        b"[" * 100_000,
    ],
)
def test_what_is_not_a_move(move: bytes) -> None:
    """Other types, other spellings, and cards: a move cannot even express cards that a seat does not hold."""
    hand = dealt(three(), Dealer.stacked(DECK))
    before = public(hand)
    with pytest.raises(IllegalMove, match="the move"):
        hand.moved(0, move)
    assert public(hand) == before


@pytest.mark.parametrize("amount", [1, 2, 3, 201, 9007199254740991])
def test_bets_of_the_wrong_size(amount: int) -> None:
    hand = dealt(three(), Dealer.stacked(DECK))
    with pytest.raises(IllegalMove, match="raise to 4–200 chips"):
        hand.moved(0, raise_to(amount))


@pytest.mark.parametrize("seat", [1, 2, 3, -1, False, 0.0, "0", None])
def test_out_of_turn(seat: Any) -> None:
    hand = dealt(three(), Dealer.stacked(DECK))
    for move in (FOLD, CALL, raise_to(10), SHOW, MUCK):
        with pytest.raises(IllegalMove, match="it is not seat"):
            hand.moved(seat, move)
    assert hand.legal(seat) == Legal()


def test_no_moves_while_cards_are_dealt() -> None:
    with pytest.raises(IllegalMove, match="it is not seat"):
        three().moved(0, CALL)
    with pytest.raises(BadParameter):
        dealt(three(), Dealer.stacked(DECK)).told(())


def test_the_wrong_kind_of_move() -> None:
    hand = dealt(three(), Dealer.stacked(DECK))
    for move in (SHOW, MUCK):
        with pytest.raises(IllegalMove, match="fold, call 2, raise to 4–200"):
            hand.moved(0, move)
    hand = script(hand, Dealer.stacked(DECK), FOLD, CALL)
    with pytest.raises(IllegalMove, match="check instead"):
        hand.moved(2, FOLD)
    hand = script(three(), Dealer.stacked(DECK), *[CALL] * 12)
    assert hand.stage is HandStage.CHOOSING
    for move in (FOLD, CALL, raise_to(4)):
        with pytest.raises(IllegalMove, match="show or muck"):
            hand.moved(1, move)


def test_what_is_legal() -> None:
    hand = dealt(three(), Dealer.stacked(DECK))
    assert hand.legal(0) == Legal(fold=True, call=2, raise_from=4, raise_to=200)
    hand = hand.moved(0, raise_to(150))
    assert hand.legal(1) == Legal(fold=True, call=149, raise_from=200, raise_to=200)
    assert str(hand.legal(1)) == "fold, call 149, raise to 200 (all in)"
    hand = hand.moved(1, raise_to(200)).moved(2, CALL)
    assert hand.legal(0) == Legal(fold=True, call=50)
    with pytest.raises(IllegalMove, match="cannot raise"):
        hand.moved(0, raise_to(200))
    checked = script(three(), Dealer.stacked(DECK), CALL, CALL)
    assert checked.legal(2) == Legal(call=0, raise_from=4, raise_to=200)
    assert str(checked.legal(2)) == "check, raise to 4–200"
    assert str(checked.legal(1)) == "nothing"


# --- Ends ---


def test_an_uncontested_pot_unseen_and_shown() -> None:
    dealer = Dealer.stacked(DECK)
    hand = script(three(), dealer, raise_to(10), FOLD, FOLD)
    assert hand.stage is HandStage.CLAIMING and hand.wants == Turn((0,))
    assert hand.legal(0) == Legal(show=True, muck=True)
    with pytest.raises(IllegalMove, match="show or muck"):
        hand.moved(0, CALL)
    unseen = hand.moved(0, MUCK)
    assert result(unseen)["shown"] == [] and result(unseen)["ended"] == "folded"
    assert result(unseen)["pots"] == [{"amount": 5, "winners": [{"seat": 0, "amount": 5}]}]
    seen = script(hand, dealer, SHOW)
    assert result(seen)["shown"] == [{"seat": 0, "cards": ["Qs", "Qd"]}]
    assert stacks_after(seen) == stacks_after(unseen) == {0: 203, 1: 199, 2: 198}


def test_mucks_at_the_showdown() -> None:
    dealer = Dealer.stacked(DECK)
    hand = script(three(), dealer, *[CALL] * 12)
    assert hand.wants == Turn((1,))
    # The best hand is given away; the next is shown; the last gives up.
    end = script(hand, dealer, MUCK, SHOW, MUCK)
    assert stacks_after(end) == {0: 198, 1: 198, 2: 204}
    assert result(end)["shown"] == [{"seat": 2, "cards": ["Ks", "Kd"]}]
    # When two muck, the third has the pot and need not show; it may.
    end = script(hand, dealer, MUCK, MUCK)
    assert end.stage is HandStage.CLAIMING and end.wants == Turn((0,))
    for move, shown in ((MUCK, 0), (SHOW, 1)):
        over = script(end, Dealer.stacked(DECK), move)
        assert stacks_after(over) == {0: 204, 1: 198, 2: 198}
        assert len(result(over)["shown"]) == shown
        assert over.ending is HoldemEnding.SHOWDOWN


def test_the_last_to_bet_shows_first() -> None:
    dealer = Dealer.stacked(DECK)
    hand = script(three(), dealer, *[CALL] * 9, CALL, raise_to(10), CALL, CALL)
    assert hand.stage is HandStage.CHOOSING and hand.wants == Turn((2,))
    hand = script(hand, dealer, SHOW)
    assert hand.wants == Turn((0,))


@pytest.mark.parametrize("count", range(2, 10))
def test_all_in_before_the_flop(count: int) -> None:
    """Everyone all in at once, with stacks of all sizes: one request opens the board and then shows every hand."""
    stacks = {seat: 10 * (seat + 1) for seat in range(count)}
    dealer, hand = Dealer.shuffled("all in", count), table_of(stacks, RULES)
    hand = dealt(hand, dealer)
    while hand.stage is HandStage.BETTING:
        assert isinstance(hand.wants, Turn)
        legal = hand.legal(hand.wants.seats[0])
        move = CALL if legal.raise_to is None else raise_to(legal.raise_to)
        hand = hand.moved(hand.wants.seats[0], move)
    assert isinstance(hand.wants, Ask)
    # The last two have the same in the pot: what the last has more nobody called.
    order = (*((seat,) for seat in range(count - 2)), (count - 2, count - 1))
    assert hand.wants.operations[0] == Open(0, 5, order=order)
    assert {op.seat for op in hand.wants.operations[1:] if isinstance(op, Show)} == set(stacks)
    hand = hand.told(dealer.answer(hand.wants))
    assert hand.ending is HoldemEnding.SHOWDOWN and len(hand.board) == 5
    assert sum(stacks_after(hand).values()) == sum(stacks.values())
    # The largest stack cannot lose more than the second has.
    assert stacks_after(hand)[count - 1] >= 10


def test_all_in_by_the_blinds() -> None:
    """No player has a decision to make."""
    hand = dealt(table_of({0: 1, 1: 2}, RULES), Dealer.stacked("AsAd KsKd 2c7dJh3s9c"))
    assert hand.ending is HoldemEnding.SHOWDOWN
    assert sum(stacks_after(hand).values()) == 3


def test_side_pots() -> None:
    dealer = Dealer.stacked("KsKd QsQd AsAd 2c7dJh 3s 9c")
    hand = table_of({0: 20, 1: 60, 2: 100}, RULES)
    hand = script(hand, dealer, raise_to(20), raise_to(60), CALL)
    # Seat 0 has aces for 20, seat 1 kings for 60, seat 2 gets the rest back.
    assert stacks_after(hand) == {0: 60, 1: 80, 2: 40}
    assert [(pot.amount, pot.winners) for pot in hand.pots] == [(60, (0,)), (80, (1,))]


# --- Cards that cannot be ---


def test_events_that_cannot_be() -> None:
    hand = three()
    with pytest.raises(BadParameter, match="did not get"):
        hand.told(())
    dealer = Dealer.stacked(DECK)
    at_flop = script(hand, dealer, CALL, CALL).moved(2, CALL)
    (one, two, _) = indices("2c7dJh")
    with pytest.raises(BadParameter):
        at_flop.told((Opened(Card(0, 0, 9), one), Opened(Card(0, 0, 10), two)))
    with pytest.raises(BadParameter, match="twice"):
        at_flop.told(tuple(Opened(Card(0, 0, at), one) for at in (9, 10, 11)))
    showing = script(three(), Dealer.stacked(DECK), *[CALL] * 12).moved(1, SHOW)
    with pytest.raises(BadParameter, match="did not show"):
        showing.told(())
    assert showing.carry == Carry(showing.button, showing.big_blind), "what carries over is known from the start"


# --- Who does not move ---


def test_the_move_that_is_made_for_a_seat() -> None:
    """Check or fold; show at the showdown; do not show after winning an uncontested pot."""
    dealer = Dealer.stacked(DECK)
    hand = dealt(three(), dealer)
    assert hand.default(0) == FOLD
    hand = script(hand, dealer, CALL, CALL)
    assert hand.legal(2).call == 0 and hand.default(2) == CALL
    shown = script(hand, dealer, *[CALL] * 10)
    assert isinstance(shown.wants, Turn) and shown.default(shown.wants.seats[0]) == SHOW
    won = script(three(), Dealer.stacked(DECK), FOLD, FOLD)
    assert isinstance(won.wants, Turn) and won.default(won.wants.seats[0]) == MUCK
    for one in (hand, shown, won):
        assert isinstance(one.wants, Turn)
        seat = one.wants.seats[0]
        one.moved(seat, one.default(seat))
