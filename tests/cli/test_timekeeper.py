"""`nodealer timekeeper`: where it keeps what it has said, and what it tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cli.running import called
from nodealer.cli.timekeeper_ui import TimekeeperUI
from nodealer.client import events
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.relay_transport import Behind, RelayFound, RelayLost, WriteRefused
from nodealer.client.timekeeper_process import timekeeper_config
from nodealer.errors import BadParameter
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret

INVITATION = Invitation(("ws://relay.example",), TableSecret(bytes(16), "ab" * 16, 0), bytes(16))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_home_belongs_to_the_whole_link() -> None:
    """A relay knows the number of a table. With another key, or another host, it is another table."""
    others = [
        replace(INVITATION, key=TableSecret(bytes(15) + b"x", "ab" * 16, 0)),
        replace(INVITATION, host=bytes(15) + b"x"),
    ]
    moved = replace(INVITATION, relays=("ws://elsewhere.example",))
    homes = [timekeeper_config(one, name="Clock", game=None).home for one in (INVITATION, INVITATION, moved, *others)]
    first, again, elsewhere, *false = homes
    assert first == again == elsewhere, "it goes on where it was, also where the relay has moved"
    assert len({first, *false}) == 3


def test_who_may_only_watch_keeps_no_time(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="spectator link"):
        timekeeper_config(INVITATION.for_spectators(), name="Clock", game=None)
    assert not list(tmp_path.iterdir())


def test_it_says_that_there_is_no_relay() -> None:
    here = replace(INVITATION, relays=("ws://127.0.0.1:9",))
    done = called("timekeeper", here.link)
    assert done.returncode == 4 and "cannot connect to a relay" in done.stderr and not done.stdout


def test_it_tells_what_its_relay_does_not_take_once_for_each_connection(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever keeps the time, and is not heard, keeps it for nobody."""
    told = ConnectionMonitor(TimekeeperUI(json=False).show, shows_first=True)
    for _ in range(2):
        told(RelayFound("ws://a"))
        for number in range(3):
            told(WriteRefused("ws://a", f"the relay ws://a refuses: no, {number}"))
        # A relay that hangs up with its no: the next connection is no news.
        told(RelayLost("ws://a", "the relay ws://a refuses: no", 1.0, refused=True))
        told(RelayFound("ws://a"))
        told(RelayLost("ws://a", "the line broke", 1.0))
    told(Behind("ws://a"))
    said = capsys.readouterr().out
    assert (
        said.count("The relay is rejecting your messages: the relay ws://a refuses: no, 0")
        == said.count("rejecting")
        == 2
    )
    assert said.count("Connected") == 2
    assert "The relay ws://a delivers messages with a newer key" in said


def test_its_lines_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    ui = TimekeeperUI(json=True)
    for event in (
        events.ConnectionChanged("found", "ws://a"),
        events.PlayersHere(("Ada", "Ben"), True),
        events.ConnectionChanged("lost", "ws://a", "the line broke"),
        events.ConnectionChanged("unheard", "ws://a", "full"),
        events.ConnectionChanged("behind", "ws://a"),
        events.TimeIsUp("Ben"),
    ):
        ui.show(event)
    assert capsys.readouterr().out.splitlines() == [
        '{"event":"connection","relay":"ws://a"}',
        '{"event":"lobby","players":["Ada","Ben"]}',
        '{"event":"unheard","relay":"ws://a"}',
        '{"event":"behind","relay":"ws://a"}',
        '{"event":"late","seat":-1,"name":"Ben"}',
    ]
