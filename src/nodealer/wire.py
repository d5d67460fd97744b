"""The single encoding of everything that is hashed, signed, sent or stored, and the table of limits.

A message is a frozen msgspec struct. Its bytes are the compact JSON that msgspec writes for it. The decoder accepts
bytes only if they equal the encoding of what it decoded, so each message has exactly one encoding: duplicate keys,
white space, escapes, non-canonical base64 and odd numbers all fail that comparison and need no rules of their own. Raw
JSON inside a message is compared when it is decoded, but every message, decoded or not, is one line of UTF-8.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, overload

import msgspec

from nodealer.errors import BadParameter, DecodeError

# --- Limits. Everything from outside is checked against these before it is parsed. ---

#: Seats at a table. Protocols may support fewer.
SEATS_MIN: Final = 2
SEATS_MAX: Final = 20
#: Cards in a deck. Protocols may support fewer.
CARDS_MIN: Final = 2
CARDS_MAX: Final = 10_000
#: Decks that a hand may open.
DECKS_MAX: Final = 16
#: A player's name, in UTF-8 bytes.
NAME_BYTES_MAX: Final = 64
#: A player's note, in UTF-8 bytes.
WORD_BYTES_MAX: Final = 4096
#: One message. The largest honest one is a shuffle of 10,000 cards with its proof: 0.6 MB of points, 1 MB of proof, in
#: base64.
MESSAGE_BYTES_MAX: Final = 4 << 20
#: A saved log, in bytes and in entries.
LOG_BYTES_MAX: Final = 512 << 20
LOG_ENTRIES_MAX: Final = 1_000_000
#: Integers on the wire: the largest that every JSON reader represents exactly.
INTEGER_MAX: Final = 2**53 - 1
#: How deep a message may nest. Without a limit this would depend on each reader's stack, but all must accept the same.
DEPTH_MAX: Final = 64

Natural = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, lt=SEATS_MAX)]
Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of everything that is encoded."""


T = TypeVar("T")
_encoder = msgspec.json.Encoder()


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the cached decoder of a message type."""
    return msgspec.json.Decoder(kind)


def encode(message: object) -> bytes:
    """Encode a message."""
    return _encoder.encode(message)


@overload
def decode(kind: type[T], data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> T: ...
@overload
def decode(kind: UnionType, data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> Any: ...
def decode(kind: Any, data: bytes, *, what: str, limit: int = MESSAGE_BYTES_MAX) -> Any:
    """Decode a message of type `kind`, a struct or a union of tagged structs.

    Raise `DecodeError`, naming `what`, unless `data` is the canonical encoding of such a message.
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
    # Raw JSON inside the message could contain white space that some readers take for the end of a line, and messages
    # are stored one per line.
    if again != data or b"\n" in data or b"\r" in data or b"\t" in data:
        raise DecodeError(f"{what} is not in its canonical encoding")
    return message


def convert(kind: Any, data: object, *, what: str) -> Any:
    """Return plain data, with its fields in any order, as a message of type `kind`.

    Raise `DecodeError`, naming `what`, if the data is not such a message.
    """
    try:
        return _decoder(kind).decode(encode(data))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise DecodeError(f"{what} cannot be read: {error}") from None


def _is_rare(bracket: bytes, data: bytes) -> bool:
    """Return whether a bracket occurs at most `DEPTH_MAX` / 2 times.

    Long messages are mostly text, which `find` skips quickly, whereas `count` looks at every byte.
    """
    at = -1
    for _ in range(DEPTH_MAX // 2 + 1):
        at = data.find(bracket, at + 1)
        if at < 0:
            return True
    return False


_BRACKETS: Final = b"[]{}"
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in _BRACKETS)


def _without_strings(data: bytes) -> bytes:
    """Return JSON without its strings. Escapes occur only in strings; without them every quote delimits a string."""
    return b"".join(data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


def refuse_deep(data: bytes, what: str) -> None:
    """Raise `DecodeError`, naming `what`, if JSON nests deeper than a message may.

    How deep a parser can go depends on its caller, so a message that nests deeper could be in one player's log
    and not in another's. Opening brackets in strings count too: no honest message has that many. Closing brackets in
    strings cannot hide anything, because the data is also checked without its strings.
    """
    if len(data) <= 1024:
        if data.count(b"{") + data.count(b"[") <= DEPTH_MAX:
            return
    elif _is_rare(b"{", data) and _is_rare(b"[", data):
        return
    for part in (data, _without_strings(data)):
        depth = 0
        for byte in part.translate(None, _OTHERS):
            depth += 1 if byte in b"{[" else -1
            if depth > DEPTH_MAX:
                raise DecodeError(f"{what} nests too deep")
