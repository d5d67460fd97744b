"""What happened between two statuses: each event exactly once, after its time, and without any memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from client.looking import status_at
from conformance.clear import ClearProtocol, bad_dealt_share
from conformance.games import TinyRules
from engine.circle import Circle
from nodealer.client import events
from nodealer.client.changes import MISSING_AFTER, comparable, events_between
from nodealer.client.status import LOBBY_EXTRA, Awaited, TableStatus, TableTimes
from nodealer.engine.commands import LeaveHand, ProposeRoster, RequestSeat, SitOut
from nodealer.engine.participant import Participant
from nodealer.group import group
from nodealer.log.roster import Roster
from nodealer.log.session import Limits

AFTER = 5.0
LIMITS = Limits(move=20_000, cards=20_000, bank=30_000, refill=0)


def table(*, clock: Limits | None = None, newcomers: int = 0) -> Circle:
    """Return a table that waits for seat 0 to move."""
    circle = Circle(3, rules=TinyRules(passes=True, deck_max=12), hands=9, clock=clock, newcomers=newcomers)
    return circle.play(until=lambda circle: bool(circle.people[0].options().must_move))


def told(statuses: Iterable[TableStatus], kind: type, notice_after: float = AFTER) -> list[Any]:
    """Return the events of one kind for a sequence of statuses."""
    found = list[Any]()
    before: TableStatus | None = None
    for status in statuses:
        found += [event for event in events_between(before, status, notice_after) if isinstance(event, kind)]
        before = comparable(before, status)
    return found


def at(one: Participant, *times: float) -> list[TableStatus]:
    """Return the statuses of a participant at these times, measured by one clock."""
    measured = TableTimes(wall=lambda: "20:15:00")
    return [status_at(one, now, measured) for now in times]


# --- Times ---


@pytest.mark.parametrize(
    ("seconds", "since", "count"),
    [
        ([0.0, 4.9], None, 0),
        ([0.0, 5.0], None, 1),
        ([0.0, 4.0, 5.0, 6.0, 99.0], None, 1),
        ([7.0], None, 1),
        # A later wait for the same player is another one.
        ([0.0, 6.0, 7.0, 13.0], 7.0, 2),
        ([0.0, 6.0, 7.0, 11.0], 7.0, 1),
    ],
)
def test_whom_the_table_waits_for(seconds: Sequence[float], since: float | None, count: int) -> None:
    status = status_at(table().people[1])
    statuses = [
        replace(
            status,
            now=now,
            awaited={"Ada": Awaited("Ada", 0, frozenset(), 0.0 if since is None or now < since else since, "20:15:00")},
        )
        for now in seconds
    ]
    assert len(told(statuses, events.WaitingFor)) == count


def test_a_wait_as_it_is_measured() -> None:
    circle = table()
    statuses = at(circle.people[1], *map(float, range(20)))
    assert told(statuses, events.WaitingFor) == [events.WaitingFor("Ada", 5.0, "20:15:00")]
    assert told(at(circle.people[0], 0.0, 60.0), events.WaitingFor) == [], "one does not wait for oneself"


def test_a_lobby_waits_longer() -> None:
    lobby = Circle(3).greet()
    measured = TableTimes(("Ada", "Bo", "Zoe"))
    statuses = [status_at(lobby.people[0], now, measured) for now in (0.0, AFTER + 1, AFTER + LOBBY_EXTRA, 60.0)]
    assert [event.name for event in told(statuses, events.WaitingFor)] == ["Zoe"]


@pytest.mark.parametrize(
    ("missing", "count"),
    [
        ([(0, 0.0), (3, 0.0), (3, 4.9)], 0),
        ([(0, 0.0), (3, 4.9), (3, 5.0), (3, 9.0)], 1),
        ([(3, 6.0), (0, 0.0), (2, 1.0), (2, 6.0)], 2),
        # What arrives in between starts the time again.
        ([(3, 6.0), (2, 0.0), (2, 6.0)], 2),
    ],
)
@pytest.mark.parametrize("notice_after", [AFTER, 20.0])
def test_frames_that_a_relay_announces_and_does_not_deliver(
    missing: Sequence[tuple[int, float]], count: int, notice_after: float
) -> None:
    """People may take longer for everything else; a relay may not."""
    assert MISSING_AFTER == AFTER
    status = status_at(table().people[1])
    statuses = [replace(status, missing_frames=frames, missing_for=seconds) for frames, seconds in missing]
    assert len(told(statuses, events.FramesMissing, notice_after)) == count


def test_missing_frames_as_they_are_measured() -> None:
    circle = table()
    one = circle.sit(circle.homes[1])
    one.resend(len(circle.frames) + 2)
    statuses = at(one, 0.0, 4.0, 5.0, 6.0)
    assert told(statuses, events.FramesMissing) == [events.FramesMissing(len(circle.frames) + 2, 5.0)]


@pytest.mark.parametrize(
    ("alone", "count"),
    [
        ([(None, 0.0), (("Ada",), 4.9)], 0),
        ([(None, 0.0), (("Ada",), 5.0), (("Ada",), 6.0)], 1),
        ([(("Ada",), 5.0), (None, 0.0), (("Ada",), 0.0), (("Ada",), 5.5)], 2),
    ],
)
def test_too_few_players(alone: Sequence[tuple[tuple[str, ...] | None, float]], count: int) -> None:
    status = status_at(table().people[1])
    statuses = [replace(status, gone=gone, alone_for=seconds) for gone, seconds in alone]
    assert told(statuses, events.TooFewPlayers) == [events.TooFewPlayers(("Ada",))] * count


@pytest.mark.parametrize(("drifts", "count"), [([0, 0], 0), ([0, 1, 1], 1), ([1], 1), ([0, 1, 2], 2)])
def test_a_clock_that_runs_ahead(drifts: Sequence[int], count: int) -> None:
    status = status_at(table().people[1])
    statuses = [replace(status, drifts=number, drift=7.0) for number in drifts]
    assert told(statuses, events.ClockDrift) == [events.ClockDrift(7.0)] * count


def test_own_time() -> None:
    """When one is asked, when the bank runs, and when little is left of it; and nothing without a timekeeper."""
    circle = table(clock=LIMITS)
    one = circle.people[0]
    statuses = at(one, *map(float, range(80)))
    assert told(statuses, events.OwnTime) == [
        events.OwnTime(20.0, 30.0),
        events.OwnTime(0.0, 30.0),
        events.OwnTime(0.0, 10.0),
    ]
    assert told(at(table().people[0], 0.0, 50.0), events.OwnTime) == []


# --- Seats ---


def test_seat_requests_once_each() -> None:
    circle = table(newcomers=1)
    circle.waiting.extend(circle.people[3].command(RequestSeat()))
    before = status_at(circle.people[1])
    circle.step()
    after = status_at(circle.people[1])
    name = circle.homes[3].name
    assert told([before, after, after], events.AsksToSit) == [events.AsksToSit(name or "")]
    assert told([after], events.AsksToSit), "one who comes later is told too"


def test_a_proposed_roster_is_shown_to_those_who_have_not_agreed() -> None:
    circle = table()
    one = circle.people[0]
    members = one.replica.state.roster.members
    before = status_at(circle.people[1])
    circle.waiting.extend(one.command(ProposeRoster(Roster((members[0], members[2])))))
    circle.step()
    (proposed,) = told([before, status_at(circle.people[1])], events.RosterProposed)
    assert (proposed.by, proposed.names, proposed.removed) == ("Ada", ("Ada", "Cy"), ("Bo",))
    assert proposed.yourself and not proposed.changes_timekeeper and not proposed.new_key
    (other,) = told([status_at(circle.people[2])] * 2, events.RosterProposed)
    assert not other.yourself
    assert told([status_at(one)], events.RosterProposed) == [], "its proposer has agreed"


def test_a_player_who_is_away() -> None:
    circle = table()
    status = status_at(circle.people[1])
    member = circle.people[1].replica.state.roster.member(2)
    away = replace(status, away=(member,))
    assert told([status, away, away, status, away], events.PlayerAway) == [events.PlayerAway("Cy", False)] * 2


def test_who_had_left_is_told_when_they_come_back() -> None:
    circle = table()
    circle.people[1] = circle.sit(circle.homes[1], by_person=True)
    for number, frame in enumerate(circle.frames):
        circle.people[1].receive(frame, number)
    before = status_at(circle.people[1])
    for command in (SitOut(), LeaveHand()):
        circle.waiting.extend(circle.people[1].command(command))
    while circle.step():
        pass
    assert told([before, status_at(circle.people[1])], events.SittingOut) == [], "they know"
    back = circle.sit(circle.homes[1], by_person=True)
    back.resend(len(circle.frames))
    first = status_at(back)
    for number, frame in enumerate(circle.frames):
        back.receive(frame, number)
    assert first.is_catching_up
    assert told([first, status_at(back), status_at(back)], events.SittingOut) == [events.SittingOut()]


# --- Disputes ---


def lied_to(by_person: bool) -> Circle:
    """Return a game in which seat 1 gives false shares of dealt cards, so that seat 0 cannot read its own."""
    circle = Circle(3, hands=1, watchers=1)
    circle.people[0] = circle.sit(circle.homes[0], by_person=by_person)
    lying = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    return circle.play(decide=lambda one: [])


def test_a_card_that_does_not_open() -> None:
    circle = lied_to(by_person=True)
    one = circle.people[0]
    card = one.options().unreadable
    assert card is not None
    statuses = at(one, 0.0, 1.0, 2.0)
    assert told(statuses, events.Unreadable) == [events.Unreadable(card.deck, card.position)]


SAME: list[Callable[[], Participant]] = [
    lambda: table().people[0],
    lambda: table(clock=LIMITS).people[0],
    lambda: table().people[-1],
    lambda: Circle(3).greet().people[0],
]


@pytest.mark.parametrize("make", SAME)
def test_nothing_happens_between_two_equal_statuses(make: Callable[[], Participant]) -> None:
    status = status_at(make(), 1000.0)
    assert list(events_between(status, status, AFTER)) == []


def test_what_was_asked_before_a_new_connection_is_not_said_again() -> None:
    """A relay could otherwise repeat it as often as it likes."""
    circle = table(clock=LIMITS)
    one, measured = circle.people[0], TableTimes()
    statuses = [status_at(one, 0.0, measured)]
    for number in range(3):
        one.resend(len(circle.frames) + 1)
        statuses.append(status_at(one, number + 0.25, measured))
        circle.frames.append(b"junk")
        one.receive(b"junk", len(circle.frames) - 1)
        statuses.append(status_at(one, number + 0.5, measured))
    assert [status.is_catching_up for status in statuses] == [False, True, False, True, False, True, False]
    assert len(told(statuses, events.OwnTime)) == 1
