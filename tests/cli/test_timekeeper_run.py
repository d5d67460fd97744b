"""`nodealer timekeeper`: where it keeps what it has said, and what it tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nodealer.cli import timekeeper_run
from nodealer.cli.screen import Screen
from nodealer.cli.timekeeper_process import TimekeeperConfig
from nodealer.cli.timekeeper_run import _Reporter, keep_the_time
from nodealer.client.relay_transport import Behind, RelayFound, RelayLost, WriteRefused
from nodealer.errors import BadParameter
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret

INVITATION = Invitation(("ws://relay.example",), TableSecret(bytes(16), "ab" * 16, 0), bytes(16))


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The homes of the timekeepers that were started."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    started: list[str] = []

    async def keep(order: TimekeeperConfig, *tell: object) -> None:
        started.append(order.home)

    monkeypatch.setattr(timekeeper_run, "keep", keep)
    return started


def test_a_home_belongs_to_the_whole_link(homes: list[str]) -> None:
    """A relay knows the number of a table. With another key, or another host, it is another table."""
    others = [
        replace(INVITATION, key=TableSecret(bytes(15) + b"x", "ab" * 16, 0)),
        replace(INVITATION, host=bytes(15) + b"x"),
    ]
    moved = replace(INVITATION, relays=("ws://elsewhere.example",))
    for one in (INVITATION, INVITATION, moved, *others):
        assert keep_the_time(one.link, name="Clock", game=None, json=True) == 0
    first, again, elsewhere, *false = homes
    assert first == again == elsewhere, "it goes on where it was, also where the relay has moved"
    assert len({first, *false}) == 3


def test_who_may_only_watch_keeps_no_time(homes: list[str]) -> None:
    with pytest.raises(BadParameter, match="spectator link"):
        keep_the_time(INVITATION.for_spectators().link, name="Clock", game=None, json=True)
    assert not homes


def test_it_tells_what_its_relay_does_not_take_once_for_each_connection(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever keeps the time, and is not heard, keeps it for nobody."""
    told = _Reporter(Screen(json=False))
    for _ in range(2):
        told.line(RelayFound("ws://a"))
        for number in range(3):
            told.line(WriteRefused("ws://a", f"the relay ws://a refuses: no, {number}"))
        # A relay that hangs up with its no: the next connection is no news.
        told.line(RelayLost("ws://a", "the relay ws://a refuses: no", 1.0, refused=True))
        told.line(RelayFound("ws://a"))
        told.line(RelayLost("ws://a", "the line broke", 1.0))
    told.line(Behind("ws://a"))
    said = capsys.readouterr().out
    assert (
        said.count("The relay is rejecting your messages: the relay ws://a refuses: no, 0")
        == said.count("rejecting")
        == 2
    )
    assert said.count("Connected") == 2
    assert "The relay ws://a delivers messages with a newer key" in said
