"""A minimal WebSocket client on plain sockets, so that clients use little of the machine.

It also contains the handshakes of the bare server and the relay, and the parsing of their messages.
"""

from __future__ import annotations

import hashlib
import os
import socket
import struct
from base64 import b64encode
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, NoReturn, Protocol, Self

from nodealer.errors import BadParameter
from nodealer.relay.messages import Create, Open, Token, parse_page
from nodealer.wire import Message, encode
from nodealer_lab.bench.servers import HOST

TEXT, BINARY, PING, PONG = 1, 2, 9, 10
#: A frame begins with its number.
NUMBER: Final = struct.Struct(">Q")
#: The timeout in seconds for everything.
LONGEST: Final = 240.0
#: The send buffer. A message is sent as a whole, or the server is too slow.
_UNSENT: Final = 1 << 20
_RECEIVED: Final = 1 << 18
#: A shared buffer for discarded bytes. Allocating one for each message would be measured too.
_DROPPED: Final = memoryview(bytearray(_RECEIVED))
_TOKEN: Final = bytes(32)


def masked(opcode: int, payload: bytes) -> bytes:
    """Encode a client message. The mask is zero, because removing it costs a server as much as any other."""
    size, opcode = len(payload), 0x80 | opcode
    head = struct.pack(">BB", opcode, 0x80 | size) if size < 126 else struct.pack(">BBH", opcode, 0x80 | 126, size)
    return head + bytes(4) + payload


class Wire:
    """One client connection."""

    __slots__ = ("_rest", "socket")

    def __init__(self, port: int) -> None:
        """Open a TCP connection to a local port, without delaying small packets."""
        self._rest = b""
        self.socket = socket.create_connection((HOST, port), LONGEST)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNSENT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send all of the data. Raise `BadParameter` if that would block."""
        try:
            sent = self.socket.send(data)
        except BlockingIOError:
            sent = 0
        if sent != len(data):
            raise BadParameter("the server does not keep up")

    def send_text(self, text: bytes) -> None:
        """Send a text message."""
        self.send(masked(TEXT, text))

    def start_handshake(self) -> None:
        """Send the WebSocket upgrade request."""
        key = b64encode(os.urandom(16)).decode()
        self.send(
            f"GET / HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def finish_handshake(self) -> None:
        """Wait for the response to the upgrade request."""
        while b"\r\n\r\n" not in self._rest:
            self._rest += self._receive()
        said, _, self._rest = self._rest.partition(b"\r\n\r\n")
        if not said.startswith(b"HTTP/1.1 101 "):
            raise BadParameter(f"the server answered {said[:80].decode(errors='replace')!r}")

    def wait_for_answer(self) -> None:
        """Wait for the answer to a text message. Raise `BadParameter` if the server refuses."""
        for _, answer in self.messages():
            if b"refused" in answer:
                raise BadParameter(f"the server answered {answer.decode(errors='replace')}")
            return
        self.wait_for_answer()

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """Yield the opcodes and payloads that have arrived."""
        came = self._receive()
        data = self._rest + came if self._rest else came
        at, end = 0, len(data)
        while end - at >= 2:
            size, head = data[at + 1], 2
            if size == 126:
                size, head = int.from_bytes(data[at + 2 : at + 4], "big"), 4
            elif size == 127:
                size, head = int.from_bytes(data[at + 2 : at + 10], "big"), 10
            if end - at < head + size:
                break
            start, at = at, at + head + size
            self._rest = data[at:]
            yield data[start] & 15, data[start + head : at]
        self._rest = data[at:]

    def skip_messages(self, size: int) -> None:
        """Receive and discard messages of `size` bytes in total, only tracking where they end."""
        while size > 0:
            length = self._read_length()
            self.drop(length)
            size -= length

    def message(self) -> bytes:
        """Return the next message, which may have arrived together with an earlier answer."""
        return self._read_exactly(self._read_length())

    def drop(self, size: int) -> None:
        """Receive and discard `size` bytes."""
        here = min(size, len(self._rest))
        self._rest, size = self._rest[here:], size - here
        while size > 0:
            size -= self.socket.recv_into(_DROPPED[: min(size, _RECEIVED)]) or _raise_closed()

    def _read_length(self) -> int:
        """Read the length of the next message."""
        length = self._read_exactly(2)[1]
        return length if length < 126 else int.from_bytes(self._read_exactly(2 if length == 126 else 8), "big")

    def _read_exactly(self, size: int) -> bytes:
        """Return the next `size` bytes. Raise `BadParameter` if the server hangs up."""
        while len(self._rest) < size:
            self._rest += self.socket.recv(size - len(self._rest)) or _raise_closed()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _receive(self) -> bytes:
        """Return the bytes that have arrived, waiting for the first. Raise `BadParameter` if the server hangs up."""
        return self.socket.recv(_RECEIVED) or _raise_closed()


def _raise_closed() -> NoReturn:
    """Raise `BadParameter`, because the server has closed the connection."""
    raise BadParameter("the server has hung up")


class Dialect(Protocol):
    """The messages that clients exchange with one kind of server."""

    def create_request(self, table: int) -> bytes | None:
        """Return what the first client of a table sends before anyone enters, or None."""

    def enter_requests(self, table: int) -> Sequence[bytes]:
        """Return what each client sends before its first frame. The server answers each message."""

    def numbers(self, message: bytes) -> Sequence[int]:
        """Return the numbers of the frames in a message."""


class BroadcastDialect:
    """The dialect of the broadcast server: a message is a frame."""

    def create_request(self, table: int) -> bytes | None:
        """Return None, because rooms need not be created."""
        return None

    def enter_requests(self, table: int) -> Sequence[bytes]:
        """Return the name of the room."""
        return (str(table).encode(),)

    def numbers(self, message: bytes) -> Sequence[int]:
        """Return the number of the single frame."""
        return NUMBER.unpack_from(message)


class RelayDialect:
    """The dialect of the relay: a message is a page of frames."""

    def __init__(self) -> None:
        """Draw a random prefix for the table names, so that runs against one relay do not collide."""
        self._names = os.urandom(12).hex()

    def create_request(self, table: int) -> bytes | None:
        """Return the request that creates the table with the shared token."""
        return encode(Create(self._name(table), hashlib.sha512(_TOKEN).digest()))

    def enter_requests(self, table: int) -> Sequence[bytes]:
        """Return the requests that open the table and show the token."""
        said: tuple[Message, ...] = (Open(self._name(table), None), Token(_TOKEN))
        return [encode(one) for one in said]

    def numbers(self, message: bytes) -> Sequence[int]:
        """Return the numbers of all frames of the page."""
        return [NUMBER.unpack_from(frame)[0] for _, frame in parse_page(message)]

    def _name(self, table: int) -> str:
        """Return the name of a table on the relay."""
        return f"{self._names}{table:08x}"
