"""The npm package `mental-poker` in Node, below tests/npm of a checkout, for games and benchmarks against it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from nodealer.errors import LocalError

FOLDER: Final = Path(__file__).parents[3] / "tests" / "npm"
#: The installation compiles an addon, which takes half a minute on a slow machine. An unreachable registry takes
#: longer.
INSTALL_SECONDS: Final = 300
#: Install exactly what the lock file says, each package checked against its hash.
_INSTALL: Final = ("ci", "--no-audit", "--no-fund", "--prefer-offline")
_TIMEOUTS: Final = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000")


class NpmMissing(LocalError):
    """The package is not available: no checkout, no node, no npm, or no registry."""


class NodeError(LocalError):
    """An error that the package or its process returned for a request."""


def install(folder: Path = FOLDER, *, find: Callable[[str], str | None] = shutil.which) -> Path:
    """Return the folder with the package, which npm installs the first time. Raise `NpmMissing` if it cannot."""
    if not all((folder / name).is_file() for name in ("package.json", "package-lock.json")):
        raise NpmMissing("the npm package is only available in a checkout")
    node, npm = find("node"), find("npm")
    if node is None or npm is None:
        raise NpmMissing(f"{'node' if node is None else 'npm'} is not installed; on Debian: apt-get install nodejs npm")
    with (folder / "package.json").open("rb") as package:
        # Tests and a benchmark may install it at the same time.
        fcntl.flock(package, fcntl.LOCK_EX)
        lock = (folder / "package-lock.json").read_bytes()
        wanted = sha256(package.read() + lock + subprocess.check_output([node, "--version"])).hexdigest()
        stamp = folder / "node_modules" / ".nodealer"
        if not stamp.is_file() or stamp.read_text() != wanted:
            shutil.rmtree(folder / "node_modules", ignore_errors=True)
            _run_or_kill([npm, *_INSTALL, *_TIMEOUTS], folder, _environment(node))
            stamp.write_text(wanted)
    return folder


def _environment(node: str) -> dict[str, str]:
    """Return the environment for npm.

    If Node's own headers lie beside it, the addon is built with them, and nothing is downloaded.
    """
    prefix = Path(node).resolve().parents[1]
    headers = (prefix / "include" / "node" / "node.h").is_file()
    return {**os.environ, **({"npm_config_nodedir": str(prefix)} if headers else {})}


def _run_or_kill(
    command: Sequence[str], folder: Path, environment: dict[str, str], seconds: float = INSTALL_SECONDS
) -> None:
    """Run a command to its end, or kill it with all its children. Raise `NpmMissing` if it fails or takes too long."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            code = process.wait(seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise NpmMissing(f"npm ci did not finish within {seconds} s") from None
            raise
        if code != 0:
            output.seek(0)
            last = [line for line in output.read().decode(errors="replace").splitlines() if "npm error" in line][:3]
            raise NpmMissing(f"npm ci failed with {code}: {' '.join(last)}")


class NodeSeat:
    """A Node process that runs seat.js. Points and secrets are passed as hex."""

    def __init__(self, folder: Path) -> None:
        """Start the program of the npm package in Node, with pipes for requests and answers."""
        command = [shutil.which("node") or "node", "seat.js"]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        # Closing its input ends the process. Popen's own exit closes the pipes and waits. Data for a process that has
        # already ended may still be buffered, and cannot be delivered.
        with suppress(BrokenPipeError), self._process:
            pass

    def ask(self, request: str, **fields: object) -> dict[str, Any]:
        """Send one request and return the answer. Raise `NodeError` if the package throws or the process has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise NodeError("the Node process has no pipes")
        try:
            stdin.write(json.dumps({"do": request, **fields}) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise NodeError("the Node process has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise NodeError(answer["error"])
        return answer
