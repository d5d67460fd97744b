"""Chat beside the log: signed and sealed like everything that is said, and part of nothing. No home keeps it.

A frame of the table that is no entry: whoever does not know it passes over it. The relay keeps it, sealed, as long as
it keeps the table; who comes later is not shown it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.errors import BadParameter, BadSignature, DecodeError
from nodealer.keys import Identity, VerifyingKey
from nodealer.log.entry import Signature
from nodealer.printable import is_printable
from nodealer.tape import framed
from nodealer.wire import Message, Natural, SeatNumber, decode, encode

#: In characters.
CHAT_MAX: Final = 280
FRAME_BYTES_MAX: Final = 4096


class Chat(Message, frozen=True):
    """What a seat says beside the log. Its numbers grow, so that nobody can say it for the seat a second time."""

    chat: Annotated[str, msgspec.Meta(min_length=1, max_length=CHAT_MAX)]
    seat: SeatNumber
    number: Natural
    signature: Signature

    @property
    def text(self) -> str:
        """What was said."""
        return self.chat


def _words(session: bytes, seat: int, number: int, text: str) -> bytes:
    return framed("nodealer/chat/v1", session, seat, number, text)


def sign_chat(identity: Identity, session: bytes, seat: int, number: int, text: str) -> bytes:
    """The frame to send. Raises `BadParameter` for what cannot be said."""
    said = plain(text)
    if not said or len(said) > CHAT_MAX:
        raise BadParameter(f"something to say has 1 to {CHAT_MAX} characters")
    return encode(Chat(said, seat, number, identity.sign(_words(session, seat, number, said))))


def read_chat(frame: bytes, session: bytes, keys: Mapping[int, bytes]) -> Chat | None:
    """What a seat of this session has said, or None for any other frame."""
    if not frame.startswith(b'{"chat":'):
        return None
    try:
        chat = decode(Chat, frame, what="a chat", limit=FRAME_BYTES_MAX)
        if chat.seat not in keys or chat.chat != plain(chat.chat):
            return None
        VerifyingKey(keys[chat.seat]).verify(chat.signature, _words(session, chat.seat, chat.number, chat.chat))
    except (DecodeError, BadSignature):
        return None
    return chat


def plain(text: str) -> str:
    """One line that only says something. All who read it must say the same, whatever Unicode their Python knows, or
    they would take it for somebody's made-up one."""
    return " ".join(filter(None, "".join(each if is_printable(each) else " " for each in text).split(" ")))


@dataclass
class Chats:
    """Which chats are new: the relay may bring one twice."""

    _last: dict[int, int] = field(default_factory=dict)

    def is_new(self, chat: Chat) -> bool:
        """Whether the seat's number has grown."""
        new = chat.number > self._last.get(chat.seat, -1)
        if new:
            self._last[chat.seat] = chat.number
        return new
