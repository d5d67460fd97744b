"""Whose a connection on loopback is, as Linux lists it."""

from __future__ import annotations

import os
import socket
import sys

import pytest

from nodealer.web.socket_owner import is_other_user, list_connections

CLIENT, SERVER = ("127.0.0.1", 40001), ("127.0.0.1", 8001)
HOST = "0100007F" if sys.byteorder == "little" else "7F000001"
LONG = "0000000000000000FFFF0000" + HOST
OTHER = os.getuid() + 1


def line(local: str, remote: str, user: int, state: str = "01") -> str:
    return f"   0: {local} {remote} {state} 00000000:00000000 00:00000000 00000000 {user:5}        0 575 1 0"


THERE = line(f"{HOST}:1F41", f"{HOST}:9C41", 0)


@pytest.mark.parametrize(
    ("lines", "stranger"),
    [
        ([], False),
        (["", "sl local"], False),
        ([THERE, line(f"{HOST}:9C41", f"{HOST}:1F41", os.getuid())], False),
        ([THERE, line(f"{HOST}:9C41", f"{HOST}:1F41", 0)], False),
        ([THERE, line(f"{LONG}:9C41", f"{LONG}:1F41", os.getuid())], False),
        ([THERE, line(f"{HOST}:9C41", f"{HOST}:1F41", OTHER)], True),
        ([THERE, line(f"{LONG}:9C41", f"{LONG}:1F41", OTHER)], True),
        # Closed at its end: the system forgets whose it was, and says root.
        ([THERE, line(f"{HOST}:9C41", f"{HOST}:1F41", 0, "05")], True),
        ([THERE, line(f"{HOST}:9C42", f"{HOST}:1F41", os.getuid())], True),
        ([THERE], True),
    ],
)
def test_only_this_user_and_root_are_no_strangers(lines: list[str], stranger: bool) -> None:
    assert is_other_user(CLIENT, SERVER, lambda: lines) is stranger


@pytest.mark.skipif(not list_connections(), reason="this system does not tell whose a connection is")
def test_a_connection_of_ones_own_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        with socket.create_connection(address) as client:
            accepted, peer = listening.accept()
            with accepted:
                assert not is_other_user(peer, address)
                client.shutdown(socket.SHUT_WR)
                assert is_other_user(peer, address)
