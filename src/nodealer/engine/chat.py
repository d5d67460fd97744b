"""Chat beside the log: signed and sealed like every other frame, but not part of the log and never stored by players.

A chat message is a frame of the table that is not an entry, so a program that does not know it ignores it. The relay
keeps the sealed frame as long as it keeps the table, but players who join later do not see it.
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

#: The longest message, in characters.
CHAT_MAX: Final = 280
FRAME_BYTES_MAX: Final = 4096


class Chat(Message, frozen=True):
    """A chat message of one seat. Its number increases with each message, so that no one can replay an old one."""

    chat: Annotated[str, msgspec.Meta(min_length=1, max_length=CHAT_MAX)]
    seat: SeatNumber
    number: Natural
    signature: Signature

    @property
    def text(self) -> str:
        """The text of the message."""
        return self.chat


def _bytes_to_sign(session: bytes, seat: int, number: int, text: str) -> bytes:
    """Return the bytes that the seat signs for a chat message."""
    return framed("nodealer/chat/v1", session, seat, number, text)


def sign_chat(identity: Identity, session: bytes, seat: int, number: int, text: str) -> bytes:
    """Sign a chat message and return the frame to send. Raise `BadParameter` if the text is empty or too long."""
    line = plain_line(text)
    if not line or len(line) > CHAT_MAX:
        raise BadParameter(f"a chat message needs 1 to {CHAT_MAX} characters")
    return encode(Chat(line, seat, number, identity.sign(_bytes_to_sign(session, seat, number, line))))


def read_chat(frame: bytes, session: bytes, keys: Mapping[int, bytes]) -> Chat | None:
    """Return the chat message in a frame, or None if the frame is not a valid one from a seat of this session."""
    if not frame.startswith(b'{"chat":'):
        return None
    try:
        chat = decode(Chat, frame, what="a chat", limit=FRAME_BYTES_MAX)
        if chat.seat not in keys or chat.chat != plain_line(chat.chat):
            return None
        VerifyingKey(keys[chat.seat]).verify(chat.signature, _bytes_to_sign(session, chat.seat, chat.number, chat.chat))
    except (DecodeError, BadSignature):
        return None
    return chat


def plain_line(text: str) -> str:
    """Reduce text to one line of printable characters separated by single spaces.

    Every reader must get the same result whatever Unicode version its Python has: a message that differs from its own
    plain form is rejected.
    """
    return " ".join(filter(None, "".join(each if is_printable(each) else " " for each in text).split(" ")))


@dataclass
class ChatFilter:
    """Detects repeated chat messages, because the relay may deliver one twice."""

    _last: dict[int, int] = field(default_factory=dict)

    def is_new(self, chat: Chat) -> bool:
        """Return whether the number is higher than the seat's last one, and remember it."""
        new = chat.number > self._last.get(chat.seat, -1)
        if new:
            self._last[chat.seat] = chat.number
        return new
