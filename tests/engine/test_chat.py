"""Chat beside the log: signed by a seat of this session, once, and short."""

from __future__ import annotations

import pytest

from nodealer.engine.chat import CHAT_MAX, Chat, ChatFilter, read_chat, sign_chat
from nodealer.errors import BadParameter
from nodealer.keys import Identity
from nodealer.wire import decode, encode

ADA, BEN = Identity(b"a" * 32), Identity(b"b" * 32)
KEYS = {0: ADA.public, 1: BEN.public}
SESSION = b"s" * 32


def test_what_a_seat_says_is_read_by_all() -> None:
    chat = read_chat(sign_chat(ADA, SESSION, 0, 7, " good \n luck \u202e"), SESSION, KEYS)
    assert chat is not None and (chat.seat, chat.number, chat.text) == (0, 7, "good luck")


@pytest.mark.parametrize("text", ["\U0001fae8", "so \U0001fae8 it is \U0001fabf", "\U00013439", "नमस्ते 🂡"])
def test_a_python_that_knows_less_of_unicode_reads_it_too(text: str) -> None:
    """The first ones are nothing in Unicode 14, and pictures or a mark in 15."""
    chat = read_chat(sign_chat(ADA, SESSION, 0, 7, text), SESSION, KEYS)
    assert chat is not None and chat.text == text


@pytest.mark.parametrize("text", ["", "   ", "\n\u200b", "x" * (CHAT_MAX + 1)])
def test_what_says_nothing_or_too_much_is_not_signed(text: str) -> None:
    with pytest.raises(BadParameter):
        sign_chat(ADA, SESSION, 0, 1, text)


def test_what_nobody_said_here_is_no_chat() -> None:
    frame = sign_chat(ADA, SESSION, 0, 7, "hello")
    said = decode(Chat, frame, what="a chat")
    other = {
        "another session": read_chat(frame, b"t" * 32, KEYS),
        "another seat": read_chat(sign_chat(ADA, SESSION, 1, 7, "hello"), SESSION, KEYS),
        "no seat": read_chat(sign_chat(ADA, SESSION, 5, 7, "hello"), SESSION, KEYS),
        "another text": read_chat(encode(Chat("hullo", 0, 7, said.signature)), SESSION, KEYS),
        "another number": read_chat(encode(Chat("hello", 0, 8, said.signature)), SESSION, KEYS),
        "not plain": read_chat(encode(Chat("a\u202eb", 0, 7, ADA.sign(b""))), SESSION, KEYS),
        "no chat": read_chat(b'{"chat":1}', SESSION, KEYS),
        "an entry": read_chat(b'{"entry":{}}', SESSION, KEYS),
        "too long": read_chat(frame + b" " * 5000, SESSION, KEYS),
    }
    assert {name: chat for name, chat in other.items() if chat is not None} == {}


def test_nobody_says_it_a_second_time() -> None:
    chats = ChatFilter()
    chat = read_chat(sign_chat(ADA, SESSION, 0, 7, "hello"), SESSION, KEYS)
    later = read_chat(sign_chat(ADA, SESSION, 0, 8, "hello"), SESSION, KEYS)
    assert chat is not None and later is not None
    assert [chats.is_new(one) for one in (chat, chat, later, chat)] == [True, False, True, False]
