"""A seat across the network, at a relay that says too much or too little."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.test_wait_notices import Noting
from engine.circle import Circle
from nodealer.cli.identity_prompt import contacts_in
from nodealer.cli.network_seat import LockedOut, SeatAgent, _Connection, _Watch
from nodealer.cli.notices import MissingFrames
from nodealer.cli.screen import Screen
from nodealer.cli.terminal_lobby import LobbyScreen
from nodealer.client.agents import Agent
from nodealer.client.contacts import ContactsRecorder
from nodealer.client.policies import Policy
from nodealer.client.relay_transport import Behind, KeyMissing, RelayFound, RelayLost, WriteRefused
from nodealer.engine.participant import Participant
from nodealer.errors import BadParameter, IllegalMove, RelayError
from nodealer.keys import Identity


def nobody(participant: Participant) -> tuple[Agent | None, Policy]:
    raise AssertionError("nobody sits yet")


def test_what_a_relay_holds_back_is_said_in_the_lobby_too() -> None:
    """Who waits at the door, or watches, and does not hear of it would wait for ever."""
    one, screen = Circle().people[0], Noting()
    chair = SeatAgent(one, MissingFrames(screen, 5.0), None, nobody)
    one.resend(7)
    for now in (0.0, 4.0, 6.0, 9.0):
        assert chair.on_tick(one, now) == []
    assert screen.noted == [{"event": "missing", "frames": 7}]


def test_a_relay_that_says_no_again_and_again_is_told_of_once() -> None:
    screen = Noting()
    connection = _Connection(screen, 1, patient=True)
    for _ in range(2):
        connection.tell(RelayFound("ws://a"))
        for number in range(100):
            connection.tell(WriteRefused("ws://a", f"no, for the {number}th time"))
    assert [event["what"] for event in screen.noted] == ["unheard", "unheard"], "once for each connection"


def test_a_relay_that_says_no_and_hangs_up_is_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A full table, say. Every new connection ends the same way, and is no news."""
    connection = _Connection(Screen(json=False), 1, patient=True)
    for _ in range(3):
        connection.tell(RelayFound("ws://a"))
        connection.tell(RelayLost("ws://a", "the relay ws://a refuses: all is full", 1.0, refused=True))
    said = capsys.readouterr().out
    assert said.count("The relay is rejecting your messages: the relay ws://a refuses: all is full.") == 1
    assert said.count("ws://a") == 1
    # When it has taken something, and then lost the connection, that is news, and so is its next no.
    connection.tell(RelayFound("ws://a"))
    connection.tell(RelayLost("ws://a", "the line broke", 1.0))
    connection.tell(RelayFound("ws://a"))
    connection.tell(WriteRefused("ws://a", "the relay ws://a refuses: all is full"))
    said = capsys.readouterr().out
    assert [said.count(one) for one in ("the line broke", "again.", "rejecting")] == [1, 1, 1]


def test_the_first_connection_is_told_of_once() -> None:
    """Then a host shows its link: who comes by it finds the table."""
    there: list[str] = []
    connection = _Connection(Noting(), 1, patient=True, there=lambda: there.append("there"))
    connection.tell(RelayLost("ws://a", "gone", 0.0))
    assert there == []
    for _ in range(2):
        connection.tell(RelayFound("ws://a"))
    assert there == ["there"]


def test_who_never_was_there_does_not_wait() -> None:
    connection = _Connection(Noting(), 2, patient=False)
    connection.tell(RelayLost("ws://a", "gone", 0.0))
    with pytest.raises(RelayError, match="gone"):
        connection.tell(RelayLost("ws://b", "gone", 0.0))


# --- Who comes to a table that plays ---


