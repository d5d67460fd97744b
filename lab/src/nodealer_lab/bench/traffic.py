"""The load generator of `bench relay`, the same for every server: tables of six, where each frame reaches all six.

A frame is acknowledged when it comes back to its sender.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from types import TracebackType
from typing import Final, Self

from nodealer.errors import BadParameter
from nodealer_lab.bench.websocket_wire import BINARY, LONGEST, NUMBER, PING, PONG, Dialect, Wire, masked

SEATS: Final = 6
FRAME_BYTES: Final = 2000
#: How many connections are opened at a time.
_TOGETHER: Final = 90
#: The number of random frame bodies. Frames differ in their numbers and reuse these bodies.
_BODIES: Final = 64


class Traffic:
    """Connections to one server, six at each table.

    Frames are numbered from 0 in every run. Frame n is sent by connection n, counted modulo the number of connections,
    so consecutive frames belong to different tables.
    """

    def __init__(self, port: int, dialect: Dialect, tables: int) -> None:
        """Connect all seats of `tables` tables to the server, a group at a time.

        Close the connections if that fails.
        """
        self._dialect = dialect
        self._tables = tables
        self._bodies = [os.urandom(FRAME_BYTES - NUMBER.size) for _ in range(_BODIES)]
        self._wires: list[Wire] = []
        self._at: dict[int, int] = {}
        self._poll = select.epoll()
        self._sent: list[float] = []
        self._delays: list[float] = []
        self._received = 0
        try:
            for first in range(0, SEATS * tables, _TOGETHER):
                self._connect(port, range(first, min(first + _TOGETHER, SEATS * tables)))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections."""
        for wire in self._wires:
            wire.socket.close()
        self._poll.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- Runs ---

    def run_paced(self, rate: float, frames: int) -> list[float]:
        """Send frames at a fixed rate, whatever the server does.

        Return the delay of each frame: the time from sending it until it came back to its sender.
        """
        start = self._start()
        while self._received < SEATS * frames:
            elapsed = perf_counter() - start
            while len(self._sent) < min(frames, elapsed * rate):
                self._send()
            self._receive(start, max(0.0, len(self._sent) / rate - elapsed) if len(self._sent) < frames else 1.0)
        return self._delays

    def run_chained(self, together: int, more: Callable[[int], bool]) -> float:
        """Keep `together` frames in transit. Return the frames per second.

        When one is acknowledged, the next is sent as long as `more` returns True for its number.
        """
        start = self._start()
        for _ in range(together):
            self._send()
        while self._received < SEATS * len(self._sent):
            for _ in range(self._receive(start, 1.0)):
                if more(len(self._sent)):
                    self._send()
        return len(self._sent) / (perf_counter() - start)

    def run_saturated(self, seconds: float) -> float:
        """Send as many frames as the server takes, with one in transit for each seat. Return the frames per second."""
        end = perf_counter() + seconds
        return self.run_chained(len(self._wires), lambda _: perf_counter() < end)

    # --- Internals ---

    def _start(self) -> float:
        """Reset the counters of a run and return its start time."""
        self._sent, self._delays, self._received = [], [], 0
        return perf_counter()

    def _send(self) -> None:
        """Send the next frame."""
        number = len(self._sent)
        self._sent.append(perf_counter())
        frame = NUMBER.pack(number) + self._bodies[number % _BODIES]
        self._wires[number % len(self._wires)].send(masked(BINARY, frame))

    def _receive(self, start: float, wait: float) -> int:
        """Process what arrives within `wait` seconds. Return how many frames it acknowledges."""
        before = len(self._delays)
        for descriptor, _ in self._poll.poll(wait):
            at = self._at[descriptor]
            for opcode, message in self._wires[at].messages():
                if opcode == BINARY:
                    self._count_frames(at, self._dialect.numbers(message))
                elif opcode == PING:
                    self._wires[at].send(masked(PONG, message))
                else:
                    raise BadParameter(f"the server answered {message[:80].decode(errors='replace')!r}")
        if perf_counter() - start > LONGEST:
            raise BadParameter(f"the server delivered only {self._received} frames in {LONGEST:.0f} s")
        return len(self._delays) - before

    def _count_frames(self, at: int, numbers: Sequence[int]) -> None:
        """Count the frames that arrived at connection `at`, and note the delay of those that it sent itself."""
        self._received += len(numbers)
        for number in numbers:
            if number % len(self._wires) == at:
                self._delays.append(perf_counter() - self._sent[number])

    def _connect(self, port: int, numbers: range) -> None:
        """Open connections, complete their handshakes, and enter the tables."""
        some: list[tuple[int, Wire]] = []
        for number in numbers:
            wire = Wire(port)
            self._wires.append(wire)
            self._at[wire.socket.fileno()] = number
            some.append((number % self._tables, wire))
            wire.start_handshake()
        for _, wire in some:
            wire.finish_handshake()
        firsts = some[: max(0, self._tables - numbers.start)]
        self._exchange((wire, self._dialect.create_request(table)) for table, wire in firsts)
        for step in zip(*(self._dialect.enter_requests(table) for table, _ in some), strict=True):
            self._exchange(zip((wire for _, wire in some), step, strict=True))
        for _, wire in some:
            wire.socket.setblocking(False)
            self._poll.register(wire.socket.fileno(), select.EPOLLIN)

    def _exchange(self, said: Iterable[tuple[Wire, bytes | None]]) -> None:
        """Send all messages, then wait for the answer to each."""
        asked = [(wire, word) for wire, word in said if word is not None]
        for wire, word in asked:
            wire.send_text(word)
        for wire, _ in asked:
            wire.wait_for_answer()
