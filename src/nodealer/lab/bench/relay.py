"""`bench relay`: what a relay costs, against a server of the same library that keeps nothing and checks nothing.

All servers are processes of their own, on loopback addresses, and one generator drives them in turn. What is judged is
processor time of the server, memory of the server, and delays in the quietest of several rounds.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

from nodealer.errors import BadParameter
from nodealer.lab.bench.rows import Row, meets, size_row, unjudged
from nodealer.lab.bench.served import Server
from nodealer.lab.bench.timing import Effort, measured, timed_fresh
from nodealer.lab.bench.traffic import FRAME_BYTES, SEATS, Traffic
from nodealer.lab.bench.wires import Bare, Dialect, Relayed, Wire
from nodealer.relay.messages import page

#: Tables while times are measured, rounds, and seconds of each server in a round.
TABLES, ROUNDS, SECONDS = 20, 5, 2.0
#: Processor time for a frame delivered: at most so many times that of the bare server …
CPU: Final[Mapping[str, float]] = {"memory": 2.0, "SQLite": 3.0}
#: … and what is hoped for.
GOALS: Final[Mapping[str, float]] = {"memory": 1.3, "SQLite": 2.0}
#: A delay is at most that of the bare server and so many waits for the disk.
WAITS: Final = 2
#: Looks at the disk in every round.
LOOKS: Final = 15
#: For memory: tables, and frames that everybody gets.
MANY_TABLES, MANY_FRAMES = 1000, 100
CONNECTION: Final = 1.6
#: Who catches up: frames, how much of the speed of a socket it needs at least, and bytes of memory at most.
BEHIND: Final = 10_000
SPEED, MORE = 0.5, 8e6
#: Frames on their way while that table is filled.
_TOGETHER: Final = 200
#: Descriptors beside those of the connections.
_SPARE: Final = 200
#: Seconds in which a server comes to rest.
_REST: Final = 1.0
BARE: Final = "a bare broadcast"


def run(effort: Effort) -> Iterator[Row]:
    """All rows. Raises `BadParameter` where a system does not say what a process uses."""
    if not Path("/proc/self/statm").exists():
        raise BadParameter("bench relay needs a system that has /proc")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _times(effort, folder)
        yield _connections(effort, folder)
        yield from _catching_up(effort, folder)


# --- Processor time and delay ---


@dataclass
class Driven:
    """A server and its traffic."""

    server: Server
    traffic: Traffic
    saturation: float = 0.0
    #: Of each round: seconds of processor time for 1,000 frames delivered, and the 99th percentile of the delays.
    cpu: list[float] = field(default_factory=list)
    delay: list[float] = field(default_factory=list)

    def paced(self, rate: float, frames: int) -> None:
        """One round."""
        before = self.server.cpu
        delays = sorted(self.traffic.paced(rate, frames))
        self.cpu.append((self.server.cpu - before) * 1000 / (frames * SEATS))
        self.delay.append(delays[len(delays) * 99 // 100])


def _times(effort: Effort, folder: Path) -> Iterator[Row]:
    """Saturation, then rounds at half of the lowest one: the same rate for all."""
    tables = effort.size(TABLES)
    with ExitStack() as stack:

        def driven(dialect: Dialect, kind: str, *arguments: str) -> Driven:
            server = stack.enter_context(Server(kind, *arguments))
            return Driven(server, stack.enter_context(Traffic(server.port, dialect, tables)))

        bare = driven(Bare(), "broadcast")
        ours = {
            "memory": driven(Relayed(), "relay", "memory"),
            "SQLite": driven(Relayed(), "relay", str(folder / "times.db")),
        }
        for one in (bare, *ours.values()):
            one.saturation = one.traffic.saturated(SECONDS / effort.shrink)
        rate = min(one.saturation for one in (bare, *ours.values())) / 2
        frames = max(2, int(rate * SECONDS / effort.shrink))
        waits: list[float] = []
        for _ in range(min(effort.pairs, ROUNDS)):
            for one in (bare, *ours.values()):
                waits += _disk_waits(folder)
                one.paced(rate, frames)
    n = {"tables": tables, "frames/s": int(rate)}
    for store, one in ours.items():
        yield _cpu_row(effort, n, store, one, bare)
    wait = statistics.median(waits)
    for store, one in ours.items():
        yield _delay_row(effort, n, store, one, bare, wait)
    for store, one in ours.items():
        ratio = one.saturation / bare.saturation
        name = f"throughput at saturation, {store}"
        yield Row(name, {"tables": tables}, None, one.saturation, "frames/s", BARE, ratio, sense="min")


def _cpu_row(effort: Effort, n: Mapping[str, int], store: str, ours: Driven, bare: Driven) -> Row:
    name, required = f"processor time for 1,000 frames delivered, {store}", CPU[store]
    seconds, least = min(ours.cpu), min(bare.cpu)
    ratio = seconds / least if least else None
    ok = None if ratio is None or effort.shrink > 1 else meets(ratio, required, "max")
    spread = max(bare.cpu) / least - 1 if least else None
    return Row(
        name,
        n,
        seconds,
        yardstick=BARE,
        ratio=ratio,
        required=required,
        ok=ok,
        note=f"goal {GOALS[store]:g}",
        spread=spread,
    )


def _delay_row(effort: Effort, n: Mapping[str, int], store: str, ours: Driven, bare: Driven, wait: float) -> Row:
    allowed = min(bare.delay) + WAITS * wait
    ratio = min(ours.delay) / allowed
    return Row(
        f"delay, 99th percentile, {store}",
        n,
        min(ours.delay),
        yardstick=f"{BARE} + {WAITS} × fdatasync",
        ratio=ratio,
        required=1.0,
        ok=meets(ratio, 1.0, "max") if effort.shrink == 1 else None,
        note=f"{min(bare.delay) * 1e3:.3g} ms + {WAITS} × {wait * 1e3:.3g} ms",
    )


def _disk_waits(folder: Path) -> list[float]:
    """How long a frame takes to be on the disk."""
    times = []
    with (folder / "synced").open("wb", buffering=0) as file:
        for _ in range(LOOKS):
            file.write(os.urandom(FRAME_BYTES))
            start = perf_counter()
            os.fdatasync(file.fileno())
            times.append(perf_counter() - start)
    return times


# --- Memory of a connection ---


def _connections(effort: Effort, folder: Path) -> Row:
    """With SQLite: what a store in memory keeps is not the connections'."""
    tables, frames = effort.size(MANY_TABLES), effort.size(MANY_FRAMES)
    count = SEATS * tables
    n = {"connections": count, "tables": tables, "frames each": frames}
    row = Row("memory of a connection, SQLite", n, yardstick=BARE, required=CONNECTION)
    if not _may_open(count + _SPARE):
        return unjudged(row, f"this user may not have {count} connections")
    bare = _grown(Bare(), tables, frames, "broadcast")
    ours = _grown(Relayed(), tables, frames, "relay", str(folder / "connections.db"))
    ratio = ours / bare
    ok = meets(ratio, CONNECTION, "max") if effort.shrink == 1 else None
    return Row(row.name, n, None, ours / count, "bytes", BARE, ratio, CONNECTION, "max", ok)


