"""Print which functions handle one shuffle: `make walk`, or `python walk.py [--json]`.

Four bots play two hands of hold'em with `nodealer play`, each in its own process, through a relay. In these processes,
two methods of the WebSocket library are replaced, so that this script names no function of the package. It follows two
walks:

send     from the message of the relay that makes a seat's shuffle due (the shuffle of the seat before it, as it leaves
         the WebSocket) to the bytes of the seat's own shuffle, as they are given to the WebSocket
receive  from the message of the relay that brings another seat's shuffle, at a seat that owes nothing because of it, to
         the last time that the seat writes to its store. The next message is held back for a moment, so that the seat
         settles the proof of this shuffle alone

A function of `nodealer` counts once if it was called or resumed during the walk, in any thread. Lambdas count,
comprehensions do not. A file counts if one of its functions does. What the Rust core and other libraries do does not
count. Each walk is taken from the second hand, when everything has been imported and cached. Several seats take each
walk in that hand; the shortest counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src"
PACKAGE: Final = str(SOURCE / "nodealer") + os.sep
#: With large stacks, no one is out of chips in the second hand.
OPTIONS: Final = ("--auto", "--no-clock", "--seats", "4", "--stack", "100000", "--hands", "2")
COMMAND: Final = ("-m", "nodealer.cli", "play", *OPTIONS)
#: What makes each Python process of the game record its walks.
STARTUP: Final = "import sys; sys.path.append({tests!r}); import walk; walk.record_into({folder!r})\n"
#: A frame with at least this many bytes is a shuffle of 52 cards: 128m + 353 bytes, in base64
#: (docs/spec/protocols/mask.md). Nothing else that a seat sends in such a hand is as large.
SHUFFLE_BYTES: Final = (128 * 52 + 353) * 4 // 3
#: Cursor and length, before each frame of a page (docs/spec/relay.md).
CURSOR_BYTES, LENGTH_BYTES = 8, 4
#: Seconds for which the message after a shuffle is held back: longer than a client waits to settle proofs together.
HOLD: Final = 0.3
#: What writes to a store.
WRITES: Final = ("write", "fsync", "fdatasync")
SEND, RECEIVE = "send", "receive"


@dataclass(frozen=True)
class Function:
    """A function of the package, and its file."""

    name: str
    file: str


@dataclass(frozen=True)
class Walk:
    """The functions of one walk, in the order in which each was first entered."""

    name: str
    #: How many shuffles this process had sent before: none for a process that has no seat.
    shuffles: int
    functions: tuple[Function, ...]

    @property
    def files(self) -> int:
        return len({function.file for function in self.functions})


# --- In each process of the game ---


class Recorder:
    """Follows the walks of one process, and appends each to a file when it is complete."""

    def __init__(self, file: Path) -> None:
        self._file = file
        #: What was entered since the last shuffle arrived, in order; None between walks.
        self._entered: dict[CodeType, None] | None = None
        #: How many of these had been entered at the last write to the store.
        self._at_write = 0
        self._shuffles = 0

    @property
    def is_following(self) -> bool:
        return self._entered is not None

    def on_message(self, message: bytes | str) -> None:
        """A message of the relay is about to be read: it ends a walk, and if it contains a shuffle it begins one."""
        if self._entered is not None and self._at_write:
            self._save(RECEIVE, list(self._entered)[: self._at_write])
        self._stop()
        if any(size >= SHUFFLE_BYTES for size in frame_sizes(message)):
            self._entered, self._at_write = {}, 0
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def on_send(self, message: bytes | str) -> None:
        """This process sends a message: a shuffle completes a walk, and anything else shows that it was neither."""
        if isinstance(message, bytes) and len(message) >= SHUFFLE_BYTES:
            if self._entered is not None:
                self._save(SEND, list(self._entered))
            self._shuffles += 1
        self._stop()

    def _stop(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        self._entered = None

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        entered, code = self._entered, frame.f_code
        if entered is None or not code.co_filename.startswith(PACKAGE):
            return
        if event == "call":
            if not code.co_name.startswith("<") or code.co_name == "<lambda>":
                entered.setdefault(code)
        elif event == "c_call" and argument.__name__ in WRITES:
            self._at_write = len(entered)

    def _save(self, name: str, entered: list[CodeType]) -> None:
        walk = Walk(name, self._shuffles, tuple(function_of(code) for code in entered))
        with self._file.open("a") as file:
            file.write(json.dumps(asdict(walk)) + "\n")


def frame_sizes(message: bytes | str) -> Iterator[int]:
    """The sizes of the frames in a message of the relay; none if it is not a page."""
    place = CURSOR_BYTES
    while isinstance(message, bytes) and place < len(message):
        size = int.from_bytes(message[place : place + LENGTH_BYTES], "big")
        yield size
        place += LENGTH_BYTES + size + CURSOR_BYTES


def function_of(code: CodeType) -> Function:
    path = Path(code.co_filename).relative_to(SOURCE)
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    return Function(f"{module}:{code.co_qualname}", path.as_posix())


def record_into(folder: str) -> None:
    """Record the walks of this process in a file of this folder."""
    from websockets.asyncio.client import ClientConnection

    recorder = Recorder(Path(folder, f"{os.getpid()}.jsonl"))
    recv, send = ClientConnection.recv, ClientConnection.send

    async def traced_recv(connection: ClientConnection, *arguments: Any) -> bytes | str:
        message: bytes | str = await recv(connection, *arguments)
        if recorder.is_following:
            await asyncio.sleep(HOLD)
        recorder.on_message(message)
        # The coroutines that wait for this message are resumed within the walk.
        await asyncio.sleep(0)
        return message

    async def traced_send(connection: ClientConnection, message: Any, *arguments: Any) -> None:
        recorder.on_send(message)
        await send(connection, message, *arguments)

    ClientConnection.recv, ClientConnection.send = traced_recv, traced_send  # type: ignore[method-assign, assignment]


# --- In the script ---


def played() -> list[list[Walk]]:
    """Play, and return the walks of each process, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        start, state, traces = Path(folder, "start"), Path(folder, "state"), Path(folder, "traces")
        for one in (start, state, traces):
            one.mkdir()
        tests = str(Path(__file__).parent)
        Path(start, "sitecustomize.py").write_text(STARTUP.format(tests=tests, folder=str(traces)))
        environment = {**os.environ, "PYTHONPATH": str(start), "XDG_STATE_HOME": str(state)}
        done = subprocess.run([sys.executable, *COMMAND], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"the game could not be played:\n{done.stdout}{done.stderr}")
        return [[read_walk(line) for line in file.read_text().splitlines()] for file in traces.iterdir()]


