"""Every front end says the same thing about how the table stands: in its own way, with the same names and numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from client.looking import status_at
from conformance.clear import ClearProtocol, bad_dealt_share
from conformance.games import TinyRules
from engine.circle import Circle
from nodealer.client import events
from nodealer.client.changes import events_between
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.status import TableStatus, TableTimes, table_status
from nodealer.engine.commands import LeaveHand, ProposeRoster, RequestSeat
from nodealer.engine.participant import Participant
from nodealer.group import group
from nodealer.log.roster import Roster
from nodealer.log.session import Limits
from parity.front_ends import FrontEnd, Notices, all_front_ends, notices

LIMITS = Limits(move=20_000, cards=20_000, bank=30_000, refill=0)
AFTER = 5.0


@dataclass(frozen=True)
class Situation:
    """How a table stands for Ada, step by step, and what each front end has to say about it."""

    statuses: Callable[[], Sequence[TableStatus]]
    #: Sentences, names and numbers on the screen; parts of JSON lines; and fields of page messages, as JSON.
    terminal: tuple[str, ...]
    json: tuple[str, ...]
    page: tuple[str, ...]


def table(*, clock: Limits | None = None, newcomers: int = 0, **more: Any) -> Circle:
    """A table that waits for Ada to move."""
    rules = TinyRules(passes=True, deck_max=12)
    circle = Circle(3, rules=rules, hands=9, clock=clock, newcomers=newcomers, **more)
    return circle.play(until=lambda circle: bool(circle.people[0].options().must_move))


def waiting() -> Sequence[TableStatus]:
    """Bo has not moved for seven seconds."""
    circle = table().play(until=lambda circle: bool(circle.people[1].options().must_move))
    times = TableTimes(wall=lambda: "20:15:00")
    return [status_at(circle.people[0], now, times) for now in (0.0, 3.0, 7.0)]


def alone() -> Sequence[TableStatus]:
    """The others have left: there are too few players for another hand."""
    status = status_at(table().people[0])
    return [replace(status, now=0.0), replace(status, now=9.0, gone=("Bo", "Cy"), alone_for=9.0)]


def withheld() -> Sequence[TableStatus]:
    """The relay has announced seven frames, and delivers none."""
    status = status_at(table().people[0])
    return [replace(status, now=now, missing_frames=7, missing_for=now) for now in (0.0, 9.0)]


def drifting() -> Sequence[TableStatus]:
    """The timekeeper's clock runs ahead."""
    status = status_at(table().people[0])
    return [status, replace(status, now=1.0, drifts=1, drift=37.0)]


def timed() -> Sequence[TableStatus]:
    """Ada is asked, with a clock."""
    circle = table(clock=LIMITS)
    times = TableTimes()
    return [status_at(circle.people[0], now, times) for now in (0.0, 0.25)]


def requested() -> Sequence[TableStatus]:
    """Dee asks for a seat."""
    circle = table(newcomers=1)
    before = status_at(circle.people[0])
    circle.waiting.extend(circle.people[3].command(RequestSeat()))
    circle.step()
    return [before, status_at(circle.people[0], 1.0)]


def proposed() -> Sequence[TableStatus]:
    """Bo proposes a table without Cy, who has left."""
    circle = table()
    before = status_at(circle.people[0])
    circle.waiting.extend(circle.people[2].command(LeaveHand()))
    circle.step()
    state = circle.people[1].replica.state
    roster = Roster(tuple(one for one in state.roster.members if one.seat != 2))
    circle.waiting.extend(circle.people[1].command(ProposeRoster(roster)))
    circle.play(until=lambda circle: bool(circle.people[0].replica.state.proposed))
    return [before, status_at(circle.people[0], 1.0)]


def unreadable() -> Sequence[TableStatus]:
    """A card of Ada's does not open."""
    circle = Circle(3, hands=1)
    circle.people[0] = circle.sit(circle.homes[0], by_person=True)
    lying = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
    circle.people[1] = circle.sit(circle.homes[1], parts=lambda proposal: (lying, circle.rules, None))
    circle.play(decide=lambda one: [])
    return [status_at(circle.people[0])]


