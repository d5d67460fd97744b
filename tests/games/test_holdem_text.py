"""The texts and page of hold'em: what a person reads and types."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Card
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem import Call, Fold, Hand, HandStage, Holdem, Legal, Move, Muck, Raise, ShowHand
from nodealer.games.holdem.faces import indices
from nodealer.games.holdem.leave_price import LeavePricing
from nodealer.games.holdem.package import rules_of
from nodealer.games.holdem.page import page
from nodealer.games.holdem.parse import parse_move
from nodealer.games.holdem.table_view import current_pots, suit_symbols
from nodealer.games.holdem.text import HoldemWords
from nodealer.games.view import NO_SEAT, View
from nodealer.wire import encode

from .dealer import CALL, FOLD, MUCK, SHOW, Dealer, checks_down, play, raise_to, script, table_of

WORDS = HoldemWords()
NAMES = {0: "Ada", 1: "Ben"}
BET = Legal(fold=True, call=2, raise_from=4, raise_to=100)


def seen(hand: Hand, seat: int, dealer: Dealer) -> View:
    cards = {(0, position): dealer.order[position] for position in hand.held[seat]}
    return View(seat, NAMES, 0, hand, cards, True)


def begun() -> tuple[Hand, Dealer]:
    dealer = Dealer.stacked("AcAd KcKd 2h7s9c 3d4s")
    return script(table_of({0: 100, 1: 100}, Holdem()), dealer), dealer


@pytest.mark.parametrize(
    ("texts", "move"),
    [
        (("f", "fold\n", "FOLD", " Fold "), Fold()),
        (("c", "call", "Call 2", "2"), Call()),
        (("r 40", "r40", "R40", "raise 40", "raise to 40", "Raise To 40", "bet 40", "b 40", "b40", "40"), Raise(40)),
        (("a", "A", "all", "all in", "ALL IN", "allin", "all-in", "100", "shove"), Raise(100)),
        (("s", "show"), ShowHand()),
        (("m", "Muck"), Muck()),
    ],
)
def test_what_a_person_types(texts: tuple[str, ...], move: Move) -> None:
    for text in texts:
        assert parse_move(text, BET, 98) == move, text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("check", "2 to call"),
        ("k", "2 to call"),
        ("r", "how much"),
        ("bet", "raise to 4"),
        ("r x", "number of chips"),
        ("r -1", "number of chips"),
        ("r 0", "number of chips"),
        ("r ²", "number of chips"),
        ("r " + "9" * 16, "number of chips"),
        ("3", "cannot call or bet"),
        ("0", "cannot call or bet"),
        ("call 3", "not a move"),
        ("juggle", "not a move"),
        ("f f", "not a move"),
        ("all out", "not a move"),
        ("", "not a move"),
    ],
)
def test_what_means_nothing(text: str, said: str) -> None:
    with pytest.raises(IllegalMove, match=said):
        parse_move(text, BET, 98)


def test_a_check_never_calls_and_a_call_never_checks() -> None:
    free = Legal(call=0, raise_from=2, raise_to=100)
    assert {parse_move(text, free, 100) == Call() for text in ("check", "k", "x", "c", "0")} == {True}
    with pytest.raises(IllegalMove, match="no bet to call"):
        parse_move("call", free, 100)


def test_all_in_where_only_a_call_is_left() -> None:
    short = Legal(fold=True, call=30)
    assert parse_move("a", short, 30) == parse_move("all in", short, 30) == Call()
    for legal, stack in ((short, 50), (Legal(call=0), 50)):
        with pytest.raises(IllegalMove, match="cannot raise"):
            parse_move("a", legal, stack)


def test_a_number_that_could_be_both_is_asked_about() -> None:
    with pytest.raises(IllegalMove, match="do you want to call"):
        parse_move("50", Legal(fold=True, call=50, raise_from=50, raise_to=90), 90)


def test_the_table_before_a_bet() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    view = seen(hand, seat, dealer)
    told = [str(line) for line in WORDS.table(view)]
    assert told[0] == f"  you are {NAMES[seat]}   pot 3"
    assert [line.split() for line in told[2:4]] == [
        ["Ada", "99", "1", "button,", "small", "blind"],
        ["Ben", "98", "2", "big", "blind"],
    ]
    assert told[4] == "  board  –" and told[5].endswith("pair of kings")
    assert WORDS.prompt(view) == "  your turn: fold, call 1, raise to 4–100 (all in)"
    assert WORDS.read(view, "c") == Call() and all(len(line) < 60 for line in told)
    with pytest.raises(BadParameter):
        WORDS.table(View(0, {}, 0, None, {}, True))


def three() -> tuple[Hand, Dealer]:
    """Ada has the button and the fewest chips, Ben the most."""
    dealer = Dealer.stacked("AcAd KcKd QcQd 2h7s9c 3d4s")
    return script(table_of({0: 20, 1: 200, 2: 100, 3: 0}, Holdem()), dealer), dealer


def test_side_pots_and_players_who_are_out() -> None:
    hand, dealer = three()
    assert current_pots(hand) == [3]
    later = script(hand, dealer, raise_to(20), raise_to(60), CALL)
    assert current_pots(later) == [60, 80]
    told = "\n".join(str(line) for line in WORDS.table(View(1, NAMES, 0, later, {}, True)))
    assert "pot 140 (main 60, side 80)" in told and "all in" in told and "3" in told and "out" in told
    assert "folded" in str([*map(str, WORDS.table(View(1, NAMES, 0, script(hand, dealer, FOLD), {}, True)))])


def test_an_uncallable_bet_is_not_a_pot() -> None:
    hand, dealer = three()
    assert current_pots(script(hand, dealer, raise_to(20), raise_to(60))) == [42, 40]
    heads_up = script(table_of({0: 20, 1: 200}, Holdem()), Dealer.stacked("AcAdKcKd"), raise_to(20))
    assert current_pots(heads_up) == [22]


def test_cards() -> None:
    told = suit_symbols(indices("AsKd"))
    assert str(told) == "A♠ K♦" and [span.mark for span in told.spans] == ["card", None, "red card"]
    hand, _ = begun()
    assert str(WORDS.cards(hand, [Opened(Card(0, 0, 9), face) for face in indices("AsKd")])) == str(told)
    shown = script(*begun(), *[CALL] * 8)
    opened = [Opened(Card(0, 0, position), face) for position, face in enumerate(indices("AcAd"))]
    assert str(WORDS.cards(shown, opened)) == "A♣ A♦  pair of aces"
    assert WORDS.face(hand, 0, 0) == "2c"


def test_moves() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    moves = (Fold(), Call(), Raise(4), Raise(100))
    said = [WORDS.move(hand, seat, encode(move), NAMES) for move in moves]
    assert said == ["folds", "calls 1", "raises to 4", "raises to 100 and is all in"]
    flop = script(hand, dealer, CALL, CALL)
    (first,) = flop.wants.seats  # type: ignore[union-attr]
    assert WORDS.move(flop, first, encode(Raise(2)), NAMES) == "bets 2"
    assert WORDS.move(flop, first, encode(Call()), NAMES) == "checks"
    assert WORDS.prompt(seen(flop, first, dealer)) == "  your turn: check, bet 2–98 (all in)"
    shoved = script(hand, dealer, raise_to(100))
    (other,) = shoved.wants.seats  # type: ignore[union-attr]
    assert WORDS.move(shoved, other, CALL, NAMES) == "calls 98 and is all in"
    assert WORDS.prompt(seen(shoved, other, dealer)) == "  your turn: fold, call 98 (all in)"


def test_a_show_is_told_with_the_cards() -> None:
    hand, dealer = begun()
    folded = script(hand, dealer, FOLD)
    (winner,) = folded.wants.seats  # type: ignore[union-attr]
    assert WORDS.move(folded, winner, SHOW, NAMES) == "" and "without" in WORDS.move(folded, winner, MUCK, NAMES)
    assert "you win the pot" in WORDS.prompt(seen(folded, winner, dealer))
    assert WORDS.sure(seen(folded, winner, dealer), Muck()) == ""


def test_winners_with_their_hands() -> None:
    hand, dealer = begun()
    over = play(hand, dealer, checks_down)
    result = over.wants.result  # type: ignore[union-attr]
    assert "102 (+2)" in WORDS.result(result, NAMES) and "98 (-2)" in WORDS.result(result, NAMES)
    assert [str(line) for line in WORDS.outcome(result, NAMES)] == ["Ben wins 4 with a pair of aces"]
    columns = WORDS.columns(result, NAMES)
    assert columns["board"] == "2h 7s 9c 3d 4s" and str(columns["winners"]).endswith(" 4")
    assert WORDS.parting(result, 0) == WORDS.parting(result, 1) == WORDS.parting(result, 7) == ""
    folded = script(*begun(), FOLD, MUCK).wants.result  # type: ignore[union-attr]
    assert [str(line) for line in WORDS.outcome(folded, NAMES)] == ["Ben wins 2"]


def test_side_pots_split_pots_and_eliminated_players() -> None:
    hand, dealer = three()
    over = script(hand, dealer, raise_to(20), raise_to(100), CALL)
    result = over.wants.result  # type: ignore[union-attr]
    names = NAMES | {2: "Cleo", 3: "Dov"}
    assert [str(line) for line in WORDS.outcome(result, names)] == ["Ben wins 220 with a pair of aces"]
    assert WORDS.parting(result, 0) == WORDS.parting(result, 2) == "You are out: you have no chips left."
    assert WORDS.parting(result, 1) == WORDS.parting(result, 3) == ""
    pots = [
        {"amount": 60, "winners": [{"seat": 0, "amount": 30}, {"seat": 1, "amount": 30}]},
        {"amount": 80, "winners": [{"seat": 1, "amount": 80}]},
    ]
    told = [str(line) for line in WORDS.outcome({**result, "pots": pots}, names)]
    assert told[0].startswith("Ada and Ben split the main pot of 60") and told[1].startswith(
        "Ben wins a side pot of 80"
    )


def test_a_second_question_before_a_winner_is_mucked() -> None:
    for holes, doubts in (("AcAd KcKd", False), ("KcKd AcAd", True)):
        dealer = Dealer.stacked(f"{holes} 2h7s9c 3d4s")
        hand = script(table_of({0: 100, 1: 100}, Holdem()), dealer, *[CALL] * 8, SHOW)
        assert hand.stage is HandStage.CHOOSING
        (seat,) = hand.wants.seats  # type: ignore[union-attr]
        view = seen(hand, seat, dealer)
        assert ("your pair of aces" in WORDS.sure(view, Muck())) is doubts
        assert WORDS.sure(view, ShowHand()) == "" and "show" in WORDS.prompt(view)


def test_an_uncontested_pot_stays_in_the_middle_until_its_winner_shows_or_mucks() -> None:
    dealer = Dealer.stacked("AcAd KcKd 2h7s9c 3d4s")
    hand = script(table_of({0: 100, 1: 100}, Holdem()), dealer, FOLD)
    assert hand.stage is HandStage.CLAIMING
    (winner,) = hand.wants.seats  # type: ignore[union-attr]
    told = page(seen(hand, winner, dealer))
    assert sum(one["stack"] for one in told["seats"]) + told["pot"] == 200
    assert {one["seat"]: one["stack"] for one in told["seats"]}[winner] < 100
    assert sum(hand.behind(seat) for seat in hand.players) + hand.pot == 200
    over = script(hand, dealer, MUCK)
    assert {one["stack"] for one in page(seen(over, winner, dealer))["seats"]} == {99, 101}


def test_a_page_shows_what_its_person_sees() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    told = page(seen(hand, seat, dealer))
    assert told["version"] == 2 and len(told["mine"]) == 2 and told["turn"] == [seat] and told["pot"] == 3
    assert told["legal"]["call"] == 1 and told["result"] is None
    assert told["pots"] == [3] and told["blinds"]["amount"] == 2 and told["called"]
    watched = page(replace(seen(hand, seat, dealer), seat=NO_SEAT, cards={}))
    assert watched["seat"] is None and watched["called"] is None and not watched["legal"]["fold"]
    assert all(not one["shown"] for one in told["seats"]) and {one["stack"] for one in told["seats"]} == {98, 99}
    over = play(hand, dealer, checks_down)
    assert isinstance(over, Hand)
    end = page(seen(over, seat, dealer))
    assert {one["stack"] for one in end["seats"]} == {98, 102} and end["result"]["ended"] == "showdown"
    assert encode(end) and end["turn"] == []


def test_settings() -> None:
    given = {"blinds": "5/10", "ante": "1", "stack": "500", "leaving": "gentle"}
    assert rules_of(given) == Holdem(500, (5, 10), 1, LeavePricing.GENTLE)
    wrong = ({"blinds": "5"}, {"blinds": "a/b"}, {"ante": "-1"}, {"stack": "many"}, {"stack": "1"}, {"leaving": "free"})
    for changed in wrong:
        with pytest.raises(BadParameter):
            rules_of(given | changed)
