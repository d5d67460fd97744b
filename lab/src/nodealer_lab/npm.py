"""The npm package `mental-poker`, for a game or a race against it: below tests/npm of a checkout, in Node."""

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
#: The install compiles an addon, which takes half a minute on a slow machine; a registry that is away takes longer.
INSTALL_SECONDS: Final = 300
#: Exactly what the lock file says, each package by its hash.
_INSTALL: Final = ("ci", "--no-audit", "--no-fund", "--prefer-offline")
_PATIENCE: Final = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000")


class NpmMissing(LocalError):
    """The package cannot be had here: no checkout, no node, no npm, or no registry."""


class NodeError(LocalError):
    """What the package, or its process, said against a request."""


def installed(folder: Path = FOLDER, *, find: Callable[[str], str | None] = shutil.which) -> Path:
    """The folder with the package in it, installed by npm the first time."""
    if not all((folder / name).is_file() for name in ("package.json", "package-lock.json")):
        raise NpmMissing("the npm package is played against from a checkout only")
    node, npm = find("node"), find("npm")
    if node is None or npm is None:
        raise NpmMissing(f"{'node' if node is None else 'npm'} is not here; on Debian: apt-get install nodejs npm")
    with (folder / "package.json").open("rb") as package:
        # Others may want it at the same time: tests beside a benchmark.
        fcntl.flock(package, fcntl.LOCK_EX)
        lock = (folder / "package-lock.json").read_bytes()
        wanted = sha256(package.read() + lock + subprocess.check_output([node, "--version"])).hexdigest()
        stamp = folder / "node_modules" / ".nodealer"
        if not stamp.is_file() or stamp.read_text() != wanted:
            shutil.rmtree(folder / "node_modules", ignore_errors=True)
            _run([npm, *_INSTALL, *_PATIENCE], folder, _environment(node))
            stamp.write_text(wanted)
    return folder


def _environment(node: str) -> dict[str, str]:
    """Where this Node's own headers lie beside it, the addon is built with them and nothing is downloaded."""
    prefix = Path(node).resolve().parents[1]
    headers = (prefix / "include" / "node" / "node.h").is_file()
    return {**os.environ, **({"npm_config_nodedir": str(prefix)} if headers else {})}


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], seconds: float = INSTALL_SECONDS) -> None:
    """Run to the end, or end it with everything that it has started."""
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
                raise NpmMissing(f"npm ci was not done in {seconds} s") from None
            raise
        if code != 0:
            output.seek(0)
            last = [line for line in output.read().decode(errors="replace").splitlines() if "npm error" in line][:3]
            raise NpmMissing(f"npm ci failed with {code}: {' '.join(last)}")


class NodeSeat:
    """A process of Node that runs seat.js. Points and secrets go in and come out as hex."""

    def __init__(self, folder: Path) -> None:
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
        # Its input ends, and so does it; Popen's own exit closes the pipes and waits. What was said to one that had
        # ended already is still on its way, and has nobody to go to.
        with suppress(BrokenPipeError), self._process:
            pass

    def ask(self, request: str, **fields: object) -> dict[str, Any]:
        """One request and its answer. What the package throws raises `NodeError`."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise NodeError("the process of Node has no pipes")
        try:
            stdin.write(json.dumps({"do": request, **fields}) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise NodeError("the process of Node has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise NodeError(answer["error"])
        return answer