SITUATIONS: dict[str, Situation] = {
    "waiting": Situation(waiting, ("Bo", "20:15:00"), ('"waiting"', '"Bo"'), ('"waited": 7',)),
    "too few players": Situation(alone, ("Bo", "Cy"), ('"alone"', '"Bo"', '"Cy"'), ('"alone": ["Bo", "Cy"]',)),
    "withheld frames": Situation(withheld, ("7", "relay"), ('"missing"', "7"), ("announced 7 more messages",)),
    "a clock that runs ahead": Situation(drifting, ("37",), ('"drift"', "37.0"), ("has run 37 s ahead",)),
    "a card that does not open": Situation(unreadable, ("cannot be opened", "claim"), (), ('"claim": true',)),
    "own time": Situation(timed, ("20", "30"), (), ('"turn": [0]',)),
    "a seat request": Situation(requested, ("Dee",), (), ('"asking"', '"Dee"')),
    "a proposed roster": Situation(proposed, ("Bo", "without Cy"), (), ('"without": ["Cy"]', '"by": "Bo"')),
}


@pytest.fixture(scope="module")
def sentences() -> Iterator[Notices]:
    with notices() as read:
        yield read


def open_table(end: FrontEnd, status: TableStatus) -> None:
    """Show the table that a status belongs to."""
    assert status.replica is not None
    config = status.replica.config
    opened = events.SessionOpened(
        config.session.id, (), config.session.proposal, config.words, replica=status.replica, seat=status.seat
    )
    end.ui.show(opened)
    end.said()


def shown(end: FrontEnd, statuses: Sequence[TableStatus]) -> str:
    """What a front end says, as the client shows these statuses to it."""
    open_table(end, statuses[0])
    said, before = "", None
    for status in statuses:
        for event in events_between(before, status, AFTER):
            end.ui.show(event)
        end.ui.status(status)
        said, before = f"{said}{end.said()}\n", status
    return said


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_front_end_says_how_the_table_stands(name: str, sentences: Notices, tmp_path: Path) -> None:
    situation = SITUATIONS[name]
    statuses = situation.statuses()
    facts = {"terminal": situation.terminal, "json": situation.json, "page": situation.page, "tab": situation.page}
    with all_front_ends(sentences, tmp_path) as ends:
        for end, front in ends.items():
            said = shown(front, statuses)
            missing = [fact for fact in facts[end] if fact not in said]
            assert not missing, f"{end} does not say {missing}: {said}"


def test_the_page_in_a_tab_gets_what_every_page_gets(sentences: Notices, tmp_path: Path) -> None:
    with all_front_ends(sentences, tmp_path) as ends:
        for situation in SITUATIONS.values():
            statuses = situation.statuses()
            page, tab = (shown(ends[end], statuses) for end in ("page", "tab"))
            assert page == tab


def test_what_may_be_done_is_the_same_everywhere(sentences: Notices, tmp_path: Path) -> None:
    """While the table waits for Bo: the terminal offers the commands whose buttons the page shows."""
    (*_, status) = waiting()
    with all_front_ends(sentences, tmp_path) as ends:
        said = {end: shown(ends[end], waiting()) for end in ("terminal", "page")}
    views = [json.loads(line) for line in said["page"].splitlines() if line.startswith('{"type": "view"')]
    may, actions = views[-1]["may"], status.actions
    assert may.get("vote", False) == actions.skip == ("without Bo" in said["terminal"])
    assert may.get("break_off", False) == actions.abort == ("break" in said["terminal"])
    assert may["leave"] == actions.leave == ("leave" in said["terminal"])
    assert may["voters"] == actions.voters and may["votes_needed"] == actions.skip_needs


def test_a_lobby(sentences: Notices, tmp_path: Path) -> None:
    """Who is there, and what the host is asked: on pages in one message; the roles tell the others, event by event."""
    circle = Circle(3).greet()
    host: Participant = circle.people[0]
    offer = next(one for one in host.offers if one.name == "Bo")
    question = LobbyQuestion(Asked.SIT, "Bo", offer.key)
    times = TableTimes()
    times.observe(host, 0.0)
    status = table_status(host, times, seats=3, question=question)
    with all_front_ends(sentences, tmp_path) as ends:
        for end, front in ends.items():
            front.ui.status(status)
            said = front.said()
            if end in ("page", "tab"):
                assert '"lobby"' in said and '"Bo"' in said and '"Cy"' in said
            else:
                assert said == ""
