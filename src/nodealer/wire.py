"""The one encoding of everything that is hashed, signed, sent or stored, and the one table of limits.

A message is a frozen msgspec struct; its bytes are the compact JSON that msgspec writes for it. A decoder accepts bytes
only if they equal the encoding of what it decoded, so there is exactly one encoding of each message: doubled keys,
white space, escapes, loose base64 and odd numbers all fail the comparison, and need no rules of their own. Raw JSON
inside a message is compared when it is read; but every message, read or not, is one line of UTF-8.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, overload

import msgspec

from nodealer.errors import BadParameter, DecodeError

# --- Limits. Everything that comes from outside is measured against these before it is parsed. ---

#: Seats at a table; protocols may serve fewer.
SEATS_MIN: Final = 2
SEATS_MAX: Final = 20
#: Cards in a deck; protocols may serve fewer.
CARDS_MIN: Final = 2
CARDS_MAX: Final = 10_000
#: Decks that a hand may open.
DECKS_MAX: Final = 16
#: A name of a player, in UTF-8 bytes.
NAME_BYTES_MAX: Final = 64
#: A word of a player, in UTF-8 bytes.
WORD_BYTES_MAX: Final = 4096
#: One message. The largest honest one is a proven shuffle of 10,000 cards: 0.6 MB of points, 1 MB of proof, in base64.
MESSAGE_BYTES_MAX: Final = 4 << 20
#: One saved log, and its lines.
LOG_BYTES_MAX: Final = 512 << 20
LOG_ENTRIES_MAX: Final = 1_000_000
#: Integers on the wire: what every JSON reader holds exactly.
INTEGER_MAX: Final = 2**53 - 1
#: How deep a message may nest. How deep a reader can go hangs on its stack, and all must read the same.
DEPTH_MAX: Final = 64

Natural = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, lt=SEATS_MAX)]
Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of everything that is encoded."""


T = TypeVar("T")
_encoder = msgspec.json.Encoder()


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def encode(message: object) -> bytes:
    """The bytes of a message."""
    return _encoder.encode(message)


@overload
def decode(kind: type[T], data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> T: ...
@overload
def decode(kind: UnionType, data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> Any: ...
def decode(kind: Any, data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> Any:
    """The message of type `kind` (a struct, or a union of tagged ones) that `data` is the encoding of.

    Raises `DecodeError`, naming `what`, for anything else.
    """
    if not isinstance(data, bytes):
        raise BadParameter(f"{what} must be bytes, not {type(data).__name__}")
    if len(data) > limit:
        raise DecodeError(f"{what} has {len(data)} bytes, more than {limit}")
    refuse_deep(data, what)
    try:
        if not data.isascii():
            data.decode()
        message = _decoder(kind).decode(data)
        again = encode(message)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"{what} cannot be read: {error}") from None
    # White space of JSON that ends a line for some reader of files, or moves in it: it could stand in what is raw, and
    # all keep messages in files of lines.
    if again != data or b"\n" in data or b"\r" in data or b"\t" in data:
        raise DecodeError(f"{what} is not in its canonical encoding")
    return message


def _few(bracket: bytes, data: bytes) -> bool:
    """Whether at most half as many open as may nest. A long message is mostly text, and `find` leaps over it where
    `count` looks at every byte."""
    at = -1
    for _ in range(DEPTH_MAX // 2 + 1):
        at = data.find(bracket, at + 1)
        if at < 0:
            return True
    return False


_BRACKETS: Final = b"[]{}"
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in _BRACKETS)


def _without_texts(data: bytes) -> bytes:
    """What stands between the texts of JSON. Escapes are in texts alone: without them every quote is an end of one."""
    return b"".join(data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


def refuse_deep(data: bytes, what: str) -> None:
    """Raise `DecodeError`, naming `what`, for what nests deeper than a message may.

    Brackets that open in texts count too: no honest message has so many. Those that close there hide nothing: how
    deep a parser goes hangs on where it is called, so what nests deeper would be in one player's log and not in
    another's."""
    if len(data) <= 1024:
        if data.count(b"{") + data.count(b"[") <= DEPTH_MAX:
            return
    elif _few(b"{", data) and _few(b"[", data):
        return
    for part in (data, _without_texts(data)):
        depth = 0
        for byte in part.translate(None, _OTHERS):
            depth += 1 if byte in b"{[" else -1
            if depth > DEPTH_MAX:
                raise DecodeError(f"{what} nests too deep")