def test_who_asks_for_a_seat_is_looked_at_and_who_gets_one_is_remembered(tmp_path: Path) -> None:
    """As in the lobby: a name that has come with another key is pointed out."""
    known, screen = contacts_in(tmp_path), Noting()
    ada, ben, dan = (Identity(bytes([number]) * 32).public for number in (1, 2, 3))
    known.remember([("Dan", ben)], 1)
    asks = SimpleNamespace(roster=SimpleNamespace(digest=b"1"), who=SimpleNamespace(name="Dan", key=dan))
    members = [SimpleNamespace(name="Ada", key=ada, role="player")]
    one: Any = SimpleNamespace(is_in_roster=False, seat_requests=[asks], members=members)
    one.store = SimpleNamespace(identity=SimpleNamespace(public=ada))
    one.has_session = False
    acquaintance = ContactsRecorder(one, known, LobbyScreen(screen), lambda: 7)
    acquaintance.update()
    assert screen.noted == [], "who only looks on has no say in it"
    one.is_in_roster = True
    acquaintance.update()
    acquaintance.update()
    assert screen.noted == [{"event": "player", "name": "Dan", "key": dan.hex(), "sight": "other key"}]
    one.has_session = True
    acquaintance.update()
    assert [met.key for met in known.all] == [ben]
    members.append(SimpleNamespace(name="Dan", key=dan, role="player"))
    acquaintance.update()
    assert {met.key for met in known.all} == {ben, dan}


# --- A table that plays without this player ---


class LeftOut:
    """Somebody who has come to a table at which others play."""

    def __init__(self, refusal: str = "") -> None:
        self.is_in_roster = self.has_seat = self.is_over = self.is_catching_up = False
        self.members = [SimpleNamespace(name="Ada", role="player"), SimpleNamespace(name="Clock", role="timekeeper")]
        self.store = SimpleNamespace(identity=SimpleNamespace(public=bytes(32)))
        self._refusal = refusal

    def request_seat(self) -> list[bytes]:
        if self._refusal:
            raise IllegalMove(self._refusal)
        return [b"a seat, please"]


def left_out(one: LeftOut, *, ask: bool) -> tuple[Any, Noting]:
    screen = Noting()
    watch: Any = _Watch.__new__(_Watch)
    watch._participant, watch._asked = one, False
    watch._sitting = SimpleNamespace(watches=False, ask=ask, screen=screen)
    return watch, screen


def test_who_asks_for_a_seat_asks_once_and_when_all_is_heard() -> None:
    one = LeftOut()
    watch, screen = left_out(one, ask=True)
    one.is_catching_up = True
    assert watch._ask_for_seat() == []
    one.is_catching_up = False
    assert [watch._ask_for_seat(), watch._ask_for_seat()] == [[b"a seat, please"], []]
    assert screen.noted == [{"event": "asks", "players": "Ada"}], "the timekeeper plays nothing"


def test_there_is_no_seat_where_nobody_asks_or_none_is_to_be_had() -> None:
    ended = LeftOut()
    ended.is_over = True
    for one, ask, said in (
        (LeftOut(), False, "no seat for you"),
        (ended, True, "no seat for you"),
        (LeftOut("the table is full"), True, "the table is full"),
    ):
        with pytest.raises(BadParameter, match=said):
            left_out(one, ask=ask)[0]._ask_for_seat()


def test_who_is_taken_out_is_told_so_and_does_not_wait() -> None:
    """With --ask it asks for its seat again."""
    one = LeftOut()
    one.has_seat = True
    watch, screen = left_out(one, ask=False)
    with pytest.raises(LockedOut):
        watch._ask_for_seat()
    assert screen.noted == [{"event": "removed"}]
    assert left_out(one, ask=True)[0]._ask_for_seat() == [b"a seat, please"]


def test_who_hears_of_a_later_key_is_told_and_goes_on() -> None:
    screen = Noting()
    _Connection(screen, 1, patient=True).tell(Behind("ws://a"))
    assert [event["what"] for event in screen.noted] == ["behind"]


def test_who_has_not_got_the_key_does_not_wait() -> None:
    screen = Noting()
    with pytest.raises(LockedOut):
        _Connection(screen, 1, patient=True).tell(KeyMissing("ws://a", 1))
    assert [event["what"] for event in screen.noted] == ["locked"]
