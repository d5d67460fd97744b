"""NATS servers for tests: a single one, or a cluster of three; they can be killed and restarted."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import pytest

from ports import free_port


class NatsServer:
    """One server with its own folder."""

    def __init__(self, folder: Path, *options: str, port: int | None = None) -> None:
        self.port = free_port() if port is None else port
        self.url = f"nats://127.0.0.1:{self.port}"
        self._options = ["-a", "127.0.0.1", "-p", str(self.port), *options]
        self._log = folder.with_suffix(".log")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        # Debian installs it in a folder that is only on the superuser's PATH.
        program = shutil.which("nats-server", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            pytest.fail("nats-server is missing; on Debian: apt-get install nats-server", pytrace=False)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([program, *self._options], stdout=log, stderr=log)
        self._wait()

    def _wait(self) -> None:
        for _ in range(2000):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.025)
            else:
                return
        pytest.fail(f"nats-server does not start: {self._log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill the server at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self) -> NatsServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def with_jetstream(folder: Path) -> NatsServer:
    """Return a server with JetStream that stores its data in this folder."""
    return NatsServer(folder, "-js", "-sd", str(folder))


@contextmanager
def cluster(folder: Path) -> Iterator[Sequence[NatsServer]]:
    """Run three servers that store everything three times."""
    ports, routes = ([free_port() for _ in range(3)] for _ in range(2))
    addresses = ",".join(f"nats://127.0.0.1:{route}" for route in routes)
    servers = []
    for number, (port, route) in enumerate(zip(ports, routes, strict=True)):
        here = folder / f"server{number}"
        options = ["-js", "-sd", str(here), "-n", f"server{number}", "--cluster_name", "tests"]
        options += ["--cluster", f"nats://127.0.0.1:{route}", "--routes", addresses]
        servers.append(NatsServer(here, *options, port=port))
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.kill()
