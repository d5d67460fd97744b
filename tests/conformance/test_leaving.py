"""Seats leave: at every entry, one or several, again and again, and the table goes on with a deck that is whole.

Each card is somewhere exactly once, hands and open cards stay, and nothing hidden is shown. `make deep` tries every
entry and every set of seats.
"""

from __future__ import annotations

import itertools
from importlib.util import find_spec
from typing import Final

import pytest

from nodealer.cards.events import Moved
from nodealer.cards.operations import Deal, NewDeck, Open, Portion
from nodealer.engine.replica import Outcome
from nodealer.group import Group
from nodealer.group import group as make_group
from sampling import times

from . import suite
from .cases import LASTING
from .harness import Game, Table, events_of
from .leaving import fall_silent, finish, lasting_deck, leave, playing, recovered, scripted, until_idle
from .suite import ProtocolCase

SEATS: Final = 4
#: More than the entries of a hand that nobody leaves.
HEIGHTS: Final = {"mask": 76, "lock": 56}

over_cases = pytest.mark.parametrize("case", LASTING, ids=lambda case: case.name)


def left_at(case: ProtocolCase, group: Group, height: int, leavers: tuple[int, ...]) -> None:
    """The script with seats leaving at a height; the hand may be over by then."""
    game = scripted(case, group, "leaving").play(until=lambda game: len(game.log) >= height and playing(game))
    if not playing(game):
        return
    leave(game, leavers)
    finish(game, case.resting)
    assert game.state.results[0]["gone"] == list(leavers) or height > HEIGHTS[case.name] - 12


@pytest.mark.timeout(900)
@over_cases
def test_one_leaves_anywhere(case: ProtocolCase, fast: Group) -> None:
    for height in range(SEATS + 5, HEIGHTS[case.name], times(23, deep=1)):
        left_at(case, fast, height, (height % SEATS,))


@pytest.mark.deep
@pytest.mark.timeout(900)
@over_cases
@pytest.mark.parametrize("leavers", [c for n in (1, 2) for c in itertools.combinations(range(SEATS), n)])
def test_any_leave_anywhere(case: ProtocolCase, fast: Group, leavers: tuple[int, ...]) -> None:
    for height in range(SEATS, HEIGHTS[case.name]):
        left_at(case, fast, height, leavers)


@pytest.mark.timeout(900)
@over_cases
def test_one_falls_silent_anywhere(case: ProtocolCase, fast: Group) -> None:
    """More than half go on without it as soon as it owes something."""
    for height in range(SEATS + 21, 40, times(20, deep=3)):
        game = scripted(case, fast, "silent").play(until=lambda game: len(game.log) >= height and playing(game))
        fall_silent(game, (height % SEATS,))
        finish(game, case.resting)
        assert game.state.results[0]["gone"] == [height % SEATS]


@over_cases
def test_two_of_five_go_at_once(case: ProtocolCase, fast: Group) -> None:
    """The word that completes the votes for both takes both out together."""
    for leavers in ((3, 4), (0, 2))[: times(1, deep=2)]:
        game = scripted(case, fast, "five", seats=5)
        game.play(until=lambda game: all(owes_release(game, seat) for seat in leavers))
        fall_silent(game, leavers)
        assert len(game.state.gone) == 2 and len({one.entry for one in game.state.chronicle.vote_results}) == 1
        finish(game, case.resting)


def owes_release(game: Game, seat: int) -> bool:
    return any((one.duty.seat, one.duty.kind) == (seat, "release") for one in game.state.duties.open.values())


@pytest.mark.timeout(900)
@over_cases
def test_two_leave_one_after_the_other(case: ProtocolCase, fast: Group) -> None:
    pairs = list(itertools.combinations(range(SEATS), 2))
    for height in range(SEATS + 13, HEIGHTS[case.name], times(35, deep=7)):
        left_at(case, fast, height, pairs[height % len(pairs)])


def again_at(case: ProtocolCase, group: Group, first: int, second: int) -> None:
    """One leaves, and so many entries later, often within the recovery, another; the hand may be over by then."""
    game = scripted(case, group, "again").play(until=lambda game: len(game.log) >= first and playing(game))
    if not playing(game):
        return
    leave(game, (first % SEATS,))
    height = len(game.log) + second
    game.play(until=lambda game: len(game.log) >= height)
    if playing(game):
        leave(game, ((first + 1 + second % 3) % SEATS,))
    finish(game, case.resting)


@pytest.mark.timeout(900)
@over_cases
def test_again_within_a_recovery(case: ProtocolCase, fast: Group) -> None:
    for second in range(2, 17, times(9, deep=1)):
        again_at(case, fast, SEATS + (9 + 2 * second) % 36, second)


@pytest.mark.deep
@pytest.mark.timeout(900)
@over_cases
@pytest.mark.parametrize("second", range(24))
def test_again_everywhere(case: ProtocolCase, fast: Group, second: int) -> None:
    for first in range(SEATS, HEIGHTS[case.name] - 8):
        again_at(case, fast, first, second)


