"""Words that people compare aloud: three of a session, six of a key.

Three are enough for a session, whose number nobody can choose: every seat has given a nonce to it under a commitment. A
key can be tried until its words come out as wanted, so that it needs six. docs/spec/lobby.md names the list and the
bits.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Final

from nodealer.errors import BadParameter
from nodealer.tape import digest

SESSION_WORDS: Final = 3
KEY_WORDS: Final = 6
#: Each word is one of 2^11.
WORD_BITS: Final = 11
#: SHA-512 of the English list of BIP-39, each word with a line feed after it: two lists would make words that differ.
LIST_SHA512: Final = (
    "416c71ba30018ea292bb36cdc23c9329673485a8d8933266a9d9a7cc72153b8b"
    "aed3d430f52eab4f5d3addf6583611b3777a50454599f1e42716f5f879621123"
)


def session_words(session: bytes) -> tuple[str, ...]:
    """The words of a session, by its number."""
    return _words("session words", session, SESSION_WORDS)


def key_words(key: bytes) -> tuple[str, ...]:
    """The words of a player's key."""
    return _words("key words", key, KEY_WORDS)


def _words(label: str, number: bytes, count: int) -> tuple[str, ...]:
    """The leading bits of the hash, 11 for each word, the first word first."""
    hashed = digest(label, number)
    bits = int.from_bytes(hashed, "big") >> (8 * len(hashed) - WORD_BITS * count)
    places = (bits >> (WORD_BITS * place) for place in reversed(range(count)))
    return tuple(word_list()[place % (1 << WORD_BITS)] for place in places)


@cache
def word_list() -> tuple[str, ...]:
    """The list, read when the first words are asked for."""
    from mnemonic import Mnemonic

    return checked(tuple(Mnemonic("english").wordlist))


def checked(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same words. Raises `BadParameter` for any other list than the one that everybody has."""
    if hashlib.sha512("".join(f"{word}\n" for word in words).encode()).hexdigest() != LIST_SHA512:
        raise BadParameter("the package mnemonic has another English word list than that of BIP-39")
    return words
