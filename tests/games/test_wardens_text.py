"""The texts of wardens: what a person reads and types."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Card, Close, Look, Peek
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.wardens import Attack, Bury, Concede, EndTurn, Play
from nodealer.games.wardens.package import mode_of, rules_of
from nodealer.games.wardens.page import page
from nodealer.games.wardens.side import Warden
from nodealer.games.wardens.text import WardensWords, obstacle
from nodealer.wire import encode

from .test_wardens import NUMBER, with_card, with_wardens
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
    assert WORDS.read(view, "P 2") == Play(*hand[1]) and WORDS.read(view, "PLAY 2") == Play(*hand[1])
    for wrong in ("", "p", "p 9", "p x", "p 1 z", "a 1", "x", "p -1", "p 1 a b", "b 0"):
        with pytest.raises(IllegalMove):
            WORDS.read(view, wrong)
    table = "\n".join(map(str, WORDS.table(view)))
    assert "you are a   turn 1" in table and "you: light 24" in table and "b: light 24" in table
    assert "1 spark (fire 1)" in table and "your turn" in WORDS.prompt(view)
    assert "bury card 3" in "".join(map(str, WORDS.help)) and "rival's light to win" in str(WORDS.rules[0])


def test_attacks_by_letter() -> None:
    dealer = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", active=True)
    mine, theirs = dealer.game.mine.wardens[0], dealer.game.theirs.wardens[0]
    assert WORDS.read(dealer.view(), "a 1 a") == Attack(mine.place, theirs.place)
    assert WORDS.read(dealer.view(), "a 1") == Attack(mine.place)
    said = WORDS.move(dealer.game, 0, encode(Attack(mine.place, theirs.place)), NAMES)
    assert said == "attacks Reef Warden with Cinder Pup"
    rival = next(line for line in WORDS.table(dealer.view()) if "Reef Warden" in str(line))
    assert [span.text for span in rival.spans if span.mark == "rival"] == ["a"]
    assert WORDS.move(dealer.game, 0, encode(Attack(mine.place)), NAMES) == "attacks Ben with Cinder Pup"


def test_what_is_possible_and_why_not() -> None:
    dealer, place = with_card(dealt(), "Cinder Pup", sparks=1)
    dealer.game = dealer.game.with_side(replace(dealer.game.mine, may_bury=False))
    number = list(dealer.hand()).index(place) + 1
    prompt = WORDS.prompt(dealer.view())
    assert f"play {number}" in prompt and "bury (b)" not in prompt and "you have already buried a card" in prompt
    assert obstacle(dealer.game, place, dealer.hand()[place]) == ""
    broke = replace(dealer.game.mine, sparks=0)
    assert obstacle(dealer.game.with_side(broke), place, NUMBER["Cinder Pup"]) == "needs 1 more spark"
    assert obstacle(dealer.game.with_side(broke), place, NUMBER["Long Burn"]) == "needs 2 more sparks"
    full = replace(dealer.game.mine, wardens=(Warden(99, NUMBER["Cinder Pup"], 2, 1, False),) * 6)
    assert "no room" in obstacle(dealer.game.with_side(full), place, NUMBER["Cinder Pup"])
    tired = with_wardens(dealt(), "Cinder Pup", active=True, ready=False)
    assert "none of your wardens can attack" in WORDS.prompt(tired.view())
    assert "played this turn, or has attacked" in "\n".join(map(str, WORDS.table(tired.view())))
    guarded = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", active=True)
    assert "you must attack guards first" in WORDS.prompt(guarded.view())
    assert "attack with 1" in WORDS.prompt(guarded.view())
    ebb, place = with_card(dealt(hand=1), "Ebb")
    assert "needs one of your rival's wardens" in obstacle(ebb.game, place, NUMBER["Ebb"])


def test_what_was_drawn() -> None:
    dealer = dealt()
    before = dealer.view()
    dealer.move(EndTurn())
    dealer.move(EndTurn())
    view = dealer.view()
    (drawn,) = set(view.cards) - set(before.cards)
    told = [str(line) for line in WORDS.news(before, view)]
    assert told == [f"  new in your hand: {WORDS.looked_at(dealer.game, 0, view.cards[drawn])}"]
    assert WORDS.news(replace(before, hand=9), view) == () and list(WORDS.news(view, view)) == []


def test_deaths_and_changes_of_light() -> None:
    dealer = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", "Cinder Pup", active=True)
    first, second = dealer.game.mine.wardens
    guard = dealer.game.theirs.wardens[0]
    after = dealer.game.apply_move(Attack(first.place, guard.place))
    assert WORDS.changed(dealer.game, after, NAMES) == ("Ada's Cinder Pup dies; Ben's Reef Warden is 1/2 now",)
    bare = dealer.game.with_side(replace(dealer.game.theirs, wardens=()))
    assert WORDS.changed(bare, bare.apply_move(Attack(second.place)), NAMES) == ("Ben's light: 24 → 22",)
    assert "goes back to the deck" in WORDS.changed(dealer.game, bare, NAMES)[0]
    tired = dealer.game.with_side(replace(dealer.game.mine, empty_draws=1))
    assert WORDS.changed(dealer.game, tired, NAMES) == ("Ada has no cards left to draw",)
    assert WORDS.changed(dealer.game, dealer.game, NAMES) == () == WORDS.changed(None, dealer.game, NAMES)


def test_a_played_card_is_told_once() -> None:
    dealer, place = with_card(dealt(), "Cinder Pup")
    game = dealer.game.apply_move(Play(place, NUMBER["Cinder Pup"]))
    said, other = Opened(Card(0, 0, place), dealer.faces[0, place]), Opened(Card(0, 0, place), 29)
    assert str(WORDS.cards(game, [said])) == "" and str(WORDS.cards(game, [other])) == WORDS.face(game, 0, 29)
    assert str(WORDS.cards(dealer.game, [said])) == "Cinder Pup"


def test_a_player_looked_at_cards() -> None:
    game = dealt().game
    taken = WORDS.looked(game, Peek(1, 1, 23, Look.TAKE))
    assert taken == "looked at 23 cards in secret, kept one and put 22 back"
    assert "put them back" in str(WORDS.looked(game, Peek(1, 1, 2, Look.REORDER)))
    assert WORDS.looked(game, Peek(1, 1, 1, Look.LOOK)) == "looked at one card in secret"
    assert WORDS.looked(game, Close(1)) == ""


def test_choices() -> None:
    dealer = dealt()
    view = replace(dealer.view(), seen={(0, 7): 0, (0, 9): 1, (0, 8): 2, (1, 3): 4})
    take, arrange = Peek(0, 0, 3, Look.TAKE), Peek(0, 0, 3, Look.REORDER)
    assert WORDS.choose(view, take, "2") == (9,) and WORDS.choose(view, arrange, "3 1 2") == (8, 7, 9)
    assert WORDS.choose(view, arrange, "3,1, 2") == (8, 7, 9)
    assert "number of the card" in str(WORDS.choice_help(take)[0]) and "top card" in str(WORDS.choice_help(arrange)[0])
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
    assert [WORDS.parting(won, seat) for seat in (0, 1, 2)] == ["You won.", "You lost.", ""]
    assert WORDS.parting(won | {"winner": None}, 0) == ""
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
    assert told["version"] == 2 and len(told["mine"]) == len(dealer.hand())
    assert [side["hand"] for side in told["sides"]] == [len(side.hand) for side in dealer.game.sides]
    warden = told["sides"][1]["wardens"][0]
    assert warden["name"] == "Reef Warden" and warden["guard"]
    assert page(replace(view, game=None))["version"] == 2
