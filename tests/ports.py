"""Ports for programs that are told where to listen.

A port that the system gives and takes back is given to somebody else in the moment before it is used: another test that
asks for one gets it. These are below those that systems give, and each worker has some of its own.
"""

from __future__ import annotations

import itertools
import os
import socket
from contextlib import suppress
from typing import Final

#: Above one that browsers do not open, and all of them below 32,768, where Linux begins to give.
_FIRST: Final = 11_000
#: How many a worker has; how many workers of one run have different ones; and how many runs at once.
_EACH, _WORKERS, _RUNS = 100, 8, 25

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_mine = _FIRST + _EACH * (os.getppid() % _RUNS * _WORKERS + _worker % _WORKERS)
_drawn = itertools.count()


def is_open(port: int) -> bool:
    """Return whether a program listens on this port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def free_port() -> int:
    """A port that nobody listens on, and that nobody else here will be told."""
    for _ in range(_EACH):
        port = _mine + next(_drawn) % _EACH
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
