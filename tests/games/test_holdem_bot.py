"""Bots make only legal moves, play better than a caller, and decide only by what they may see."""

from __future__ import annotations

import pytest

from games.dealer import Dealer, Dice, checks_down, play, script, stacks_after, table_of, wild
from nodealer.errors import BadParameter
from nodealer.games.holdem import Call, Fold, Hand, Holdem, Move, Raise
from nodealer.games.holdem import bot as bots
from nodealer.games.holdem.bot import Caller, HoldemBot
from nodealer.games.holdem.faces import indices
from nodealer.games.view import View
from nodealer.tape import expand


@pytest.fixture(autouse=True)
def quick_minds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "TRIALS", 12)


class Mind:
    """A bot's source of randomness, the same every time."""

    def __init__(self, *seed: int) -> None:
        self._seed, self._drawn = seed, 0

    def __call__(self, size: int) -> bytes:
        self._drawn += 1
        return expand("mind", *self._seed, self._drawn, size=size)


def view(hand: Hand, seat: int, dealer: Dealer) -> View:
    cards = {(0, position): dealer.order[position] for position in hand.held[seat]}
    return View(seat, {s: f"p{s}" for s in hand.seats}, hand.number, hand, cards, True)


@pytest.mark.parametrize("seats", [2, 3, 6, 9])
def test_bots_move_legally_for_many_hands(seats: int) -> None:
    moves: list[Move] = []
    for number in range(40 // seats):
        dealer = Dealer.shuffled("bots", seats, number)
        stacks = {seat: 2 + (number * 37 + seat * 61) % 150 for seat in range(seats)}

        def policy(hand: Hand, seat: int) -> Move:
            # An illegal move raises in `play`.
            moves.append(HoldemBot(Mind(number, seat, len(moves))).move(view(hand, seat, dealer)))
            return moves[-1]

        over = play(table_of(stacks, Holdem(stack=200, ante=number % 2)), dealer, policy)
        assert sum(stacks_after(over).values()) == sum(stacks.values())
    assert {Fold, Call, Raise} <= {type(move) for move in moves}


def test_bots_among_wild_players() -> None:
    for number in range(15):
        dealer, others = Dealer.shuffled("wild", number), wild(Dice("wild", number))

        def policy(hand: Hand, seat: int) -> Move:
            return HoldemBot(Mind(number, seat)).move(view(hand, seat, dealer)) if seat == 1 else others(hand, seat)

        play(table_of({0: 80, 1: 120, 2: 40}, Holdem()), dealer, policy)


def _first_move(cards: str, mind: int) -> Move:
    """Return the move of the first of four players to act with these two cards."""
    dealer = Dealer.stacked("2c3d 2d3h 2h3s" + cards)
    hand = script(table_of(dict.fromkeys(range(4), 200), Holdem()), dealer)
    seat = hand.wants.seats[0]  # type: ignore[union-attr]
    rest = [face for face in range(52) if face not in indices(cards)]
    order = [*rest[: hand.held[seat][0]], *indices(cards), *rest[hand.held[seat][0] :]]
    return HoldemBot(Mind(mind)).move(view(hand, seat, Dealer(order)))


def test_good_cards_are_bet_and_bad_ones_folded() -> None:
    aces = [_first_move("AsAh", mind) for mind in range(20)]
    rags = [_first_move("7c2h", mind) for mind in range(20)]
    assert sum(isinstance(move, Raise) for move in aces) > 14
    assert sum(isinstance(move, Raise) for move in rags) < 8
    assert any(isinstance(move, Fold) for move in rags) and not any(isinstance(move, Fold) for move in aces)


def test_a_bot_wins_against_a_caller() -> None:
    won = 0
    for number in range(200):
        dealer, bot = Dealer.shuffled("caller", number), HoldemBot(Mind(number))

        def policy(hand: Hand, seat: int) -> Move:
            return bot.move(view(hand, seat, dealer)) if seat == 0 else checks_down(hand, seat)

        won += stacks_after(play(table_of({0: 100, 1: 100}, Holdem(), button=number % 2), dealer, policy))[0] - 100
    assert won > 0


def test_a_winning_hand_is_not_thrown_away() -> None:
    dealer = Dealer.stacked("AcAd KcKd 2h7s9c 3d4s")
    hand = table_of({0: 100, 1: 100}, Holdem())
    after = play(hand, dealer, lambda game, seat: _calls_or_bot(game, seat, dealer))
    assert isinstance(after, Hand) and after.shown
    assert max(stacks_after(after).values()) == 102


def _calls_or_bot(game: Hand, seat: int, dealer: Dealer) -> Move:
    return Call() if game.legal(seat).call is not None else HoldemBot(Mind(seat)).move(view(game, seat, dealer))


def test_a_caller_goes_to_the_end_of_every_hand() -> None:
    dealer = Dealer.shuffled("calls")
    over = play(table_of(dict.fromkeys(range(3), 50), Holdem()), dealer, lambda hand, seat: _calls(hand, seat, dealer))
    assert isinstance(over, Hand) and len(over.board) == 5 and over.pot == 6


def _calls(hand: Hand, seat: int, dealer: Dealer) -> Move:
    return Caller(Mind()).move(view(hand, seat, dealer))


def test_other_games_are_not_for_these_bots() -> None:
    for bot in (HoldemBot(Mind()), Caller(Mind())):
        with pytest.raises(BadParameter):
            bot.move(View(0, {}, 0, None, {}, True))
