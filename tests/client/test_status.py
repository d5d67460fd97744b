"""How a table is for one participant: pure, and the times measured in one place."""

from __future__ import annotations

import pytest

from client.looking import status_at
from conformance.games import TinyRules
from engine.circle import Circle
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.status import AllowedActions, TableTimes, is_away, owing_players, table_status
from nodealer.engine.commands import LeaveHand, MakeMove, ProposeRoster, RequestSeat, SendTick, SitOut
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.phases import Phase
from nodealer.log.roster import Roster
from nodealer.log.session import Limits

LIMITS = Limits(move=20_000, cards=20_000, bank=30_000, refill=0)


def table(seats: int = 3, *, clock: Limits | None = None, newcomers: int = 0, hands: int = 9) -> Circle:
    """Return a table that waits for seat 0 to move."""
    rules = TinyRules(passes=True, deck_max=12)
    circle = Circle(seats, rules=rules, hands=hands, clock=clock, newcomers=newcomers)
    return circle.play(until=lambda circle: bool(circle.people[0].options().must_move))


# --- The lobby ---


def test_a_lobby() -> None:
    circle = Circle(3).greet()
    one = circle.people[0]
    question = LobbyQuestion(Asked.GUESTS)
    times = TableTimes(("Ada", "Bo", "Cy", "Zoe"))
    times.observe(one, 3.0)
    status = table_status(one, times, seats=4, question=question)
    lobby = status.lobby
    assert lobby is not None and not status.has_session and status.name == "Ada" and status.now == 3.0
    assert [offer.name for offer in lobby.offers] == ["Ada", "Bo", "Cy"] and lobby.own_offer == one.lobby.own_offer
    assert (lobby.seats, lobby.question, lobby.key) == (4, question, one.store.identity.public)
    assert lobby.proposal is None and not lobby.has_seat and list(status.awaited) == ["Zoe"]
    assert status.view is None and status.actions == AllowedActions() and status.own_wait is None


def test_whose_answer_is_missing() -> None:
    circle = Circle(3)
    circle.greet()
    circle.people[0].lobby.propose(circle.proposal())
    one = circle.people[0]
    names = ("Ada", "Bo", "Cy")
    assert owing_players(one, None, names) == {}, "all have come"
    assert list(owing_players(one, None, (*names, "Zoe"))) == ["Zoe"]


# --- The table ---


def test_a_table() -> None:
    circle = table()
    one, two, watcher = circle.people[0], circle.people[1], circle.people[-1]
    mine, other, public = status_at(one), status_at(two), status_at(watcher)
    assert mine.lobby is None and mine.has_session and mine.replica is one.replica
    assert (mine.seat, mine.in_roster, mine.unconfirmed, mine.is_over) == (0, True, False, False)
    assert mine.options.required is not None and other.options.required is None
    assert not mine.awaited and list(other.awaited) == ["Ada"] and other.awaited["Ada"].seat == 0
    assert public.seat is None and public.name is None and list(public.awaited) == ["Ada"]
    assert mine.view is not None and public.view is not None and mine.view != public.view


def test_a_status_does_not_change_when_the_table_does() -> None:
    circle = table()
    one = circle.people[0]
    before = status_at(one)
    state = before.state
    circle.waiting.extend(one.command(MakeMove({"show": False})))
    assert status_at(one).unconfirmed and not before.unconfirmed
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    assert before.state is state and state is not None and state.hand.number == 0
    after = status_at(one)
    assert after.state is not None and after.state.hand.number == 1


def test_frames_that_are_missing() -> None:
    circle = table()
    one = circle.sit(circle.homes[1])
    one.resend(len(circle.frames) + 1)
    times = TableTimes()
    status = status_at(one, 10.0, times)
    assert status.is_catching_up and status.missing_frames == len(circle.frames) + 1 and status.missing_for == 0.0
    assert status_at(one, 14.0, times).missing_for == 4.0
    one.receive(circle.frames[0], 0)
    assert status_at(one, 15.0, times).missing_for == 0.0, "something has arrived"
    for number, frame in enumerate([*circle.frames, b"junk"]):
        one.receive(frame, number)
    after = status_at(one, 20.0, times)
    assert not after.is_catching_up and after.missing_for == 0.0 and after.frames == len(circle.frames) + 1


# --- Times ---


