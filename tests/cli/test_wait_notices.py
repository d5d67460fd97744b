"""What is said when nothing comes."""

from __future__ import annotations

from typing import Any

import pytest

from engine.circle import Circle
from nodealer.cli.screen import Screen
from nodealer.cli.wait_notices import WaitNotices
from nodealer.client.event_json import event_json
from nodealer.client.events import TableEvent


class Noting(Screen):
    """A screen that only notes events."""

    def __init__(self) -> None:
        super().__init__(json=True)
        self.noted: list[dict[str, Any]] = []

    def emit(self, event: TableEvent) -> None:
        if (line := event_json(event)) is not None:
            self.noted.append(line)


def test_a_relay_that_promises_more_than_it_brings() -> None:
    """Whoever believes it signs nothing, and nobody would know why."""
    circle = Circle().play(until=lambda circle: len(circle.frames) == 12)
    screen = Noting()
    attention, one = WaitNotices(screen, (), after=5.0), circle.sit(circle.homes[0])
    one.resend(1000)
    now = 0.0
    for number, frame in enumerate(circle.frames):
        now += 4.0
        one.receive(frame, number)
        attention.on_tick(one, now)
    assert [event for event in screen.noted if event["event"] == "missing"] == [], "as long as they come"
    for _ in range(3):
        now += 4.0
        attention.on_tick(one, now)
    assert [event for event in screen.noted if event["event"] == "missing"] == [{"event": "missing", "frames": 988}]


def test_a_person_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    one = Circle().people[0]
    attention = WaitNotices(Screen(json=False), (), after=5.0)
    one.resend(7)
    for now in (0.0, 6.0):
        attention.on_tick(one, now)
    assert "this table has 7 more messages" in capsys.readouterr().out.replace("\n", " ")


def test_what_came_while_there_was_no_connection_is_not_missing_at_once() -> None:
    """It comes over the new one: only if it does not, there is something to say."""
    circle = Circle().play(until=lambda circle: len(circle.frames) == 12)
    screen = Noting()
    attention, one = WaitNotices(screen, (), after=5.0), circle.sit(circle.homes[0])
    for number, frame in enumerate(circle.frames):
        one.receive(frame, number)
    attention.on_tick(one, 0.0)
    one.resend(13)
    attention.on_tick(one, 60.0)
    assert not [event for event in screen.noted if event["event"] == "missing"]
    attention.on_tick(one, 65.0)
    assert [event for event in screen.noted if event["event"] == "missing"] == [{"event": "missing", "frames": 1}]
