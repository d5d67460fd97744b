"""The texts, page and record of hearts: what a person reads and types, and a sensible bot."""

from __future__ import annotations

import json

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Card, NoneOf
from nodealer.errors import BadParameter, IllegalMove
from nodealer.gamecheck.findings import Findings
from nodealer.gamecheck.open_decks import CheckEffort, OpenDecks
from nodealer.games.base import Done
from nodealer.games.hearts import Give, HeartsRules, Lead, Play, Without
from nodealer.games.hearts.bot import HeartsBot, choose_pass
from nodealer.games.hearts.export import RECORD
from nodealer.games.hearts.faces import ALL, HEARTS, PLAIN, name, suit
from nodealer.games.hearts.package import GAME, HANDS, rules_of
from nodealer.games.hearts.page import page
from nodealer.games.hearts.text import HeartsWords
from nodealer.games.hearts.view import playable
from nodealer.games.view import NO_SEAT, View
from nodealer.wire import encode

from .hearts_dealer import NAMES, Dealer, at_play, face, faces

WORDS = HeartsWords()


def text(lines: object) -> str:
    return "\n".join(map(str, lines))  # type: ignore[call-overload]


# --- What a person types ---


def test_three_cards_are_typed() -> None:
    dealer = Dealer.stacked("Qs Ah 2d Th", number=0)
    dealer.settle()
    view = dealer.view(0)
    assert WORDS.read(view, "QS, ah 2D\n") == WORDS.read(view, "Q♠ a♥ 2♦") == Give((0, 1, 2))
    assert WORDS.read(view, "10h 2d qs") == WORDS.read(view, "th 2d qs") == Give((0, 2, 3))
    for wrong in ("", "qs", "qs ah", "qs qs ah", "qs ah 2d th", "qs ah ks", "qs ah 1d", "qs ah 2x", "11h", "0"):
        with pytest.raises(IllegalMove):
            WORDS.read(view, wrong)
    assert "pass three cards to Ben (left)" in str(WORDS.prompt(view))
    assert WORDS.move(dealer.game, 0, encode(Give((0, 1, 2))), NAMES) == "passes three cards to Ben"
    before = view
    dealer.give("Qs Ah 2d", *(" ".join(_names(dealer, seat)[:3]) for seat in (1, 2, 3)))
    assert "passed to you: " in text(WORDS.news(before, dealer.view(0)))
    assert WORDS.news(dealer.view(0), dealer.view(0)) == ()


def _names(dealer: Dealer, seat: int) -> list[str]:
    return [name(dealer.order[place]) for place in dealer.game.held[seat]]


def test_the_two_of_clubs_is_not_chosen() -> None:
    dealer = Dealer.stacked("", "2c")
    dealer.settle()
    assert WORDS.read(dealer.view(1), "ok") == WORDS.read(dealer.view(1), "2c") == Lead(dealer.at(1, "2c"))
    assert WORDS.read(dealer.view(0), "ok") == Without()
    for wrong in ("2c", "no", "", "3c"):
        with pytest.raises(IllegalMove, match="the player with 2♣ leads it"):
            WORDS.read(dealer.view(0), wrong)
    assert "you have it" in str(WORDS.prompt(dealer.view(1))) and "do not have" in str(WORDS.prompt(dealer.view(0)))
    assert WORDS.move(dealer.game, 0, encode(Without()), NAMES) == "does not have 2♣"
    assert WORDS.move(dealer.game, 1, encode(Lead(0)), NAMES) == ""


