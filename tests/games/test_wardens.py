"""Wardens: the pool, the rules move by move, the bots, and the documentation page for players."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from nodealer.cards.operations import Look, Open, Peek, Place, Return
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.wardens import (
    COURTS,
    POOL,
    Attack,
    Bury,
    Concede,
    Does,
    EndTurn,
    Play,
    WardensGame,
    WardensRules,
    court_deck,
)
from nodealer.games.wardens.hand import OPENING, TURNS_MAX
from nodealer.games.wardens.side import LIGHT, Warden
from nodealer.games.wardens.text import WardensWords
from nodealer.wire import encode

from .wardens_dealer import Dealer, dealt

PAGE = Path(__file__).parents[2] / "docs" / "play" / "wardens.md"
NUMBER = {card.name: number for number, card in enumerate(POOL)}


def with_card(dealer: Dealer, name: str, sparks: int = 9) -> tuple[Dealer, int]:
    """Give the active side this card in hand, and sparks for it."""
    side = dealer.game.mine
    face = side.list.index(NUMBER[name])
    place = side.hand[0]
    other = next((p for (deck, p), f in dealer.faces.items() if deck == side.deck and f == face), place)
    key, old = (side.deck, other), dealer.faces[side.deck, place]
    dealer.faces[side.deck, place], dealer.faces[key] = face, old
    dealer.game = dealer.game.with_side(replace(dealer.game.mine, sparks=sparks))
    return dealer, place


def with_wardens(dealer: Dealer, *names: str, active: bool = False, ready: bool = True) -> Dealer:
    side = dealer.game.mine if active else dealer.game.theirs
    wardens = []
    for name in names:
        place = next(p for p in dealer.places[side.deck].pile if dealer.faces[side.deck, p] >= 0)
        dealer._give(side.deck, place)
        dealer._open(side.deck, place)
        card = POOL[NUMBER[name]]
        wardens.append(Warden(place, NUMBER[name], card.power, card.health, ready))
    dealer.game = dealer.game.with_side(replace(side, wardens=tuple(wardens), pile=side.pile - len(names)))
    return dealer


def of(court: str, rival: str = "ember") -> Dealer:
    return dealt(WardensRules((court_deck(court), court_deck(rival))))


# --- The pool ---


def test_pool() -> None:
    assert len(POOL) == 64 and len({card.name for card in POOL}) == 64
    assert Counter(card.court for card in POOL) == dict.fromkeys(COURTS, 16)
    assert {card.does for card in POOL} == {*Does, None}, "every effect is on some card"
    for card in POOL:
        assert 1 <= card.cost <= 8 and (card.warden or card.does is not None)
        assert (card.n > 0) is (card.does is not None and "{n}" in card.does.value)


def test_decks() -> None:
    for court in COURTS:
        deck = court_deck(court)
        assert len(deck) == 30 and max(Counter(deck).values()) == 2
    rules = WardensRules((court_deck("root"), court_deck("veil")))
    assert WardensRules.from_parameters(rules.parameters) == rules
    for bad in ((), (0,) * 20, tuple(range(20, 0, -1)), tuple(range(50, 70))):
        with pytest.raises(BadParameter):
            WardensRules((court_deck("ember"), bad))
    with pytest.raises(DecodeError):
        WardensRules.from_parameters(b'{"decks":[[1],[2]]}')


# --- Turns ---


def test_the_first_turn() -> None:
    dealer = dealt()
    game = dealer.game
    assert game.wants == Turn((0,)) and game.turn == 1
    assert [len(side.hand) for side in game.sides] == [OPENING[0] + 1, OPENING[1]]
    assert [side.light for side in game.sides] == [LIGHT, LIGHT] and game.mine.sparks == 1
    dealer.move(EndTurn())
    assert dealer.game.wants == Turn((1,)) and dealer.game.mine.sparks == 2


def test_the_first_player_alternates() -> None:
    assert dealt(hand=1).game.wants == Turn((1,))


def test_only_the_active_seat_moves() -> None:
    with pytest.raises(IllegalMove, match="not seat"):
        dealt().game.moved(1, encode(EndTurn()))
    for junk in (b"{}", b'{"type":"end turn","x":1}', b"[]"):
        with pytest.raises(IllegalMove):
            dealt().game.moved(0, junk)


def test_play_a_warden() -> None:
    dealer, place = with_card(dealt(), "Cinder Pup")
    dealer.move(Play(place, NUMBER["Cinder Pup"]))
    (warden,) = dealer.game.mine.wardens
    assert (warden.power, warden.health, warden.ready) == (2, 1, False)
    assert place not in dealer.game.mine.hand and dealer.game.mine.sparks == 8
    with pytest.raises(IllegalMove, match="cannot attack"):
        dealer.move(Attack(place))


def test_what_cannot_be_played() -> None:
    dealer, place = with_card(dealt(), "Slag Colossus", sparks=4)
    for move, why in (
        (Play(place, NUMBER["Slag Colossus"]), "costs 5"),
        (Play(999, NUMBER["Cinder Pup"]), "not in your hand"),
        (Play(place, NUMBER["Ebb"]), "not in your deck"),
        (Play(place, NUMBER["Cinder Pup"], 3), "not a target"),
    ):
        with pytest.raises(IllegalMove, match=why):
            dealer.game.apply_move(move)


def test_a_card_that_is_not_what_was_said_is_lost() -> None:
    dealer, place = with_card(dealt(), "Slag Colossus")
    dealer.move(Play(place, NUMBER["Cinder Pup"]))
    assert not dealer.game.mine.wardens and dealer.game.mine.sparks == 8
    assert dict(dealer.game.mine.discards)[place] == NUMBER["Slag Colossus"]


def test_combat_and_guards() -> None:
    dealer = with_wardens(with_wardens(dealt(), "Reef Warden"), "Cinder Pup", "Bellows Ogre", active=True)
    pup, ogre = dealer.game.mine.wardens
    (guard,) = dealer.game.theirs.wardens
    with pytest.raises(IllegalMove, match="guard"):
        dealer.game.apply_move(Attack(ogre.place))
    dealer.move(Attack(ogre.place, guard.place))
    assert not dealer.game.theirs.wardens and dealer.game.mine.warden(ogre.place).health == 2  # type: ignore[union-attr]
    with pytest.raises(IllegalMove, match="cannot attack"):
        dealer.game.apply_move(Attack(ogre.place))
    dealer.move(Attack(pup.place))
    assert dealer.game.theirs.light == LIGHT - 2


def test_bury_once_a_turn() -> None:
    dealer = dealt()
    place, other = dealer.game.mine.hand[:2]
    dealer.move(Bury(place))
    assert dealer.game.mine.sparks == 2 and dealer.game.mine.buried == 1
    assert dealer.asked[-1] == Return(0, (place,), Place.DISCARD)
    with pytest.raises(IllegalMove, match="only one card a turn"):
        dealer.move(Bury(other))


# --- Effects ---


def test_strike_burn_sear() -> None:
    dealer, place = with_card(with_wardens(dealt(), "Brine Sprite", "Salt Widow"), "Flick of Flame")
    target = dealer.game.theirs.wardens[0].place
    dealer.move(Play(place, NUMBER["Flick of Flame"], target))
    assert len(dealer.game.theirs.wardens) == 1
    dealer, place = with_card(dealer, "Scatter Embers")
    dealer.move(Play(place, NUMBER["Scatter Embers"]))
    assert dealer.game.theirs.wardens[0].health == 2
    dealer, place = with_card(dealer, "Long Burn")
    dealer.move(Play(place, NUMBER["Long Burn"]))
    assert dealer.game.theirs.light == LIGHT - 3


@pytest.mark.parametrize(("name", "place"), [("Ebb", Place.TOP), ("Drag Under", Place.BOTTOM)])
def test_wardens_go_back(name: str, place: Place) -> None:
    dealer, mine = with_card(with_wardens(of("tide"), "Furnace Hound"), name)
    target, pile = dealer.game.theirs.wardens[0].place, dealer.game.theirs.pile
    with pytest.raises(IllegalMove, match="needs one of"):
        dealer.game.apply_move(Play(mine, NUMBER[name]))
    dealer.move(Play(mine, NUMBER[name], target))
    assert dealer.asked[-1] == Return(1, (target,), place)
    assert not dealer.game.theirs.wardens and dealer.game.theirs.pile == pile + 1


def test_search_scry_draw_mill() -> None:
    dealer, place = with_card(dealt(), "Call the Forge")
    hand, pile = len(dealer.game.mine.hand), dealer.game.mine.pile
    dealer.move(Play(place, NUMBER["Call the Forge"]))
    assert dealer.asked[-1] == Peek(0, 0, pile, Look.TAKE)
    assert (len(dealer.game.mine.hand), dealer.game.mine.pile) == (hand, pile - 1)
    dealer, place = with_card(of("tide"), "Pearl Diver")
    dealer.move(Play(place, NUMBER["Pearl Diver"]))
    assert dealer.asked[-1] == Peek(0, 0, 2, Look.REORDER)
    dealer, place = with_card(of("tide"), "Sounding")
    hand = len(dealer.game.mine.hand)
    dealer.move(Play(place, NUMBER["Sounding"]))
    assert len(dealer.game.mine.hand) == hand + 1
    dealer, place = with_card(of("veil"), "Burn the Archive")
    pile = dealer.game.theirs.pile
    dealer.move(Play(place, NUMBER["Burn the Archive"]))
    assert dealer.asked[-1] == Open(1, 4)
    assert dealer.game.theirs.pile == pile - 4 and len(dealer.game.theirs.discards) == 4


def test_mend_rally_reclaim() -> None:
    dealer, place = with_card(of("root"), "Deep Breath")
    dealer.move(Play(place, NUMBER["Deep Breath"]))
    assert dealer.game.mine.light == LIGHT + 5
    dealer, place = with_card(dealer, "Compost")
    pile = dealer.game.mine.pile
    dealer.move(Play(place, NUMBER["Compost"]))
    assert isinstance(dealer.asked[-1], Return) and dealer.asked[-1].place is Place.SHUFFLED
    assert dealer.game.mine.pile == pile + 2 and not dealer.game.mine.discards
    dealer, place = with_card(with_wardens(dealt(), "Cinder Pup", active=True), "Char Marshal")
    dealer.move(Play(place, NUMBER["Char Marshal"]))
    assert [warden.power for warden in dealer.game.mine.wardens] == [3, 4]


# --- Ends ---


def test_light_out() -> None:
    dealer, place = with_card(dealt(), "Long Burn")
    dealer.game = dealer.game.with_side(replace(dealer.game.theirs, light=3))
    dealer.move(Play(place, NUMBER["Long Burn"]))
    want = dealer.game.wants
    assert isinstance(want, Done) and (want.result["ended"], want.result["winner"]) == ("light out", 0)
    assert [type(operation).__name__ for operation in dealer.asked[-2:]] == ["Close", "Close"]


def test_concession_does_not_skip_the_end() -> None:
    """The decks are still closed, which is when unproven modes check them."""
    game = dealt().game.apply_move(Concede())
    assert isinstance(game.wants, Ask) and game.winner == 1
    assert isinstance(game.told(()).wants, Done)


def test_an_empty_deck_hurts_more_each_time() -> None:
    dealer = dealt()
    dealer.game = dealer.game.with_side(replace(dealer.game.theirs, pile=0))
    dealer.move(EndTurn())
    assert dealer.game.mine.light == LIGHT - 1
    dealer.move(EndTurn())
    dealer.move(EndTurn())
    assert dealer.game.mine.light == LIGHT - 3


def test_the_last_turn() -> None:
    dealer = dealt()
    dealer.game = replace(dealer.game, turn=TURNS_MAX)
    assert dealer.game.apply_move(EndTurn()).ending == "tied"
    brighter = dealer.game.with_side(dealer.game.mine.lose_light(-1)).apply_move(EndTurn())
    assert (brighter.ending, brighter.winner) == ("outlasted", 0)


def test_a_player_who_leaves_loses() -> None:
    game = dealt().game.left((0,), cards=False)
    assert isinstance(game.wants, Done) and game.result["winner"] == 1 and game.result["ended"] == "forfeit"
    assert game.wants.net == {0: 0, 1: 1} and game.wants.paid == {}, "a game won is a point, which nobody loses"
    again = WardensRules().begin(1, (0, 1), game, {0: 0, 1: 1})
    assert again.won == {0: 0, 1: 1}


def test_a_winner_who_leaves_before_the_decks_are_closed_does_not_win() -> None:
    """Nor has the other, who could have stalled for that. Before this was fixed, the leaver stayed the winner."""
    over = dealt().game.apply_move(Concede())
    assert isinstance(over.wants, Ask) and over.winner == 1
    for seats, net in (((0,), {0: 0, 1: 1}), ((1,), {0: 0, 1: 0}), ((0, 1), {0: 0, 1: 0})):
        left = over.left(seats, cards=False).wants
        assert isinstance(left, Done) and left.net == net and left.result["ended"] == "conceded"
        text = WardensWords().result(left.result, {0: "Ada", 1: "Ben"})
        assert text.startswith("Ben wins" if net[1] else "no one wins")


def test_a_player_who_does_not_move_passes() -> None:
    game = dealt().game
    passed = game.moved(game.mine.seat, game.default(game.mine.seat))
    assert passed.mine.seat != game.mine.seat and passed.turn == game.turn + 1
    assert game.players == (0, 1) and game.paid == {}


# --- Bots ---


def test_bots_play_all_courts() -> None:
    """Games end by light, in a few minutes of play, and no court or seat always wins."""
    won: Counter[str] = Counter()
    first = games = 0
    for one, two in combinations(COURTS, 2):
        for seed in range(8):
            pair = (one, two) if seed % 4 < 2 else (two, one)
            rules = WardensRules((court_deck(pair[0]), court_deck(pair[1])))
            dealer = dealt(rules, seed, seed % 2)
            game: WardensGame = dealer.play()
            assert game.ending in ("light out", "tied") and game.turn < TURNS_MAX
            games += 1
            if game.winner is not None:
                won[pair[game.winner]] += 1
                first += game.winner == game.first
    assert min(won[court] for court in COURTS) >= 4
    assert 0.2 < first / games < 0.8


# --- The page for players ---


def card_table() -> str:
    """Return the list of cards as it is in the page."""
    lines = []
    for court in COURTS:
        lines += [f"### {court.capitalize()}", "", "| card | cost | power/health | text |", "|---|---|---|---|"]
        for card in POOL:
            if card.court == court:
                body = f"{card.power}/{card.health}" if card.warden else "rite"
                lines.append(f"| {card.name} | {card.cost} | {body} | {card.text} |")
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_the_pool() -> None:
    """Generated from the code: `python -m games.test_wardens` in tests/ prints it."""
    assert card_table() in PAGE.read_text()


if __name__ == "__main__":
    print(card_table())
