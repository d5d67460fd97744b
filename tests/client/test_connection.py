"""What a person is told about the connection: the same rules for the network, a table on this machine and a tab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from nodealer.client.connection import ConnectionMonitor, LockedOut
from nodealer.client.events import ConnectionChanged
from nodealer.client.relay_transport import Behind, ConnectionEvent, KeyMissing, RelayFound, RelayLost, WriteRefused
from nodealer.errors import RelayError

A, B = "ws://a", "ws://b"
FOUND, LOST, KEY = RelayFound(A), RelayLost(A, "no answer", 0.5), KeyMissing(A, 1)
BEHIND, REJECTED = Behind(A), WriteRefused(A, "full")
CUT_OFF = RelayLost(A, "too fast", 0.5, refused=True)


def reports(*events: ConnectionEvent, **options: Any) -> list[str]:
    """Return what is shown for these reports, and how it ends."""
    shown: list[ConnectionChanged] = []
    monitor = ConnectionMonitor(shown.append, **options)
    for event in events:
        try:
            monitor(event)
        except (RelayError, LockedOut) as error:
            return [*(one.what for one in shown), type(error).__name__]
    return [one.what for one in shown]


@pytest.mark.parametrize(
    ("events", "options", "shown"),
    [
        # A user who comes for the first time does not wait for a relay that is not there.
        ([LOST], {}, ["RelayError"]),
        ([LOST, RelayLost(B, "no answer", 0.5)], {"relays": 2}, ["RelayError"]),
        ([LOST, RelayFound(B)], {"relays": 2}, ["found"]),
        # One who was there before does, and one who has found it once.
        ([LOST, LOST, LOST, FOUND], {"patient": True}, ["lost", "found"]),
        ([FOUND, LOST, LOST, LOST, FOUND, LOST], {}, ["lost", "found", "lost"]),
        # The first connection is not worth a line.
        ([FOUND], {}, []),
        ([FOUND, FOUND], {}, []),
        # A relay that rejects messages is shown once, however often it does, until it takes some again.
        ([FOUND, REJECTED, REJECTED], {}, ["unheard"]),
        ([FOUND, CUT_OFF, FOUND, CUT_OFF, FOUND, CUT_OFF], {}, ["unheard"]),
        ([FOUND, REJECTED, LOST, FOUND, REJECTED], {}, ["unheard", "lost", "found", "unheard"]),
        # That a relay may withhold something is always shown, and no reconnect takes it back.
        ([FOUND, BEHIND, LOST, FOUND, BEHIND], {}, ["behind", "lost", "found", "behind"]),
        # Without the key there is nothing more to read.
        ([FOUND, KEY], {}, ["locked", "LockedOut"]),
        ([FOUND, KEY], {"local": True}, ["locked", "LockedOut"]),
        # The relay of this machine is a process, and does not come back: one retry, without a word.
        ([LOST], {"local": True}, ["RelayError"]),
        ([FOUND, LOST, FOUND, LOST, FOUND], {"local": True}, []),
        ([FOUND, LOST, LOST], {"local": True}, ["RelayError"]),
        ([FOUND, CUT_OFF, FOUND, CUT_OFF], {"local": True}, ["unheard"]),
        ([FOUND, CUT_OFF, CUT_OFF], {"local": True}, ["unheard", "RelayError"]),
        ([FOUND, BEHIND, REJECTED], {"local": True}, ["behind", "unheard"]),
    ],
)
def test_what_is_shown(events: Sequence[ConnectionEvent], options: dict[str, Any], shown: list[str]) -> None:
    assert reports(*events, **options) == shown


def test_why_and_where() -> None:
    shown: list[ConnectionChanged] = []
    monitor = ConnectionMonitor(shown.append)
    for event in (FOUND, REJECTED, FOUND, CUT_OFF, FOUND, LOST):
        monitor(event)
    assert shown == [
        ConnectionChanged("unheard", A, "full"),
        ConnectionChanged("unheard", A, "too fast", retrying=True),
        ConnectionChanged("lost", A, "no answer"),
    ]
    with pytest.raises(RelayError, match="no answer"):
        ConnectionMonitor(shown.append)(LOST)


def test_the_address_of_a_relay_on_this_machine_means_nothing() -> None:
    shown: list[ConnectionChanged] = []
    monitor = ConnectionMonitor(shown.append, local=True)
    for event in (FOUND, BEHIND, REJECTED):
        monitor(event)
    assert [one.relay for one in shown] == [None, None]


def test_the_first_connection_is_reported_to_the_caller() -> None:
    found: list[int] = []
    monitor = ConnectionMonitor(lambda event: None, patient=True, on_found=lambda: found.append(1))
    monitor(LOST)
    assert not found
    for event in (FOUND, LOST, FOUND):
        monitor(event)
    assert found == [1]
