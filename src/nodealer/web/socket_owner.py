"""Finds out whether a loopback connection comes from another user, on systems that tell.

The token is in the command line of the browser that is opened, which every user of a machine can read. And browsers
send a cookie to every port of a host, even one on which another user listens. So neither is enough alone.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Where Linux lists connections, with one line for each end. Other systems do not have this.
TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED: Final = "01"
_ROOT: Final = 0

Address = tuple[str, int]


def list_connections() -> list[str]:
    """Return all TCP connections, one line each, as the system lists them."""
    lines: list[str] = []
    for table in TABLES:
        with suppress(OSError):
            lines += table.read_text("ascii", errors="replace").splitlines()[1:]
    return lines


def is_other_user(client: Address, server: Address, lines: Callable[[], Iterable[str]] = list_connections) -> bool:
    """Return whether another user made this connection. Root does not count: root can read everything anyway."""
    here, there, users, found = _hex(server), _hex(client), set[int](), False
    for line in lines():
        fields = line.split()
        if len(fields) < 8:
            continue
        local, remote = _as_ipv4(fields[1]), _as_ipv4(fields[2])
        if (local, remote) == (here, there):
            found = True
        elif (local, remote, fields[3]) == (there, here, _ESTABLISHED):
            users.add(int(fields[7]))
    # A connection already closed at the other end has no owner any more, and needs no answer.
    return found and not (users and users <= {os.getuid(), _ROOT})


def _hex(address: Address) -> str:
    """Format an address as the system lists it: in the byte order of this machine."""
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{number:08X}:{address[1]:04X}"


def _as_ipv4(listed_address: str) -> str:
    """Shorten a listed address to IPv4: its last four bytes, even if it is written as IPv6."""
    host, _, port = listed_address.partition(":")
    return f"{host[-8:]}:{port}"