@over_cases
def test_three_times_down_to_two(case: ProtocolCase, fast: Group) -> None:
    """Five sit down, and three leave one after the other, each in the middle of what the one before has begun."""
    game = scripted(case, fast, "down", seats=5).play(until=lambda game: len(game.log) >= 30)
    for leaver in (4, 1, 0):
        leave(game, (leaver,))
        height = len(game.log) + 7
        game.play(until=lambda game: len(game.log) >= height)
    finish(game, case.resting)
    assert game.state.results[0]["gone"] == [4, 1, 0]


@over_cases
def test_on_the_reference(case: ProtocolCase) -> None:
    game = until_idle(scripted(case, make_group(backend="reference"), "reference", script=SMALL), 1)
    leave(game, (1, 3))
    assert finish(game, case.resting)


def card_duties(game: Game) -> set[bytes]:
    return {id for id, known in game.state.duties.open.items() if known.duty.deck is not None}


@over_cases
def test_same_duty_is_never_owed_twice(case: ProtocolCase, fast: Group) -> None:
    """What is owed after a leaving is not what was owed before, though nobody has said a word in between."""
    for height in (SEATS, 9, 14, 30)[times(3, deep=0) :]:
        game = scripted(case, fast, "duties").play(until=lambda game: len(game.log) >= height)
        seen = card_duties(game)
        for leaver in (3, 2):
            leave(game, (leaver,))
            assert not seen & card_duties(game)
            seen |= card_duties(game)
        finish(game, case.resting)


@over_cases
def test_what_crosses_with_a_second_leaving_is_dropped(case: ProtocolCase, fast: Group) -> None:
    """Two leave one after the other, and what honest seats signed in between arrives after both: nobody's fault."""
    dropped = 0
    for height in range(SEATS + 26, 40, times(30, deep=1)):
        game = scripted(case, fast, "crossing").play(until=lambda game: len(game.log) >= height)
        leave(game, (2, 3))
        finish(game, case.resting)
        dropped += game.outcomes.count(Outcome.DROPPED)
    assert dropped


# --- A hand with leavers, held against the rest of the suite ---


#: As little as there can be: a card in each hand, one on the table, and one in the pile.
SMALL: Final = (
    (NewDeck(0, SEATS + 2), Deal(0, tuple(Portion(seat, 1) for seat in range(SEATS)))),
    (Open(0, 1),),
    (Open(0, 1),),
)


def left_twice(case: ProtocolCase, group: Group) -> Table:
    """Cards in hands and on the table, and two have left: the deck was made three times."""
    game = until_idle(scripted(case, group, "secrets", script=SMALL), 2)
    for leaver in (3, 1):
        leave(game, (leaver,))
        recovered(game)
    return game


@over_cases
def test_secrecy(case: ProtocolCase, fast: Group) -> None:
    """Neither the log nor all other tapes, those of the leavers included, tell a card that somebody holds hidden."""
    game = left_twice(case, fast)
    deck = lasting_deck(game)
    places = deck.places
    hidden = {places.card(position): places.holder(position) for position in places.only_hidden(places.held)}
    assert len(hidden) == 2 and set(hidden.values()) == {0, 2}
    tapes = {seat: game.tape(seat) for seat in game.seats}
    assert case.attack(game, tapes).keys() >= hidden.keys(), "an attack that never works would prove nothing"
    assert not case.attack(game, {}).keys() & hidden.keys()
    for card, owner in hidden.items():
        assert card not in case.attack(game, {seat: tape for seat, tape in tapes.items() if seat != owner})


@pytest.mark.timeout(900)
@over_cases
def test_the_rest_of_the_suite(case: ProtocolCase, fast: Group) -> None:
    """Late and early checks agree, and seats that are restarted, or open their books, say what they said."""
    game = left_twice(case, fast)
    game.play()
    suite.eager_and_lazy_agree(game)
    suite.killed_at_every_entry(game, times(17, deep=1))
    replica = game.replica(0)
    for data in game.log:
        hand = replica.state.hand
        replica.append(data)
        if replica.state.hand.number > hand.number:
            assert all(suite.false_deed(game, seat, suite.books_of(hand)) is None for seat in game.seats)


@over_cases
def test_what_is_told_of_a_leavers_cards(case: ProtocolCase, fast: Group) -> None:
    game = until_idle(scripted(case, fast, "told"), 2)
    mine = {position for position, seat in lasting_deck(game).places.held.items() if seat == 3}
    before = len(events_of(game.seats[0].replica))
    leave(game, (3,))
    # What is in progress is a show of another seat, which needs nothing of this one: that comes first.
    game.play(until=lambda game: lasting_deck(game).rebuilding)
    gone = events_of(game.seats[0].replica)[before:]
    assert len(mine) == 2 and {(event.card.position, event.holder) for event in gone if isinstance(event, Moved)} == {
        (position, None) for position in mine
    }


@pytest.mark.skipif(find_spec("nodealer.group._core") is None, reason="the native core is not built")
@pytest.mark.timeout(900)
@over_cases
def test_tampering(case: ProtocolCase, native: Group) -> None:
    """Every field of every entry of a hand with two leavers, spoilt and signed again by its own seat."""
    game = left_twice(case, native)
    tally = suite.tampering_is_answered(game, times(31, deep=1))
    assert tally["refused"] and tally["fault"] and tally["nobody"]