def test_how_long_a_duty_holds_up_the_table() -> None:
    circle = table(clock=LIMITS)
    one, times = circle.people[0], TableTimes()
    for now in range(23):
        status = status_at(one, float(now), times)
    wait = status.own_wait
    assert wait is not None and (wait.seat, wait.limit_left, wait.bank_left) == (0, 0.0, 28.0)
    assert status_at(circle.people[1], 22.0).own_wait is None, "it is not their turn"
    assert status_at(table().people[0], 22.0).own_wait is None, "no one limits it"


def test_a_wait_begins_again_when_the_table_went_on() -> None:
    circle = table()
    one, times = circle.people[2], TableTimes(wall=lambda: "20:15:00")
    status_at(one, 0.0, times)
    first = status_at(one, 7.0, times).awaited["Ada"]
    assert (first.since, first.at) == (0.0, "20:15:00")
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    assert status_at(one, 8.0, times).awaited["Ada"].since == 8.0


def test_too_few_players() -> None:
    circle = Circle(2, rules=TinyRules(passes=True, deck_max=12))
    circle.people = [circle.sit(home, stay_policy=stay_while_playable) for home in circle.homes]
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    one, times = circle.people[0], TableTimes()
    assert status_at(one, 0.0, times).gone is None
    for command in (SitOut(), LeaveHand()):
        circle.waiting.extend(circle.people[1].command(command))
    circle.play()
    assert status_at(one, 1.0, times).gone == ("Bo",)
    status = status_at(one, 4.0, times)
    assert status.gone == ("Bo",) and status.alone_for == 3.0


def test_a_tick_and_its_age() -> None:
    circle = table(clock=LIMITS)
    times = TableTimes()
    status_at(circle.people[1], 0.0, times)
    circle.waiting.extend(circle.keeper.command(SendTick(1000)))
    while circle.step():
        pass
    assert status_at(circle.people[1], 5.0, times).tick_age == 0.0
    assert status_at(circle.people[1], 8.0, times).tick_age == 3.0


# --- Seats, and what may be done ---


def test_requests_and_proposed_rosters() -> None:
    circle = table(newcomers=1)
    circle.waiting.extend(circle.people[3].command(RequestSeat()))
    circle.step()
    one, two = circle.people[:2]
    assert [asks.who.name for asks in status_at(two).requests] == ["Dee"]
    assert status_at(circle.people[3]).requests == () and status_at(circle.people[-1]).requests == ()
    members = one.replica.state.roster.members
    circle.waiting.extend(one.command(ProposeRoster(Roster(members[:2]))))
    circle.step()
    (offer,) = status_at(two).rosters
    assert offer.proposed.by == 0 and offer.problem is None and status_at(one).rosters == ()


def test_who_is_away() -> None:
    circle = table()
    for command in (SitOut(), LeaveHand()):
        circle.waiting.extend(circle.people[2].command(command))
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 2)
    one = circle.people[0]
    assert not is_away(one.replica.state, 2) and status_at(one).away == ()
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 4)
    assert is_away(one.replica.state, 2) and [member.name for member in status_at(one).away] == ["Cy"]
    assert status_at(circle.people[-1]).away == (), "a spectator has no say"


@pytest.mark.parametrize(
    ("seats", "clock", "skip", "needs"),
    [
        (2, None, False, (2, 2, None, 1)),
        (3, None, True, (3, 2, None, 2)),
        (4, None, True, (4, 3, None, 2)),
        (2, LIMITS, True, (2, 2, 1, 1)),
        (3, LIMITS, True, (3, 2, None, 2)),
        (4, LIMITS, True, (4, 3, 2, 2)),
    ],
)
def test_what_may_be_done_and_how_many_votes_it_takes(
    seats: int, clock: Limits | None, skip: bool, needs: tuple[int, int, int | None, int]
) -> None:
    actions = status_at(table(seats, clock=clock).people[1]).actions
    assert actions.skip is skip and actions.abort is (clock is None) and actions.leave
    assert actions.sit_out and not actions.come_back
    assert (actions.voters, actions.skip_needs, actions.late_needs, actions.abort_needs) == needs


def test_who_sits_out_may_come_back_and_who_has_ended_may_do_nothing() -> None:
    circle = table(hands=1)
    one = circle.people[1]
    one.command(SitOut())
    actions = status_at(one).actions
    assert actions.come_back and not actions.sit_out and actions.leave
    circle.play()
    assert circle.people[0].replica.state.phase is Phase.ENDED
    status = status_at(circle.people[0])
    assert status.is_over and status.actions == AllowedActions() and not status.waits
