"""Wardens in words: what a person reads and types."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.cards import Card, Look, Opened, Peek
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.wardens import Attack, Bury, Concede, EndTurn, Play
from nodealer.games.wardens.package import mode_of, rules_of
from nodealer.games.wardens.page import page
from nodealer.games.wardens.words import WardensWords
from nodealer.wire import encode

from .test_wardens import with_wardens
from .wardens_dealer import dealt

WORDS = WardensWords()
NAMES = {0: "Ada", 1: "Ben"}


def test_what_a_person_types() -> None:
    dealer = dealt()
    view = dealer.view()
    hand = list(dealer.hand().items())
    assert WORDS.read(view, "p 2\n") == Play(*hand[1])
    assert WORDS.read(view, "b 1") == Bury(hand[0][0])
    assert WORDS.read(view, "e") == EndTurn() and WORDS.read(view, "concede") == Concede()
    assert WORDS.read(view, "?") is None and WORDS.read(view, "") is None
    for wrong in ("p", "p 9", "p x", "p 1 z", "a 1", "x", "p -1", "p 1 a b", "b 0"):
        with pytest.raises(IllegalMove):
            WORDS.read(view, wrong)
    table = "\n".join(map(str, WORDS.table(view)))
    assert "light 24" in table and "you: " in table and "b: " in table
    assert "you may" in str(WORDS.prompt(view)) and "bury card 3" in str(WORDS.help[1])


def test_attacks_by_letter() -> None:
    dealer = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", active=True)
    mine, theirs = dealer.game.mine.wardens[0], dealer.game.theirs.wardens[0]
    assert WORDS.read(dealer.view(), "a 1 a") == Attack(mine.place, theirs.place)
    assert WORDS.read(dealer.view(), "a 1") == Attack(mine.place)
    said = WORDS.move(dealer.game, 0, encode(Attack(mine.place, theirs.place)), NAMES)
    assert said == "lets Cinder Pup attack Reef Warden"
    rival = next(line for line in WORDS.table(dealer.view()) if "Reef Warden" in str(line))
    assert [span.text for span in rival.spans if span.mark == "rival"] == ["a"]


def test_choices() -> None:
    dealer = dealt()
    view = replace(dealer.view(), seen={(0, 7): 0, (0, 9): 1, (0, 8): 2, (1, 3): 4})
    take, arrange = Peek(0, 0, 3, Look.TAKE), Peek(0, 0, 3, Look.REORDER)
    assert WORDS.choose(view, take, "2") == (9,) and WORDS.choose(view, arrange, "3 1 2") == (8, 7, 9)
    for peek, text in ((take, "1 2"), (take, "4"), (take, ""), (arrange, "1 1 2"), (arrange, "1 2")):
        with pytest.raises(IllegalMove):
            WORDS.choose(view, peek, text)
    *cards, asked = map(str, WORDS.offer(view, take))
    assert len(cards) == 3 and "which one" in asked
    assert "in which order" in str(WORDS.offer(view, arrange)[-1])


def test_every_card_has_an_owner() -> None:
    game = dealt().game
    opened = Opened(Card(1, 0, 5), 0)
    assert WORDS.owner(game, opened, None) == 1
    assert str(WORDS.cards(game, [opened])) == WORDS.face(game, 1, 0)


def test_results() -> None:
    sides = [{"seat": 0, "light": 3}, {"seat": 1, "light": 0}]
    won = {"winner": 0, "turns": 9, "sides": sides}
    assert WORDS.result(won, NAMES) == "Ada wins after 9 turns; light: Ada 3, Ben 0"
    assert WORDS.columns(won, NAMES) == {"winners": "Ada"}
    assert WORDS.columns(won | {"winner": None}, NAMES) == {"winners": ""}


def test_settings() -> None:
    assert rules_of({"decks": "root, veil"}).deck_max == 30
    for decks in ("root", "root,gold"):
        with pytest.raises(BadParameter):
            rules_of({"decks": decks})
    assert mode_of("duel", {"mode": "proven"}) == b"{}" and mode_of("duel", {"mode": "xor"}) == b'{"mode":"xor"}'
    for protocol, mode in (("mask", "xor"), ("duel", "rot13")):
        with pytest.raises(BadParameter):
            mode_of(protocol, {"mode": mode})


def test_a_page_shows_what_its_person_sees() -> None:
    dealer = with_wardens(dealt(), "Reef Warden")
    view = dealer.view()
    told = page(view)
    encode(told)
    assert told["version"] == 1 and len(told["mine"]) == len(dealer.hand())
    assert [side["hand"] for side in told["sides"]] == [len(side.hand) for side in dealer.game.sides]
    assert told["sides"][1]["wardens"][0]["text"].startswith("Reef Warden")
    assert page(replace(view, game=None))["version"] == 1
