"""`bench relay`: the cost of a relay, against a server of the same library that stores nothing and checks nothing.

All servers are separate processes on loopback addresses, driven in turn by one generator. Judged are the processor time
and memory of the server, and the delays in the quietest of several rounds.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Final

from nodealer.errors import BadParameter
from nodealer.relay.messages import encode_page
from nodealer_lab.bench.rounds import BenchEffort, Measurement, Timed, measure, timed_fresh
from nodealer_lab.bench.rows import BenchRow, meets, unjudged
from nodealer_lab.bench.server_process import Server
from nodealer_lab.bench.traffic import FRAME_BYTES, SEATS, Traffic
from nodealer_lab.bench.websocket_wire import BroadcastDialect, Dialect, RelayDialect, Wire

#: The tables while times are measured; the seconds at saturation; the rounds, and the seconds of each server in a
#: round.
TABLES, SATURATED, ROUNDS, SECONDS = 20, 2.0, 10, 1.0
#: Processor time for a delivered frame: the highest allowed ratio to the bare server, and the goal.
CPU: Final = {"memory": (2.0, 1.3), "SQLite": (3.0, 2.0)}
#: A delay may be that of the bare server plus `WAITS` disk syncs, which are sampled `TRIES` times before each turn.
WAITS, TRIES = 2, 15
#: For the memory of a connection: the tables, the frames that each seat gets, and the highest allowed ratio.
MANY_TABLES, MANY_FRAMES, CONNECTION = 1000, 100, 1.6
#: For catching up: the frames, the lowest allowed fraction of a socket's speed, and the limit in megabytes of memory.
BEHIND, SPEED, MORE = 10_000, 0.5, 8.0
#: Relays that are started to measure the very first client, before the relay has built any page.
STARTS: Final = 6
#: Frames in transit while that table is filled.
_TOGETHER: Final = 200
#: File descriptors in addition to those of the connections.
_SPARE: Final = 200
#: The seconds after which a server is idle.
_REST: Final = 1.0
BARE: Final = "a bare broadcast"

#: The measured fields of a row.
Figures = Mapping[str, Any]


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows. Raise `BadParameter` if the system does not report what a process uses."""
    if not Path("/proc/self/statm").exists():
        raise BadParameter("bench relay needs a system that has /proc")
    with tempfile.TemporaryDirectory() as name:
        yield from judge(effort, _TIMES, _time_figures(effort, Path(name)))
        yield from judge(effort, _CONNECTIONS, _connection_figures(effort, Path(name)))
        yield from judge(effort, _BEHIND, _catch_up_figures(effort, Path(name)))


def judge(effort: BenchEffort, rows: Sequence[BenchRow], figures: Iterator[Figures]) -> Iterator[BenchRow]:
    """Fill the rows with their figures and judge them.

    A row that could not be measured has failed. The figures of a tiny run are not judged.
    """
    try:
        found = [replace(row, **those) for row, those in zip(rows, figures, strict=True)]
    except (BadParameter, OSError) as error:
        found = [replace(unjudged(row, str(error)), ok=None if row.required is None else False) for row in rows]
    for row in found:
        figure = row.value if row.ratio is None else row.ratio
        if figure is not None and effort.shrink == 1:
            yield replace(row, ok=meets(figure, row.required, row.sense))
        else:
            yield row


# --- Processor time and delay ---

_TIMES: Final = (
    *(
        BenchRow(
            f"processor time for 1,000 frames delivered, {store}",
            {},
            yardstick=BARE,
            required=most,
            note=f"goal {goal:g}",
        )
        for store, (most, goal) in CPU.items()
    ),
    *(
        BenchRow(f"delay, 99th percentile, {store}", {}, yardstick=f"{BARE} + {WAITS} × fdatasync", required=1.0)
        for store in CPU
    ),
    *(BenchRow(f"throughput at saturation, {store}", {}, yardstick=BARE, sense="min") for store in CPU),
)