def test_only_what_can_be_proven_is_read() -> None:
    dealer = at_play("2c", "Ac Kd Qh", "3c")
    view = dealer.view(1)
    assert WORDS.read(view, "ac") == Play(dealer.at(1, "Ac"))
    for card, why in (("kd", "you must follow suit, and you have clubs"), ("qh", "no points in the first trick")):
        with pytest.raises(IllegalMove, match=why):
            WORDS.read(view, card)
    with pytest.raises(IllegalMove, match="type one card"):
        WORDS.read(view, "ac kd")
    # A program that plays it all the same is asked once more.
    wrong = Play(dealer.at(1, "Kd"))
    assert "you could not prove that" in WORDS.sure(view, wrong)
    assert WORDS.sure(view, Play(dealer.at(1, "Ac"))) == WORDS.sure(view, Play(99)) == WORDS.sure(view, Without()) == ""
    dim = [span.text for line in WORDS.table(view) for span in line.spans if span.mark == "dim"]
    assert "K♦" in dim and "A♣" not in dim and str(WORDS.prompt(view)).startswith("  your turn: ")


def test_why_a_heart_is_not_led() -> None:
    dealer = at_play("2c", "Ac Kd Qh", "3c", "4c")
    dealer.play("Ac", "3c", "4c")
    with pytest.raises(IllegalMove, match="hearts are not broken yet"):
        WORDS.read(dealer.view(1), "qh")
    assert "hearts not broken" in text(WORDS.table(dealer.view(1))) and "you lead" in text(WORDS.table(dealer.view(1)))


# --- What is told ---


def test_what_is_proven_in_words() -> None:
    def told(faces_: frozenset[int], count: int = 3) -> str:
        return WORDS.proven(at_play("2c").game, 0, NoneOf(1, tuple(range(count)), tuple(sorted(faces_))))

    assert (
        told(suit(1)) == "none of these 3 cards is a diamond"
        and told(suit(HEARTS), 1) == "the last card is not a heart"
    )
    assert told(frozenset({0})) == "none of these 3 cards is a 2♣"
    assert told(PLAIN - {0}) == "none of these 3 cards is a card without points"
    assert told(ALL - suit(HEARTS)) == "none of these 3 cards is a card other than a heart"