def _grown(dialect: Dialect, tables: int, frames: int, kind: str, *arguments: str) -> int:
    """By how many bytes a new server has grown when everybody has got so many frames."""
    with Server(kind, *arguments) as server:
        before = server.resident
        with Traffic(server.port, dialect, tables) as traffic:
            traffic.chained(tables, lambda number: number < tables * frames)
            sleep(_REST)
            return server.resident - before


def _may_open(count: int) -> bool:
    """Whether so many descriptors may be open, here and in a server. As many as that are asked for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and count > hard:
        return False
    if soft != resource.RLIM_INFINITY and count > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    return True


# --- Catching up ---


def _catching_up(effort: Effort, folder: Path) -> Iterator[Row]:
    """One that has nothing yet, at a relay that has just started."""
    frames, path, dialect = effort.size(BEHIND), str(folder / "behind.db"), Relayed()
    with Server("relay", path) as server, Traffic(server.port, dialect, 1) as traffic:
        traffic.chained(min(frames, _TOGETHER), lambda number: number < frames)
    n, size = {"frames": frames}, frames * len(page([(1, bytes(FRAME_BYTES))]))
    with Server("relay", path) as server, Server("plain", str(size)) as plain, Wire(plain.port) as bare:
        before = server.resident
        _refuse_gaps(server.port, dialect, frames)

        def behind() -> Wire:
            wire = Wire(server.port)
            wire.greet()
            wire.greeted()
            return wire

        def catch_up(wire: Wire) -> None:
            with wire:
                wire.say(dialect.enters(0)[0])
                wire.heard()
                wire.pass_over(size)

        def read(_: None) -> None:
            bare.send(b"!")
            bare.drop(size)

        found = measured(effort, timed_fresh(behind, catch_up), timed_fresh(lambda: None, read))
        more = server.peak - before
    ratio = found.yardsticks[0] / found.work
    speed = size / found.work / 1e6
    name, yardstick = "catching up, SQLite", "the bytes over a bare socket"
    ok = meets(ratio, SPEED, "min") if effort.shrink == 1 else None
    yield Row(name, n, found.work, speed, "MB/s", yardstick, ratio, SPEED, "min", ok, spread=found.spread)
    row = size_row("catching up, SQLite: memory for it", n, more / 1e6, "MB", MORE / 1e6)
    yield row if effort.shrink == 1 else replace(row, ok=None)


def _refuse_gaps(port: int, dialect: Relayed, frames: int) -> None:
    """All frames come, each once."""
    numbers: list[int] = []
    with Wire(port) as wire:
        wire.greet()
        wire.greeted()
        wire.say(dialect.enters(0)[0])
        wire.heard()
        while len(numbers) < frames:
            for _, message in wire.messages():
                numbers += dialect.numbers(message)
    if sorted(numbers) != list(range(frames)):
        raise BadParameter("the relay does not bring what it was given")
