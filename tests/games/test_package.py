"""The defaults of a game package: settings, a missing bot, default words, the plain page."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Card, Look, Peek
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.package import Bot, GamePackage, whole_number
from nodealer.games.registry import OURS, find_game
from nodealer.games.text import Line, Span, Words, line, picked
from nodealer.games.view import View, plain_page
from nodealer.wire import encode

from .outside import GAME, Highest, HighestHand

SEEN = View(1, {0: "Ada", 1: "Ben"}, 4, None, {(0, 3): 9}, True, {(0, 5): 1, (0, 2): 7, (1, 1): 1})
BARE = GamePackage("bare", 1, Highest.from_parameters, lambda settings: Highest())


def test_settings() -> None:
    assert GAME.settled({}) == {"cards": "12"} and GAME.settled({"cards": "9"}) == {"cards": "9"}
    with pytest.raises(BadParameter, match="highest has no setting --stack; its settings: --cards"):
        GAME.settled({"stack": "9"})
    with pytest.raises(BadParameter, match="its settings: none"):
        BARE.settled({"cards": "9"})
    assert whole_number("cards", "12") == 12
    for wrong in ("", "-1", "1.5", "x", "²", "9" * 20):
        with pytest.raises(BadParameter):
            whole_number("cards", wrong)


def test_a_package_need_not_have_everything() -> None:
    with pytest.raises(BadParameter, match="bare has no bot"):
        BARE.new_bot(os.urandom)
    assert isinstance(GAME.new_bot(os.urandom), Bot)
    assert GAME.listens and not BARE.listens
    assert (BARE.export, BARE.measured, BARE.protocol_parameters("mask", {})) == (None, None, b"{}")


def test_a_bot_without_taste_keeps_the_first_card_and_the_order() -> None:
    assert Bot().choose(SEEN, Peek(0, 1, 2, Look.TAKE)) == (5,)
    assert Bot().choose(SEEN, Peek(0, 1, 2, Look.REORDER)) == (5, 2)
    with pytest.raises(NotImplementedError):
        Bot().move(SEEN)


def test_words_without_any() -> None:
    words, hand = Words(), HighestHand(0, (0, 1), 12)
    opened = [Opened(Card(0, 0, 3), 9), Opened(Card(0, 0, 4), 11)]
    assert str(words.cards(hand, opened)) == "9, 11" and words.owner(hand, opened[0], 1) == 1
    assert words.move(hand, 0, b'{"type":"turn"}', {}) == '{"type":"turn"}'
    assert words.columns({"winner": 1}, {}) == {"result": ""}
    assert list(map(str, words.offer(SEEN, Peek(0, 1, 2, Look.REORDER))))[:2] == ["     1 1", "     2 7"]
    with pytest.raises(IllegalMove):
        words.read(SEEN, "anything")


def test_lines_keep_their_marks() -> None:
    made = line("a ", Span("b", "strong"), line(Span(" c", "dim")))
    assert str(made) == "a b c" and made == Line((Span("a "), Span("b", "strong"), Span(" c", "dim")))


def test_what_is_picked() -> None:
    assert [picked(word, 12, "card") for word in ("1", "12")] == [0, 11]
    for wrong in ("0", "13", "-1", "x", "", "²", "999999"):
        with pytest.raises(IllegalMove):
            picked(wrong, 12, "card")
    with pytest.raises(IllegalMove, match="no card to choose"):
        picked("1", 0, "card")


def test_a_plain_page() -> None:
    told = plain_page(SEEN)
    assert told["version"] == 1 and told["hand"] == SEEN.hand + 1
    assert told["cards"] == [{"deck": 0, "position": 3, "face": 9}]
    assert [card["position"] for card in told["seen"]] == [2, 5, 1]


@pytest.mark.parametrize("name", [*OURS])
def test_every_page_is_json_with_a_version(name: str) -> None:
    told = find_game(name).page(replace(SEEN, my_turn=False))
    assert encode(told) and told["version"] >= 1 and told["seat"] == 1