def test_what_changed() -> None:
    dealer = at_play("2c 3c", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d", "4c", "5c")
    before = dealer.game
    asks = dealer.game.moved(1, encode(Play(13))).told((Opened(Card(0, 0, 13), face("3d")),))
    assert WORDS.changed(before, asks, NAMES) == ["Ben must prove that they have no club"]
    dealer.play("3d", "4c")
    before = dealer.game
    dealer.play("5c")
    assert text(WORDS.changed(before, dealer.game, NAMES)) == "Dov takes the trick"
    assert WORDS.changed(None, before, NAMES) == () and "proven: no ♣" in text(WORDS.table(dealer.view(3)))
    assert str(WORDS.cards(before, [Opened(Card(0, 0, 0), face("Qs"))])) == "Q♠"


def test_results_in_words() -> None:
    dealer = Dealer.shuffled("words")
    dealer.finish()
    want = dealer.game.wants
    assert isinstance(want, Done)
    said = want.result
    assert WORDS.result(said, NAMES).count("(+") == 4 and WORDS.outcome(said, NAMES) == []
    assert "Ada" in WORDS.columns(said, NAMES)["points"] and WORDS.parting(said, 0) == ""
    over = said | {"over": True, "winners": [1], "moon": 1}
    assert "Ben shot the moon" in text(WORDS.outcome(over, NAMES)) and "Ben wins the game to 100" in text(
        WORDS.outcome(over, NAMES)
    )
    assert WORDS.parting(over, 1) == "You won the game." and "did not win" in WORDS.parting(over, 0)
    assert WORDS.parting(over, NO_SEAT) == ""
    for ended, why in (("left", "Cleo left"), ("caught", "Cleo led another card than 2♣")):
        assert why in text(WORDS.outcome(said | {"spoilt": [2], "ended": ended}, NAMES))


def test_a_record() -> None:
    dealer = Dealer.shuffled("words")
    game = dealer.finish()
    record = RECORD.hand(game, NAMES)
    read = json.loads(RECORD.text([record]))
    (hand,) = read["hands"]
    assert read["format"] == "hearts" and len(hand["tricks"]) == 13 and hand["players"][0] == {"seat": 1, "name": "Ada"}
    assert len({one["card"] for trick in hand["tricks"] for one in trick["cards"]}) == 52
    assert sum(trick["points"] for trick in hand["tricks"]) == 26 and len(hand["proofs"]) == len(game.proofs)
    assert RECORD.hand(None, NAMES) is None  # type: ignore[arg-type]


# --- The page ---


def test_a_page() -> None:
    dealer = Dealer.stacked("Qs Ah 2d", number=0)
    dealer.settle()
    shown = page(dealer.view(0))
    assert shown["stage"] == "passing" and shown["passing"] == "left" and all(one["can"] for one in shown["mine"])
    assert shown["seats"][0]["passes_to"] == 1 and not shown["seats"][0]["has_passed"]
    dealer = Dealer.stacked("2c")
    dealer.settle()
    assert page(dealer.view(0))["opening"] == {"type": "lead", "place": 0}
    assert page(dealer.view(1))["opening"] == {"type": "without"}
    dealer = at_play("2c", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d", "4c", "5c 2h")
    shown = page(dealer.view(1))
    assert shown["trick"]["cards"] == [{"seat": 0, "card": "2c"}] and shown["turn"] == [1] and shown["opening"] is None
    dealer.play("3d", "4c", "5c")
    shown = page(dealer.view(3))
    assert shown["last"]["winner"] == 3 and shown["seats"][1]["lacks"] == ["c"]
    assert {one["card"][1] for one in shown["mine"] if not one["can"]} == {"h"}, "hearts are not broken"
    # Nobody's hand is in what somebody without a seat sees.
    watcher = View(NO_SEAT, NAMES, 0, dealer.game, {}, False)
    assert page(watcher)["mine"] == [] and page(View(NO_SEAT, NAMES, 0, None, {}, False))["version"] == 1


# --- The bot ---


def test_what_the_bot_passes() -> None:
    hand = dict(enumerate(faces("Qs Ks 3s 2c 3c 4c 5d 6d 7d 2h 3h 4h Ah")))
    assert {hand[place] for place in choose_pass(hand)} == set(faces("Qs Ks Ah"))
    guarded = dict(enumerate(faces("Qs 9s 8s 7s 3s Ac Kc 5d 6d 7d 2h 3h 4h")))
    assert face("Qs") not in {guarded[place] for place in choose_pass(guarded)}


def bot_plays(dealer: Dealer) -> int:
    seat = dealer.game.active
    move = HeartsBot().move(dealer.view(seat))
    assert isinstance(move, Play)
    return dealer.order[move.place]


def test_what_the_bot_plays() -> None:
    # It ducks with the highest card that does not take the trick, and throws the queen first.
    dealer = at_play("2c", "Tc", "9c Jc 3c")
    dealer.play("Tc")
    assert bot_plays(dealer) == face("9c")
    dealer = at_play("2c", "Ac Kc Qc", "3c Qd 4d", "5d Qs Ah 6d 7d 8d 9d Td Jd Kd Ad 2d 3d")
    dealer.play("Ac", "3c")
    assert bot_plays(dealer) == face("Ad"), "no points in the first trick"
    dealer.play("Ad", "Kc")
    while dealer.game.active != 3:
        dealer.play(_lowest(dealer))
    assert bot_plays(dealer) == face("Qs")


def _lowest(dealer: Dealer) -> str:
    """Return the lowest card that may be played."""
    return name(min(playable(dealer.view(dealer.game.active)).values()))


# --- The package ---


def test_the_package() -> None:
    assert rules_of({"points": "50"}) == HeartsRules(50)
    for wrong in ("0", "x", "-1", "10001"):
        with pytest.raises(BadParameter):
            rules_of({"points": wrong})
    # Four who have not reached it, and a hand more: the last one that there can be.
    assert 26 * HANDS > 4 * 99 and 26 * (HANDS - 1) <= 4 * 99


def test_it_is_sound_on_open_decks() -> None:
    findings = Findings()
    effort = CheckEffort(games=1, others=1, hands=1, moments=6, finishes=2, seats=1)
    OpenDecks(GAME, HeartsRules(), effort, findings, lambda doing: None).check((4, 5))
    assert findings.as_json() == []
