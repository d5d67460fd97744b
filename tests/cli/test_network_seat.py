"""A seat across the network as a person and a program see it, at a relay that says too much or too little."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client.scene import Person, Recorder, Scene, played, playing, voted_out
from engine.circle import Circle
from nodealer.cli.front_end import create_ui
from nodealer.cli.identity_prompt import contacts_in
from nodealer.client.changes import events_between
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.contacts import ContactsRecorder
from nodealer.client.event_json import event_json
from nodealer.client.events import ConnectionChanged, SeatLost
from nodealer.client.relay_transport import Behind, RelayFound, RelayLost, WriteRefused
from nodealer.client.status import TableStatus, TableTimes, table_status
from nodealer.client.ui import UI
from nodealer.engine.participant import Participant
from nodealer.keys import Identity
from nodealer.relay.sealing import TableSecret

#: What a program reads, and what a person does.
FRONT_ENDS = pytest.mark.parametrize("as_json", [True, False], ids=["JSON", "terminal"])
#: After how many seconds notices come: for programs, and for people at a terminal.
NOTICES_AFTER = (5.0, 20.0)


def front(*, as_json: bool) -> UI:
    return create_ui(json=as_json, name=None, network=True)


class Output:
    """What was printed since the last look: lines for a program, or the words on one line for a person."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
        self._capsys = capsys
        self._as_json = as_json

    def count(self, kind: str, sentence: str) -> int:
        out = self._capsys.readouterr().out
        if self._as_json:
            return [f"{line.get('event')} {line.get('what', '')}".strip() for line in _lines(out)].count(kind)
        return " ".join(out.split()).count(sentence)


def _lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("notice_after", NOTICES_AFTER)
@FRONT_ENDS
def test_what_a_relay_holds_back_is_said_in_the_lobby_too(
    capsys: pytest.CaptureFixture[str], *, as_json: bool, notice_after: float
) -> None:
    """Players who wait in a lobby, or watch, and do not hear of it would wait forever."""
    one, ui, output = Circle().people[0], front(as_json=as_json), Output(capsys, as_json=as_json)
    times, before = TableTimes(), None
    one.resend(7)
    for now in (0.0, 4.0, 6.0, 9.0):
        before = _look(one, times, now, before, notice_after, ui.show)
    assert output.count("missing", "this table has 7 more messages") == 1


def _look(
    one: Participant,
    times: TableTimes,
    now: float,
    before: TableStatus | None,
    notice_after: float,
    show: Callable[[Any], None],
) -> TableStatus:
    """Look at the table as a client does, and return how it stands."""
    times.observe(one, now)
    status = table_status(one, times)
    for event in events_between(before, status, notice_after):
        show(event)
    return status


def test_a_relay_that_says_no_again_and_again_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    connection = ConnectionMonitor(front(as_json=True).show, 1, patient=True)
    for _ in range(2):
        connection(RelayFound("ws://a"))
        for number in range(100):
            connection(WriteRefused("ws://a", f"no, for the {number}th time"))
    told = _lines(capsys.readouterr().out)
    assert [event["what"] for event in told] == ["unheard", "unheard"], "once for each connection"