def read_walk(line: str) -> Walk:
    saved = json.loads(line)
    return Walk(saved["name"], saved["shuffles"], tuple(Function(**one) for one in saved["functions"]))


def shortest(processes: list[list[Walk]], name: str) -> Walk:
    """The shortest walk of this name among the last ones of each seat, which are of the second hand."""
    seats = [[walk for walk in walks if walk.name == name and walk.shuffles] for walks in processes]
    if not any(seats):
        raise SystemExit(f"no seat was seen to {name} a shuffle in the second hand")
    return min((walks[-1] for walks in seats if walks), key=lambda walk: (len(walk.functions), walk.files))


def report(walk: Walk) -> Iterator[str]:
    width = max(len(function.name) for function in walk.functions)
    packages = Counter(function.file.split("/")[1].removesuffix(".py") for function in walk.functions)
    yield f"{walk.name}:"
    yield from (f"  {function.name:{width}}  {function.file}" for function in walk.functions)
    yield f"{walk.name}, by package: " + ", ".join(f"{name} {count}" for name, count in packages.most_common())
    yield f"{walk.name}: functions {len(walk.functions)}, files {walk.files}"


def document(walk: Walk) -> dict[str, Any]:
    listed = [asdict(function) for function in walk.functions]
    return {"walk": walk.name, "functions": len(walk.functions), "files": walk.files, "list": listed}


def main() -> None:
    parser = argparse.ArgumentParser(description="Print which functions handle one shuffle.")
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each walk")
    options = parser.parse_args()
    processes = played()
    for walk in (shortest(processes, name) for name in (SEND, RECEIVE)):
        print(json.dumps(document(walk)) if options.json else "\n".join(report(walk)))


if __name__ == "__main__":
    main()
