"""Whose the other end of a connection on loopback is, where the system tells.

The token stands in the command line of the browser that is opened, which every user of a machine can read; and a
browser sends a cookie to every port of a host, also to one that another user listens on. So neither is enough alone.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Where Linux lists connections, each end in a line of its own. Other systems tell nobody.
TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED: Final = "01"
_ROOT: Final = 0

Address = tuple[str, int]


def listed() -> list[str]:
    """All connections, as the system lists them."""
    lines: list[str] = []
    for table in TABLES:
        with suppress(OSError):
            lines += table.read_text("ascii", errors="replace").splitlines()[1:]
    return lines


def is_stranger(client: Address, server: Address, lines: Callable[[], Iterable[str]] = listed) -> bool:
    """Whether another user has made this connection. Root is none: it can read everything anyway."""
    near, far, users, told = _hex(server), _hex(client), set[int](), False
    for line in lines():
        fields = line.split()
        if len(fields) < 8:
            continue
        local, remote = _short(fields[1]), _short(fields[2])
        if (local, remote) == (near, far):
            told = True
        elif (local, remote, fields[3]) == (far, near, _ESTABLISHED):
            users.add(int(fields[7]))
    # One that has been closed at its end is of nobody any more, and needs no answer.
    return told and not (users and users <= {os.getuid(), _ROOT})


def _hex(address: Address) -> str:
    """An address as it is listed: in the order of this machine's bytes."""
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{number:08X}:{address[1]:04X}"


def _short(listed_address: str) -> str:
    """The last four bytes are the address, also where one of sixteen stands for it."""
    host, _, port = listed_address.partition(":")
    return f"{host[-8:]}:{port}"
