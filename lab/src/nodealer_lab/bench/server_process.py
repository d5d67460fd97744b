"""A server in its own process, with its resource usage as the system reports it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from nodealer.errors import BadParameter
from nodealer_lab.bench import servers

#: How many seconds a server may take to exit.
_END: Final = 20.0


class Server:
    """One of `servers`, running while the context lasts."""

    def __init__(self, kind: str, *arguments: str) -> None:
        """Start a server of this kind in a new process and read its port. Raise `BadParameter` if it does not start."""
        command = [sys.executable, "-P", servers.__file__, kind, *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._process.stdin is None or self._process.stdout is None:
            raise BadParameter("a server without pipes")
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        try:
            self.port = int(self._stdout.readline())
        except ValueError:
            self.end()
            raise BadParameter(f"the server {kind} does not start") from None

    def end(self) -> None:
        """Ask the process to exit, and kill it if it does not."""
        self._stdin.close()
        try:
            self._process.wait(_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def cpu(self) -> float:
        """Seconds of processor time of all its threads, user and system."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def resident(self) -> int:
        """Bytes of memory in use now."""
        return int(self._proc("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def peak(self) -> int:
        """The peak memory in bytes."""
        line = next(line for line in self._proc("status").splitlines() if line.startswith("VmHWM"))
        return 1024 * int(line.split()[1])

    def _proc(self, name: str) -> str:
        """Return the text of a file that Linux keeps about the process, such as `status`."""
        return Path(f"/proc/{self._process.pid}/{name}").read_text()
