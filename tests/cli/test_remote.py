"""A seat across the network, at a relay that says too much or too little."""

from __future__ import annotations

import pytest

from cli.test_attention import Noting
from nodealer.cli.noticing import Missing
from nodealer.cli.remote import Chair, _Connection
from nodealer.drive.minds import Mind
from nodealer.drive.patience import Looks
from nodealer.drive.sealed import Found, Lost, Unheard
from nodealer.errors import RelayError
from nodealer.play.participant import Participant
from play.circle import Circle


def nobody(participant: Participant) -> tuple[Mind | None, Looks]:
    raise AssertionError("nobody sits yet")


def test_what_a_relay_holds_back_is_said_in_the_lobby_too() -> None:
    """Who waits at the door, or watches, and does not hear of it would wait for ever."""
    one, screen = Circle().people[0], Noting()
    chair = Chair(one, Missing(screen, 5.0), None, nobody)
    one.resend(7)
    for now in (0.0, 4.0, 6.0, 9.0):
        assert chair.look(one, now) == []
    assert screen.noted == [{"event": "missing", "frames": 7}]


def test_a_relay_that_says_no_again_and_again_is_told_of_once() -> None:
    screen = Noting()
    connection = _Connection(screen, 1, patient=True)
    for _ in range(2):
        connection.tell(Found("ws://a"))
        for number in range(100):
            connection.tell(Unheard("ws://a", f"no, for the {number}th time"))
    assert [event["what"] for event in screen.noted] == ["unheard", "unheard"], "once for each connection"


def test_who_never_was_there_does_not_wait() -> None:
    connection = _Connection(Noting(), 2, patient=False)
    connection.tell(Lost("ws://a", "gone", 0.0))
    with pytest.raises(RelayError, match="gone"):
        connection.tell(Lost("ws://b", "gone", 0.0))
