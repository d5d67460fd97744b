"""Hold'em in words: what a person reads and types, and what a page gets."""

from __future__ import annotations

import pytest

from nodealer.cards import Card, Opened
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem import Call, Fold, Hand, Holdem, Legal, Muck, Raise, ShowHand
from nodealer.games.holdem.faces import indices
from nodealer.games.holdem.package import rules_of
from nodealer.games.holdem.page import page
from nodealer.games.holdem.words import HoldemWords, pretty, read_answer
from nodealer.games.view import View
from nodealer.wire import encode

from .dealer import Dealer, checks_down, play, script, table_of

WORDS = HoldemWords()
NAMES = {0: "Ada", 1: "Ben"}
BET = Legal(fold=True, call=2, raise_from=4, raise_to=100)


def seen(hand: Hand, seat: int, dealer: Dealer) -> View:
    cards = {(0, position): dealer.order[position] for position in hand.held[seat]}
    return View(seat, NAMES, 0, hand, cards, True)


def begun() -> tuple[Hand, Dealer]:
    dealer = Dealer.stacked("AcAd KcKd 2h7s9c 3d4s")
    return script(table_of({0: 100, 1: 100}, Holdem()), dealer), dealer


def test_what_a_person_types() -> None:
    for text, move in (("f", Fold()), ("fold\n", Fold()), ("c", Call()), ("check", Call()), ("r 40", Raise(40))):
        assert read_answer(text, BET) == move
    assert read_answer("a", BET) == Raise(100) and read_answer("s", BET) == ShowHand()
    assert read_answer("m", BET) == Muck() and read_answer("?", BET) is None and read_answer("", BET) is None
    for wrong in ("r", "r x", "r -1", "r 0", "r ²", "juggle", "f f", "r " + "9" * 16):
        with pytest.raises(IllegalMove):
            read_answer(wrong, BET)
    with pytest.raises(IllegalMove):
        read_answer("a", Legal(call=0))


def test_the_table_before_a_bet() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    view = seen(hand, seat, dealer)
    (told,) = WORDS.table(view)
    assert str(told).startswith("  your cards ") and "board –   pot 3" in str(told)
    assert str(WORDS.prompt(view)).startswith("  you may: fold, call 1, raise to 4")
    assert WORDS.read(view, "c") == Call()
    with pytest.raises(BadParameter):
        WORDS.table(View(0, {}, 0, None, {}, True))


def test_cards() -> None:
    told = pretty(indices("AsKd"))
    assert str(told) == "A♠ K♦" and [span.mark for span in told.spans] == ["card", None, "red card"]
    hand, _ = begun()
    assert WORDS.cards(hand, [Opened(Card(0, 0, 9), face) for face in indices("AsKd")]) == told
    assert WORDS.face(hand, 0, 0) == "2c"


def test_moves_and_results() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    moves = (Fold(), Call(), Raise(4), Raise(100), ShowHand(), Muck())
    said = [WORDS.move(hand, seat, encode(move), NAMES) for move in moves]
    assert said == ["folds", "calls 1", "raises to 4", "raises to 100 and is all in", "shows", "mucks"]
    over = play(hand, dealer, checks_down)
    result = over.wants.result  # type: ignore[union-attr]
    assert "102 (+2)" in str(WORDS.result(result, NAMES)) and "98 (-2)" in str(WORDS.result(result, NAMES))
    columns = WORDS.columns(result, NAMES)
    assert columns["board"] == "2h 7s 9c 3d 4s" and str(columns["winners"]).endswith(" 4")


def test_a_page_shows_what_its_person_sees() -> None:
    hand, dealer = begun()
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    told = page(seen(hand, seat, dealer))
    assert told["version"] == 1 and len(told["mine"]) == 2 and told["turn"] == [seat] and told["pot"] == 3
    assert told["legal"]["call"] == 1 and told["result"] is None
    assert all(not one["shown"] for one in told["seats"]) and {one["stack"] for one in told["seats"]} == {98, 99}
    over = play(hand, dealer, checks_down)
    assert isinstance(over, Hand)
    end = page(seen(over, seat, dealer))
    assert {one["stack"] for one in end["seats"]} == {98, 102} and end["result"]["ended"] == "showdown"
    assert encode(end) and end["turn"] == []


def test_settings() -> None:
    assert rules_of({"blinds": "5/10", "ante": "1", "stack": "500"}) == Holdem(500, (5, 10), 1)
    for changed in ({"blinds": "5"}, {"blinds": "a/b"}, {"ante": "-1"}, {"stack": "many"}, {"stack": "1"}):
        with pytest.raises(BadParameter):
            rules_of({"blinds": "1/2", "ante": "0", "stack": "200"} | changed)