def test_a_relay_that_says_no_and_hangs_up_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A full table, say. Every new connection ends the same way, and is no news."""
    connection = ConnectionMonitor(front(as_json=False).show, 1, patient=True)
    for _ in range(3):
        connection(RelayFound("ws://a"))
        connection(RelayLost("ws://a", "the relay ws://a refuses: all is full", 1.0, refused=True))
    said = capsys.readouterr().out
    assert said.count("The relay is rejecting your messages: the relay ws://a refuses: all is full.") == 1
    assert said.count("ws://a") == 1
    # When it has taken something, and then lost the connection, that is news, and so is its next no.
    connection(RelayFound("ws://a"))
    connection(RelayLost("ws://a", "the line broke", 1.0))
    connection(RelayFound("ws://a"))
    connection(WriteRefused("ws://a", "the relay ws://a refuses: all is full"))
    said = capsys.readouterr().out
    assert [said.count(one) for one in ("the line broke", "again.", "rejecting")] == [1, 1, 1]


@FRONT_ENDS
def test_a_relay_that_may_withhold_a_key_is_named_each_time(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    """A reconnect does not take it back: the player is told again, and goes on."""
    output = Output(capsys, as_json=as_json)
    connection = ConnectionMonitor(front(as_json=as_json).show, 1, patient=True)
    for event in (RelayFound("ws://a"), Behind("ws://a"), RelayLost("ws://a", "gone", 0.0), RelayFound("ws://a")):
        connection(event)
    connection(Behind("ws://a"))
    assert output.count("connection behind", "withholding") == 2


@FRONT_ENDS
def test_a_relay_that_takes_nothing_says_so_at_the_table(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    async def work(table: Scene) -> None:
        table.host()
        await table.people[0].ui.until_status(lambda status: status.frames)
        other = TableSecret(os.urandom(16), table.invitation.table, 0)
        wrong = replace(table.invitation, key=other)
        guest = table.guest("Ben", invitation=wrong, front=front(as_json=as_json))
        await guest.ui.until(ConnectionChanged)

    played(work)
    assert Output(capsys, as_json=as_json).count("connection unheard", "The relay is rejecting your messages") == 1


# --- Who comes to a table that plays ---


def test_who_asks_for_a_seat_is_looked_at_and_who_gets_one_is_remembered(tmp_path: Path) -> None:
    """As in the lobby: a name that has come with another key is pointed out."""
    known, ui = contacts_in(tmp_path), Recorder()
    ada, ben, dan = (Identity(bytes([number]) * 32).public for number in (1, 2, 3))
    known.remember([("Dan", ben)], 1)
    asks = SimpleNamespace(roster=SimpleNamespace(digest=b"1"), who=SimpleNamespace(name="Dan", key=dan))
    members = [SimpleNamespace(name="Ada", key=ada, role="player")]
    one: Any = SimpleNamespace(is_in_roster=False, seat_requests=[asks], members=members)
    one.store = SimpleNamespace(identity=SimpleNamespace(public=ada))
    one.has_session = False
    acquaintance = ContactsRecorder(one, known, ui.show, lambda: 7)
    acquaintance.update()
    assert ui.events == [], "who only looks on has no say in it"
    one.is_in_roster = True
    acquaintance.update()
    acquaintance.update()
    noted = [event_json(event) for event in ui.events]
    assert noted == [{"event": "player", "name": "Dan", "key": dan.hex(), "sight": "other key"}]
    one.has_session = True
    acquaintance.update()
    assert [met.key for met in known.all] == [ben]
    members.append(SimpleNamespace(name="Dan", key=dan, role="player"))
    acquaintance.update()
    assert {met.key for met in known.all} == {ben, dan}


@FRONT_ENDS
def test_who_asks_for_a_seat_is_told_once(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    async def work(table: Scene) -> None:
        host, _ = await playing(table, "Ben")
        late = table.guest("Dan", ask=True, front=front(as_json=as_json))
        await host.ui.until_status(lambda status: status.requests)
        await late.ui.until_status(lambda status: status.has_session and not status.is_catching_up)

    played(work)
    assert Output(capsys, as_json=as_json).count("asks", "You have asked Ada, Ben for a seat") == 1


# --- Who is voted out ---


@pytest.mark.parametrize("ask", [False, True], ids=["without --ask", "with --ask"])
@FRONT_ENDS
def test_who_is_voted_out_is_told_and_does_not_ask_again(
    capsys: pytest.CaptureFixture[str], *, as_json: bool, ask: bool
) -> None:
    """The program ends: to ask for another seat is up to the person, whatever they asked for when they came."""
    removed: list[Person] = []

    async def work(table: Scene) -> None:
        host, guest, out = await playing(table, "Ben", "Cleo")
        out = await table.back(out, ask=ask, front=front(as_json=as_json))
        await out.ui.until_status(lambda status: status.in_roster and not status.is_catching_up)
        await voted_out(host, guest)
        assert not (await out.ends()).is_in_roster
        removed.append(out)
        for person in (host, guest):
            await person.ends()

    played(work)
    assert len(removed[0].ui.all(SeatLost)) == 1
    out = capsys.readouterr().out
    if as_json:
        assert [line["event"] for line in _lines(out) if line["event"] in ("removed", "asks")] == ["removed"]
    else:
        assert out.count("The others go on without you") == 1 and "for a seat. Until" not in out
