"""Timeouts count the time that this machine has observed, whatever its clock says."""

from __future__ import annotations

import pytest

from client.looking import look
from conformance.games import TinyRules
from engine.circle import Circle, shows_if_even
from nodealer.client.duty_timer import STEP_SECONDS_MAX
from nodealer.client.policies import ALONE_MAX, TimeoutVoter
from nodealer.engine.bodies import Break, End, Without, read_body
from nodealer.engine.commands import MakeMove, SitOut
from nodealer.engine.leave_policy import has_too_few_players, stay_while_playable
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.log.entry import read_entry

HOUR = 3600.0


def held_up(seats: int = 3) -> Circle:
    """Return a circle that waits for seat 0 to move."""
    circle = Circle(seats, rules=TinyRules(passes=True, deck_max=9), hands=1)
    return circle.play(until=lambda circle: bool(circle.people[0].options().must_move))


def said(frames: list[bytes]) -> list[type]:
    return [type(read_body(bytes(read_entry(frame).entry.body))) for frame in frames]


def looks(patience: TimeoutVoter, one: Participant, *times: float) -> list[type]:
    """Return the kinds of messages that a policy sends at these times, without hearing of them again."""
    found = list[type]()
    for now in times:
        found += said(look(patience, one, now))
    return found


def test_after_its_time_and_not_before() -> None:
    circle = held_up()
    one, patience = circle.people[1], TimeoutVoter(3.0)
    assert looks(patience, one, *(now / 2 for now in range(6))) == []
    frames = look(patience, one, 3.0)
    assert said(frames) == [Without]
    # Nothing more is sent until this has arrived, however long that takes.
    assert looks(patience, one, *map(float, range(4, 60))) == []
    circle.waiting.extend(frames)
    circle.step()
    assert circle.people[0].replica.state.hand.skip_votes == {1: frozenset(one.seat.blocking_duties)}


@pytest.mark.parametrize(
    "times",
    [
        [0.0, *(HOUR * hour for hour in range(1, 4))],
        [HOUR, 0.0, HOUR, 0.0, HOUR],
        [0.0, -HOUR, -2 * HOUR, -3 * HOUR],
        [0.0, 1e18, -1e18, 1e18],
    ],
    ids=["ahead", "back and forth", "back", "far"],
)
def test_a_clock_that_jumps_makes_nobody_late(times: list[float]) -> None:
    one, patience = held_up().people[1], TimeoutVoter(3.5)
    assert looks(patience, one, *times) == []
    # From then on time counts as before.
    now = times[-1]
    count = 0
    while not looks(patience, one, now):
        now += 0.5 if abs(now) < 1e9 else 1e6
        count += 1
    assert count >= 1


def test_what_counts_between_two_looks() -> None:
    one, patience = held_up().people[1], TimeoutVoter(3 * STEP_SECONDS_MAX)
    assert looks(patience, one, 0.0, 10.0, 20.0) == []
    assert looks(patience, one, 30.0) == [Without]


def test_what_is_over_does_not_count() -> None:
    """Each duty has its own time: a player who always moves in time is never late, however often they move."""
    circle = held_up()
    one, patience = circle.people[1], TimeoutVoter(3.0)
    assert looks(patience, one, 0.0, 1.0, 2.0) == []
    circle.waiting.extend(shows_if_even(circle.people[0]))
    circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
    assert looks(patience, one, 3.0, 4.0, 5.0) == [], "it is its own turn"


def test_breaks_off_after_twice_the_time() -> None:
    """One of four is not enough to skip a seat."""
    circle = held_up(4)
    one, patience = circle.people[1], TimeoutVoter(2.0)
    heard = list[tuple[float, type]]()
    for now in map(float, range(9)):
        frames = look(patience, one, now)
        heard += [(now, kind) for kind in said(frames)]
        circle.waiting.extend(frames)
        while circle.step():
            pass
    assert heard == [(2.0, Without), (4.0, Break)], "different relays"
    hand = circle.people[0].replica.state.hand
    assert hand.skip_votes.keys() == hand.abort_votes.keys() == {1}


def test_who_comes_back_does_not_say_it_again() -> None:
    circle = held_up(4)
    patience = TimeoutVoter(2.0)
    for now in map(float, range(3)):
        circle.waiting.extend(look(patience, circle.people[1], now))
    while circle.step():
        pass
    one = circle.bring_back(1)
    assert looks(TimeoutVoter(2.0), one, 0.0, 1.0, 2.0, 3.0) == []


def test_says_it_again_when_it_was_dropped() -> None:
    """The duty was closed when the vote arrived, and is open again."""
    circle = Circle(4, rules=TinyRules(together=True, rounds=True, deck_max=9), hands=1)
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move), decide=lambda one: [])
    three, patience = circle.people[3], TimeoutVoter(2.0)
    circle.waiting.extend(three.command(MakeMove({"show": False})))
    while circle.step():
        pass
    shows = circle.people[2].command(MakeMove({"show": True}))
    assert looks(patience, three, 0.0, 1.0) == []
    statement = look(patience, three, 2.0)
    assert said(statement) == [Without]
    # The show comes first in the order: while a card is being shown, no one moves.
    circle.waiting.extend([*shows, *statement])
    circle.step()
    shown = list(circle.waiting)
    circle.waiting.clear()
    circle.waiting.extend([frame for frame in shown if frame in statement])
    circle.step()
    circle.waiting.extend(frame for frame in shown if frame not in statement)
    while circle.step():
        pass
    assert statement[0] in circle.log and circle.people[0].replica.state.hand.skip_votes == {}
    assert set(three.seat.blocking_duties.values()) == {0, 1}
    assert said(look(patience, three, 2.5)) == [Without]


def test_who_does_not_sit_or_has_ended_waits_for_nobody() -> None:
    circle = held_up()
    assert looks(TimeoutVoter(1.0), circle.people[3], *map(float, range(9))) == []
    circle.play()
    assert all(one.replica.state.phase is Phase.ENDED for one in circle.people)
    assert looks(TimeoutVoter(1.0), circle.people[1], *map(float, range(9))) == []


def test_somebody_may_take_all_the_time_it_wants() -> None:
    circle = held_up()
    name = circle.people[0].members[0].name
    assert looks(TimeoutVoter(1.0, frozenset({name})), circle.people[1], *map(float, range(99))) == []


def test_who_has_nobody_left_to_play_with_ends_after_a_while() -> None:
    """One of two players has left with more hands to play. A participant without a timeout waits for them."""
    circle = Circle(2, rules=TinyRules(passes=True, deck_max=9))
    circle.people[:2] = [circle.sit(home, stay_policy=stay_while_playable) for home in circle.homes[:2]]
    circle.waiting.extend(circle.agree().people[1].command(SitOut()))
    circle.play(until=lambda circle: has_too_few_players(circle.people[0].replica.state) and not circle.waiting)
    one = circle.people[0]
    assert one.replica.state.hand.commitments.keys() == {0}
    assert looks(TimeoutVoter(), one, *map(float, range(100))) == []
    patience, jumps = TimeoutVoter(3.0), [0.0, HOUR, 0.0, 2 * HOUR]
    assert looks(patience, one, *jumps, *map(float, range(int(ALONE_MAX) - 2))) == []
    assert looks(patience, one, ALONE_MAX - 2, ALONE_MAX - 1) == [End]
