"""Hearts: every rule about hidden hands requires its proof once, and a player who ends a hand early pays for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nodealer.cards.events import Finished, Moved
from nodealer.cards.operations import Card, Gift, NoneOf, Pass, Prove, Show
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.hearts import (
    Give,
    HeartsEnding,
    HeartsHand,
    HeartsRules,
    HeartsStage,
    Lead,
    Play,
    Trick,
    Without,
    allowed,
    excluded,
)
from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.hearts.faces import ALL, ALL_POINTS, CARDS, COUNTING, HEARTS, PLAIN, points, suit
from nodealer.games.hearts.scoring import score_hand
from nodealer.wire import encode
from sampling import times

from .dealer import Dice
from .hearts_dealer import NOTHING, Dealer, Stuck, at_play, face, faces

SEATS = (0, 1, 2, 3)
CLUBS = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac"


def net(game: HeartsHand) -> dict[int, int]:
    want = game.wants
    assert isinstance(want, Done)
    return dict(want.net)


# --- Who plays, and until when ---


@pytest.mark.parametrize("seats", [(), (0, 1, 2), (0, 1, 2, 3, 4), (0, 1, 2, 2)])
def test_it_is_for_four(seats: tuple[int, ...]) -> None:
    with pytest.raises(BadParameter, match="hearts is for four"):
        HeartsRules().begin(0, seats, None, dict.fromkeys(seats, 0))


def test_points_are_losses_and_end_the_game() -> None:
    rules = HeartsRules(50)
    assert rules.begin(1, SEATS, None, {0: -49, 1: 0, 2: -7, 3: -22}).scores == {0: 49, 1: 0, 2: 7, 3: 22}
    with pytest.raises(BadParameter, match="the game is over: a player has 50 points"):
        rules.begin(1, SEATS, None, {0: -50, 1: 0, 2: -7, 3: -21})


@pytest.mark.parametrize("goal", [0, -1, 10_001, 1.5, True])
def test_a_goal_that_is_none(goal: int) -> None:
    with pytest.raises(BadParameter, match="end at 1 to 10000 points"):
        HeartsRules(goal)
    with pytest.raises(DecodeError):
        HeartsRules.from_parameters(encode({"goal": goal}))


def test_parameters() -> None:
    assert HeartsRules.from_parameters(HeartsRules(77).parameters) == HeartsRules(77)


# --- Passing ---


@pytest.mark.parametrize(("number", "to"), [(0, (1, 2, 3, 0)), (1, (3, 0, 1, 2)), (2, (2, 3, 0, 1)), (4, (1, 2, 3, 0))])
def test_three_cards_are_passed_all_at_once(number: int, to: tuple[int, ...]) -> None:
    dealer = Dealer.stacked(CLUBS, number=number)
    dealer.settle()
    assert dealer.game.wants == Turn(SEATS, round=0)
    for seat in SEATS[:3]:
        dealer.move(seat, Give(dealer.game.held[seat][:3]))
        assert dealer.game.wants == Turn(SEATS[seat + 1 :], round=0) and not dealer.game.asking
    before = dealer.game.held
    dealer.move(3, Give(before[3][:3]))
    assert dealer.asked[-1] == Pass(0, tuple(Gift(seat, to[seat], before[seat][:3]) for seat in SEATS))
    after = dealer.game
    assert after.stage is HeartsStage.OPENING and all(len(places) == 13 for places in after.held.values())
    for seat in SEATS:
        assert after.held[seat][:10] == before[seat][3:] and after.held[seat] == tuple(sorted(after.held[seat]))
        assert set(after.held[seat]) == set(dealer.places.hand(seat))


def test_in_every_fourth_hand_nothing_is_passed() -> None:
    dealer = Dealer.stacked(CLUBS, number=7)
    dealer.settle()
    assert dealer.game.wants == Turn(SEATS, round=1)


@pytest.mark.parametrize("places", [(0, 1), (0, 1, 2, 3), (0, 0, 1), (2, 1, 0), (0, 1, 13), (0, 1, 99)])
def test_what_cannot_be_passed(places: tuple[int, ...]) -> None:
    dealer = Dealer.stacked(CLUBS, number=0)
    dealer.settle()
    with pytest.raises(IllegalMove):
        dealer.game.moved(0, encode(Give(places)))


def test_order_within_a_round_does_not_matter() -> None:
    ends = []
    for order in (SEATS, SEATS[::-1]):
        dealer = Dealer.stacked(CLUBS, number=0)
        dealer.settle()
        for seat in order:
            dealer.move(seat, Give(dealer.game.held[seat][:3]))
        says = {
            one: dealer.at(one, "2c") for one in SEATS if any(dealer.order[at] == 0 for at in dealer.game.held[one])
        }
        for seat in order:
            dealer.move(seat, Lead(says[seat]) if seat in says else Without())
        ends.append(dealer.game)
    assert ends[0] == ends[1] and ends[0].trick.cards == ((1, 0),)


# --- The two of clubs ---


def test_the_two_of_clubs_leads() -> None:
    dealer = at_play("", "", "2c")
    assert dealer.claims == [] and dealer.game.trick == Trick(((2, face("2c")),)) and dealer.game.wants == Turn((3,))


def test_if_no_one_leads_all_must_prove_it() -> None:
    """The player who has it denies it, and cannot prove the denial."""
    dealer = Dealer.stacked("", "", "2c")
    dealer.settle()
    for seat in SEATS[:3]:
        dealer.move(seat, Without())
    with pytest.raises(Stuck) as stuck:
        dealer.move(3, Without())
    assert stuck.value.seat == 2
    held = dealer.game.held
    assert dealer.game.wants == Ask((Prove(0, tuple(NoneOf(seat, held[seat], (0,)) for seat in SEATS)),))
    # The others go on without it.
    assert net(dealer.game.left((2,), cards=True)) == {0: 0, 1: 0, 2: -26, 3: 0}


def test_if_all_could_prove_it_no_card_would_be_where_it_is() -> None:
    dealer = Dealer.stacked("", "", "2c")
    dealer.settle()
    game = dealer.game
    for seat in SEATS:
        game = game.moved(seat, encode(Without()))
    want = game.wants
    assert isinstance(want, Ask)
    assert net(game.told((Finished(want.operations[0]),))) == dict.fromkeys(SEATS, -26)


def test_a_player_who_leads_another_card_is_caught() -> None:
    dealer = Dealer.stacked("", "3d", "2c")
    dealer.settle()
    dealer.move(0, Without())
    dealer.move(1, Lead(dealer.at(1, "3d")))
    dealer.move(2, Lead(dealer.at(2, "2c")))
    dealer.move(3, Without())
    assert dealer.game.ending is HeartsEnding.CAUGHT and net(dealer.game) == {0: 0, 1: -26, 2: 0, 3: 0}


def test_a_false_word_beside_the_true_one_changes_nothing() -> None:
    dealer = Dealer.stacked("", "2c", "3d")
    dealer.settle()
    dealer.move(0, Without())
    dealer.move(1, Lead(dealer.at(1, "2c")))
    dealer.move(2, Lead(dealer.at(2, "3d")))
    dealer.move(3, Without())
    assert dealer.game.trick.cards == ((1, 0),) and len(dealer.game.held[2]) == 13


# --- What else a hand may not have ---


def owed(card: str, lies: str, *, first: bool = False, broken: bool = False) -> frozenset[int]:
    trick = Trick(tuple((seat, one) for seat, one in enumerate(faces(lies))))
    return excluded(face(card), trick, first=first, broken=broken)


def test_what_a_card_needs() -> None:
    assert owed("3c", "2c") == owed("Ah", "2h") == owed("Qs", "3s") == frozenset()
    assert owed("3d", "2c") == suit(0) and owed("3h", "As") == suit(3)
    # Points in the first trick, also the queen; and what counts nothing there.
    assert owed("3h", "2c", first=True) == owed("Qs", "2c", first=True) == PLAIN > suit(0)
    assert owed("Ks", "2c", first=True) == suit(0)
    # A heart that is led, before and after one was thrown.
    assert owed("3h", "") == ALL - suit(HEARTS) and owed("3h", "", broken=True) == owed("Qs", "") == frozenset()


def test_not_following_suit_is_proven_with_all_held_cards() -> None:
    dealer = at_play("2c 3c 4c", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d")
    before = dealer.game.held[1]
    dealer.play("3d")
    place = before[0]
    rest = before[1:]
    # Only of faces that can still be somewhere: the two of clubs has been played.
    assert dealer.asked[-2:] == [Show(0, 1, (place,)), Prove(0, (NoneOf(1, rest, tuple(range(1, 13))),))]
    assert dealer.game.lacks == {1: frozenset(range(1, 13))} and dealer.game.wants == Turn((2,))


def test_no_move_before_the_proof() -> None:
    dealer = at_play("2c 3c 4c", "5c 3d")
    with pytest.raises(Stuck) as stuck:
        dealer.play("3d")
    assert stuck.value.seat == 1 and isinstance(dealer.game.wants, Ask)
    for seat in SEATS:
        with pytest.raises(IllegalMove, match="not seat"):
            dealer.game.moved(seat, encode(Play(dealer.game.held[seat][0])))
    assert net(dealer.game.left((1,), cards=True)) == {0: 0, 1: -26, 2: 0, 3: 0}


def test_a_void_once_proven_is_not_asked_for_again() -> None:
    dealer = at_play("2c 5c 6c", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d", "3c 4c 7c", "Ac Kc Qc")
    dealer.play("3d", "3c", "Ac", "Kc", "5c", "4d", "4c", "Qc", "6c", "5d", "7c")
    assert [claim.seat for claim in dealer.claims] == [1] and len(dealer.game.proofs) == 1


def test_another_suit_is_asked_for() -> None:
    dealer = at_play("2c As", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d", "3c 2s", "Kc 3s")
    dealer.play("3d", "3c", "Kc", "3s", "As", "4d")
    assert [(claim.seat, set(claim.faces) <= suit(3)) for claim in dealer.claims] == [(1, False), (1, True)]


def test_a_card_that_comes_undoes_what_was_proven() -> None:
    dealer = at_play("2c 3c 4c", "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d")
    dealer.play("3d")
    assert 1 in dealer.game.lacks
    asking = replace(dealer.game, asking=(Pass(0, (Gift(0, 1, (2,)),)),))
    after = asking.told((Moved(Card(0, 1, 52), 1, Card(0, 0, 2)),))
    assert after.lacks == {} and 52 in after.held[1] and 2 not in after.held[0]


def test_no_points_in_the_first_trick() -> None:
    dealer = at_play("2c", "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh As")
    with pytest.raises(Stuck):
        dealer.play("2h")
    dealer = at_play("2c", "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh As")
    dealer.play("As")
    assert dealer.claims[-1].faces == tuple(range(1, 13))


def test_points_in_the_first_trick_with_nothing_else() -> None:
    dealer = at_play("2c", "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Qs")
    dealer.play("Qs")
    assert set(dealer.claims[-1].faces) == PLAIN - {0} and dealer.game.wants == Turn((2,))
    assert not dealer.game.broken


def test_a_heart_is_led_when_one_was_thrown() -> None:
    dealer = at_play("2c 2h", "Ac 3h 5d", "3c 4h", "4c 5h")
    dealer.play("Ac", "3c", "4c")
    with pytest.raises(Stuck) as stuck:
        dealer.play("3h")
    assert stuck.value.seat == 1


def test_a_heart_is_led_with_nothing_else() -> None:
    dealer = at_play("2c", "Ac 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", "3c Ah", "4c")
    dealer.play("Ac", "3c", "4c", "2h")
    assert set(dealer.claims[-1].faces) == ALL - suit(HEARTS) - dealer.game.out
    assert dealer.game.broken and dealer.game.wants == Turn((2,))


def test_points_and_the_moon() -> None:
    assert sum(map(points, range(CARDS))) == ALL_POINTS and len(COUNTING) == 14
    assert score_hand({0: 1, 1: 25, 2: 0, 3: 0}) == {0: 1, 1: 25, 2: 0, 3: 0}
    assert score_hand({0: 0, 1: 26, 2: 0, 3: 0}) == {0: 26, 1: 0, 2: 26, 3: 26}


# --- Whole hands ---


def test_the_rule_is_the_same_from_inside_and_outside() -> None:
    """What a player may play is exactly what they can prove, card by card, over whole hands."""
    tried = refused = 0
    for seed in range(times(3, deep=60)):
        dice, dealer = Dice("hearts", seed), Dealer.shuffled(seed, number=3)
        dealer.settle()
        dealer.opens()
        while isinstance(dealer.game.wants, Turn):
            game, seat = dealer.game, dealer.game.active
            hand = {place: dealer.order[place] for place in game.held[seat]}
            legal = allowed(hand.values(), game.trick, first=game.first, broken=game.broken)
            assert legal
            for place, one in hand.items():
                other = replace(dealer, asked=[])
                try:
                    other.move(seat, Play(place))
                except Stuck as stuck:
                    assert one not in legal and stuck.seat == seat
                    refused += 1
                else:
                    assert one in legal
                tried += 1
            places = sorted(place for place, one in hand.items() if one in legal)
            dealer.move(seat, Play(places[dice.below(len(places))]))
        assert sum(dealer.game.taken.values()) == ALL_POINTS
    assert refused > tried // 10


def test_bots_play_it_to_its_end() -> None:
    dealer = Dealer.shuffled("whole")
    game = dealer.finish()
    assert game.ending is HeartsEnding.PLAYED and len(game.tricks) == 13 and not any(game.held.values())
    assert -sum(net(game).values()) == ALL_POINTS and len(game.proofs) == len(dealer.claims) > 0
    result = game.wants.result if isinstance(game.wants, Done) else {}
    assert result["tricks"] == 13 and not result["over"] and result["winners"] == []
    assert game.left((1,), cards=True) is game


def test_the_last_hand_of_a_game() -> None:
    dealer = Dealer.shuffled("whole")
    dealer.game = replace(dealer.game, scores={0: 99, 1: 99, 2: 3, 3: 3})
    game = dealer.finish()
    assert isinstance(game.wants, Done) and game.wants.result["over"]
    totals = game.totals
    assert game.wants.result["winners"] == [seat for seat in SEATS if totals[seat] == min(totals.values())]
    with pytest.raises(BadParameter, match="the game is over"):
        HeartsRules().begin(1, SEATS, game, {seat: -total for seat, total in totals.items()})


@pytest.mark.parametrize("cards", [True, False])
def test_whoever_leaves_has_all_points_at_every_moment(cards: bool) -> None:
    dealer = Dealer.shuffled("left")
    moments = [dealer.game]
    while not isinstance(dealer.game.wants, Done):
        if isinstance(dealer.game.wants, Ask):
            dealer.settle()
        else:
            assert isinstance(dealer.game.wants, Turn)
            seat = dealer.game.wants.seats[0]
            dealer.game = dealer.game.moved(seat, encode(HeartsBot().move(dealer.view(seat))))
        moments.append(dealer.game)
    for game in moments[:-1]:
        assert net(game.left((2,), cards=cards)) == {0: 0, 1: 0, 2: -26, 3: 0}
    both = moments[5].left((0, 3), cards=cards)
    assert net(both) == {0: -26, 1: 0, 2: 0, 3: -26} and both.told(()) is both
    assert all(game.default(seat) is None for game in moments[:3] for seat in SEATS)


# --- Moves that are none ---


@pytest.mark.parametrize(
    "move", [b"{}", b'{"type":"play"}', b'{"type":"play","place":-1}', b'{"type":"give","places":[]}']
)
def test_a_move_that_is_none(move: bytes) -> None:
    dealer = at_play("2c")
    with pytest.raises(IllegalMove):
        dealer.game.moved(1, move)


def test_a_move_at_another_stage() -> None:
    dealer = at_play("2c")
    for move in (Without(), Lead(13), Give((13, 14, 15))):
        with pytest.raises(IllegalMove, match="the hand is in the stage 'playing'"):
            dealer.game.moved(1, encode(move))
    with pytest.raises(IllegalMove, match="the card at place 0 is not in your hand"):
        dealer.game.moved(1, encode(Play(0)))
    with pytest.raises(IllegalMove, match="not seat 0's turn"):
        dealer.game.moved(0, encode(Play(1)))
    assert dealer.game.scores == NOTHING
