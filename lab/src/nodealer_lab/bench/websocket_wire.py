"""WebSocket on plain sockets, as little of it as a client needs: so that clients cost little of the machine.

And what the clients of the bare server and of the relay say first, and make of what they hear.
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
#: How many seconds anything may take.
LONGEST: Final = 240.0
#: What may wait to be sent. A message is sent whole, or the server does not keep up.
_UNSENT: Final = 1 << 20
_RECEIVED: Final = 1 << 18
#: Where bytes go that nobody looks at. One for all: to make and clear one for each message would be measured too.
_DROPPED: Final = memoryview(bytearray(_RECEIVED))
_TOKEN: Final = bytes(32)


def masked(opcode: int, payload: bytes) -> bytes:
    """A message of a client. The mask is zero: taking it off costs a server as much as any other."""
    size, opcode = len(payload), 0x80 | opcode
    head = struct.pack(">BB", opcode, 0x80 | size) if size < 126 else struct.pack(">BBH", opcode, 0x80 | 126, size)
    return head + bytes(4) + payload


class Wire:
    """One connection of a client."""

    __slots__ = ("_rest", "socket")

    def __init__(self, port: int) -> None:
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
        """Send all of it, or fail."""
        try:
            sent = self.socket.send(data)
        except BlockingIOError:
            sent = 0
        if sent != len(data):
            raise BadParameter("the server does not keep up")

    def say(self, text: bytes) -> None:
        """Send some text."""
        self.send(masked(TEXT, text))

    def greet(self) -> None:
        """Ask for WebSocket."""
        key = b64encode(os.urandom(16)).decode()
        self.send(
            f"GET / HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def greeted(self) -> None:
        """Wait for the answer to that."""
        while b"\r\n\r\n" not in self._rest:
            self._rest += self._receive()
        said, _, self._rest = self._rest.partition(b"\r\n\r\n")
        if not said.startswith(b"HTTP/1.1 101 "):
            raise BadParameter(f"the server says {said[:80].decode(errors='replace')!r}")

    def heard(self) -> None:
        """Wait for the answer to some text."""
        for _, answer in self.messages():
            if b"refused" in answer:
                raise BadParameter(f"the server says {answer.decode(errors='replace')}")
            return
        self.heard()

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """What has come by now: opcodes and payloads."""
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

    def pass_over(self, size: int) -> None:
        """Take in messages of so many bytes in all, and look at nothing but where they end."""
        while size > 0:
            length = self._length()
            self.drop(length)
            size -= length

    def message(self) -> bytes:
        """The next message, which may have come already, with an answer before it."""
        return self._exactly(self._length())

    def drop(self, size: int) -> None:
        """Take in so many bytes."""
        here = min(size, len(self._rest))
        self._rest, size = self._rest[here:], size - here
        while size > 0:
            size -= self.socket.recv_into(_DROPPED[: min(size, _RECEIVED)]) or _gone()

    def _length(self) -> int:
        """Of the message that begins here."""
        length = self._exactly(2)[1]
        return length if length < 126 else int.from_bytes(self._exactly(2 if length == 126 else 8), "big")

    def _exactly(self, size: int) -> bytes:
        while len(self._rest) < size:
            self._rest += self.socket.recv(size - len(self._rest)) or _gone()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _receive(self) -> bytes:
        return self.socket.recv(_RECEIVED) or _gone()


def _gone() -> NoReturn:
    raise BadParameter("the server has hung up")


class Dialect(Protocol):
    """How a kind of server is spoken to."""

    def makes(self, table: int) -> bytes | None:
        """What the first at a table says, before anybody enters."""

    def enters(self, table: int) -> Sequence[bytes]:
        """What everybody says before a frame. Each is answered."""

    def numbers(self, message: bytes) -> Sequence[int]:
        """The numbers of the frames that a message carries."""


class Bare:
    """The broadcast server: a message is a frame."""

    def makes(self, table: int) -> bytes | None:
        """A room need not be made."""
        return None

    def enters(self, table: int) -> Sequence[bytes]:
        """The room."""
        return (str(table).encode(),)

    def numbers(self, message: bytes) -> Sequence[int]:
        """One."""
        return NUMBER.unpack_from(message)


class Relayed:
    """The relay: a message is a page of frames."""

    def __init__(self) -> None:
        self._names = os.urandom(12).hex()

    def makes(self, table: int) -> bytes | None:
        """The table, for all who have the token."""
        return encode(Create(self._name(table), hashlib.sha512(_TOKEN).digest()))

    def enters(self, table: int) -> Sequence[bytes]:
        """The table is opened, and the token shown."""
        said: tuple[Message, ...] = (Open(self._name(table), None), Token(_TOKEN))
        return [encode(one) for one in said]

    def numbers(self, message: bytes) -> Sequence[int]:
        """One or more."""
        return [NUMBER.unpack_from(frame)[0] for _, frame in parse_page(message)]

    def _name(self, table: int) -> str:
        return f"{self._names}{table:08x}"
