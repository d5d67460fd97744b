"""What is said when nothing comes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client.looking import status_at
from engine.circle import Circle
from nodealer.cli.json_ui import JsonUI
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.client.changes import events_between
from nodealer.client.status import TableStatus, TableTimes
from nodealer.client.ui import UI
from nodealer.engine.participant import Participant


class Watch:
    """Shows one participant's table at the times that the test says."""

    def __init__(self, one: Participant, ui: UI) -> None:
        self._one, self._ui, self._times = one, ui, TableTimes()
        self._before: TableStatus | None = None

    def look(self, now: float) -> None:
        status = status_at(self._one, now, self._times)
        for event in events_between(self._before, status, 5.0):
            self._ui.show(event)
        self._ui.status(status)
        self._before = status


def missing(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [event for event in events if event["event"] == "missing"]


def test_a_relay_that_promises_more_than_it_brings(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever believes it signs nothing, and nobody would know why."""
    circle = Circle().play(until=lambda circle: len(circle.frames) == 12)
    one = circle.sit(circle.homes[0])
    watch = Watch(one, JsonUI())
    one.resend(1000)
    now = 0.0
    for number, frame in enumerate(circle.frames):
        now += 4.0
        one.receive(frame, number)
        watch.look(now)
    assert missing(capsys) == [], "as long as they come"
    for _ in range(3):
        now += 4.0
        watch.look(now)
    assert missing(capsys) == [{"event": "missing", "frames": 988}]


def test_a_person_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    one = Circle().people[0]
    watch = Watch(one, TerminalUI(name=None, network=True))
    one.resend(7)
    for now in (0.0, 6.0):
        watch.look(now)
    assert "this table has 7 more messages" in capsys.readouterr().out.replace("\n", " ")


def test_what_came_while_there_was_no_connection_is_not_missing_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """It comes over the new one: only if it does not, there is something to say."""
    circle = Circle().play(until=lambda circle: len(circle.frames) == 12)
    one = circle.sit(circle.homes[0])
    watch = Watch(one, JsonUI())
    for number, frame in enumerate(circle.frames):
        one.receive(frame, number)
    watch.look(0.0)
    one.resend(13)
    watch.look(60.0)
    assert not missing(capsys)
    watch.look(65.0)
    assert missing(capsys) == [{"event": "missing", "frames": 1}]