@dataclass
class DrivenServer:
    """A server and its traffic."""

    server: Server
    traffic: Traffic
    saturation: float = 0.0
    #: For each round: the seconds of processor time for 1,000 delivered frames, and the 99th percentile of the delays.
    cpu: list[float] = field(default_factory=list)
    delay: list[float] = field(default_factory=list)

    def run_paced(self, rate: float, frames: int) -> None:
        """Run one round at a fixed rate and record its figures."""
        before = self.server.cpu
        delays = sorted(self.traffic.run_paced(rate, frames))
        self.cpu.append((self.server.cpu - before) * 1000 / (frames * SEATS))
        self.delay.append(delays[len(delays) * 99 // 100])


def _time_figures(effort: BenchEffort, folder: Path) -> Iterator[Figures]:
    """Measure how many frames a second saturate each server, then run all servers at one rate.

    That rate is half of the lowest saturation.
    """
    tables = effort.size(TABLES)
    with ExitStack() as stack:

        def driven(dialect: Dialect, kind: str, *arguments: str) -> DrivenServer:
            """Start a server of this kind and connect the traffic to it. Both are closed with the stack."""
            server = stack.enter_context(Server(kind, *arguments))
            return DrivenServer(server, stack.enter_context(Traffic(server.port, dialect, tables)))

        bare = driven(BroadcastDialect(), "broadcast")
        ours = [driven(RelayDialect(), "relay", "memory"), driven(RelayDialect(), "relay", str(folder / "times.db"))]
        for one in (bare, *ours):
            one.saturation = one.traffic.run_saturated(SATURATED / effort.shrink)
        rate = min(one.saturation for one in (bare, *ours)) / 2
        frames = max(2, int(rate * SECONDS / effort.shrink))
        waits: list[float] = []
        for _ in range(min(effort.pairs, ROUNDS)):
            for one in (bare, *ours):
                waits += _disk_waits(folder)
                one.run_paced(rate, frames)
    n, least, wait = {"tables": tables, "frames/s": int(rate)}, min(bare.cpu), statistics.median(waits)
    for one in ours:
        # Tiny runs take less time than the system counts.
        ratio = min(one.cpu) / least if least else None
        spread = max(bare.cpu) / least - 1 if least else None
        yield {"n": n, "seconds": min(one.cpu), "ratio": ratio, "spread": spread}
    for one in ours:
        shortest, delay = min(bare.delay), min(one.delay)
        note = f"{shortest * 1e3:.3g} ms + {WAITS} × {wait * 1e3:.3g} ms"
        yield {"n": n, "seconds": delay, "ratio": delay / (shortest + WAITS * wait), "note": note}
    for one in ours:
        ratio = one.saturation / bare.saturation
        yield {"n": {"tables": tables}, "value": one.saturation, "unit": "frames/s", "ratio": ratio}


def _disk_waits(folder: Path) -> list[float]:
    """Return samples of the time to sync a frame to disk."""
    times = []
    with (folder / "synced").open("wb", buffering=0) as file:
        for _ in range(TRIES):
            file.write(os.urandom(FRAME_BYTES))
            start = perf_counter()
            os.fdatasync(file.fileno())
            times.append(perf_counter() - start)
    return times


# --- Memory of a connection, with SQLite, because a memory store would add the frames it keeps ---

_CONNECTIONS: Final = (BenchRow("memory of a connection, SQLite", {}, yardstick=BARE, required=CONNECTION),)


def _connection_figures(effort: BenchEffort, folder: Path) -> Iterator[Figures]:
    """Measure the memory of the relay per open connection, relative to a bare broadcast server."""
    tables, frames = effort.size(MANY_TABLES), effort.size(MANY_FRAMES)
    count = SEATS * tables
    _raise_file_limit(count + _SPARE)
    bare = _memory_growth(BroadcastDialect(), tables, frames, "broadcast")
    ours = _memory_growth(RelayDialect(), tables, frames, "relay", str(folder / "connections.db"))
    n = {"connections": count, "tables": tables, "frames each": frames}
    yield {"n": n, "value": ours / count, "unit": "bytes", "ratio": ours / bare}


def _memory_growth(dialect: Dialect, tables: int, frames: int, kind: str, *arguments: str) -> int:
    """Return by how many bytes a new server has grown after each seat got this many frames."""
    with Server(kind, *arguments) as server:
        before = server.resident
        with Traffic(server.port, dialect, tables) as traffic:
            traffic.run_chained(tables, lambda number: number < tables * frames)
            sleep(_REST)
            return server.resident - before


def _raise_file_limit(count: int) -> None:
    """Allow this many open file descriptors, here and in a server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and count > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
        except ValueError:
            raise BadParameter(f"{count} open files are needed, but only {hard} are allowed") from None


# --- Catching up: a client that has nothing yet, at a relay that has just started ---

_BEHIND: Final = (
    BenchRow("catching up, SQLite", {}, yardstick="the bytes over a bare socket", required=SPEED, sense="min"),
    BenchRow("catching up, SQLite: memory for it", {}, required=MORE),
    BenchRow("catching up, SQLite: the first to do so", {}, yardstick="the bytes over a bare socket", sense="min"),
)


def _catch_up_figures(effort: BenchEffort, folder: Path) -> Iterator[Figures]:
    """Measure how fast a client that missed all frames receives them from the relay.

    The yardstick is a plain socket that sends as many bytes. Yield the speed of a running relay, the memory that it
    uses for it, and the speed right after the relay has started.
    """
    frames, path, dialect = effort.size(BEHIND), str(folder / "behind.db"), RelayDialect()
    with Server("relay", path) as server, Traffic(server.port, dialect, 1) as traffic:
        traffic.run_chained(min(frames, _TOGETHER), lambda number: number < frames)
    n, size = {"frames": frames}, frames * len(encode_page([(1, bytes(FRAME_BYTES))]))

    def catch_up(wire: Wire, whole: Callable[[Wire], object]) -> None:
        """Enter the table with nothing received so far, and read all frames with `whole`."""
        with wire:
            wire.send_text(dialect.enter_requests(0)[0])
            wire.wait_for_answer()
            whole(wire)

    def timed(server: Server) -> Timed:
        """Return a timer of catching up over a new connection to this server."""
        return timed_fresh(lambda: _connect(server), lambda wire: catch_up(wire, lambda wire: wire.skip_messages(size)))

    def first() -> float:
        """Start a relay on the stored frames, and return the seconds that its first client takes to catch up."""
        with Server("relay", path) as fresh:
            return timed(fresh)()

    with Server("plain", str(size)) as plain, Wire(plain.port) as bare:

        def read(_: None) -> None:
            """Request the data from the plain server, and read it all."""
            bare.send(b"!")
            bare.drop(size)

        yardstick = timed_fresh(lambda: None, read)
        with Server("relay", path) as server:
            before = server.resident
            catch_up(_connect(server), lambda wire: _check_complete(wire, dialect, frames))
            later = measure(effort, timed(server), yardstick)
            more = server.peak - before
        sooner = measure(replace(effort, pairs=min(effort.pairs, STARTS), seconds=0.0), first, yardstick)
    speed, other = ({"n": n, **_speed_figures(size, found)} for found in (later, sooner))
    yield from (speed, {"n": n, "value": more / 1e6, "unit": "MB"}, other)


def _connect(server: Server) -> Wire:
    """Open a websocket to the server and complete the handshake."""
    wire = Wire(server.port)
    wire.start_handshake()
    wire.finish_handshake()
    return wire


def _speed_figures(size: int, found: Measurement) -> Figures:
    """Return the figures of a transfer of `size` bytes: its speed, and the ratio to the yardstick's speed."""
    speed, ratio = size / found.work / 1e6, found.yardsticks[0] / found.work
    return {"seconds": found.work, "value": speed, "unit": "MB/s", "ratio": ratio, "spread": found.spread}


def _check_complete(wire: Wire, dialect: Dialect, frames: int) -> None:
    """Raise `BadParameter` unless every frame arrives exactly once."""
    numbers: list[int] = []
    while len(numbers) < frames:
        numbers += dialect.numbers(wire.message())
    if sorted(numbers) != list(range(frames)):
        raise BadParameter("the relay lost or repeated frames")
