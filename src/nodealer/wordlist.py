"""Words that people compare aloud: three for a session, six for a key.

Three are enough for a session, whose id no one can choose: every seat contributes a nonce that it committed to. Keys
can be generated until the words come out as wanted, so a key needs six. docs/spec/lobby.md specifies the list and the
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
#: SHA-512 of the English list of BIP-39, each word followed by a line feed. All players must use the same list.
LIST_SHA512: Final = (
    "416c71ba30018ea292bb36cdc23c9329673485a8d8933266a9d9a7cc72153b8b"
    "aed3d430f52eab4f5d3addf6583611b3777a50454599f1e42716f5f879621123"
)


def session_words(session: bytes) -> tuple[str, ...]:
    """Return the words of a session, given its id."""
    return _pick_words("session words", session, SESSION_WORDS)


def key_words(key: bytes) -> tuple[str, ...]:
    """Return the words of a player's key."""
    return _pick_words("key words", key, KEY_WORDS)


def _pick_words(label: str, number: bytes, count: int) -> tuple[str, ...]:
    """Return `count` words, each from the next 11 bits of a hash of `number`."""
    hashed = digest(label, number)
    bits = int.from_bytes(hashed, "big") >> (8 * len(hashed) - WORD_BITS * count)
    places = (bits >> (WORD_BITS * place) for place in reversed(range(count)))
    return tuple(word_list()[place % (1 << WORD_BITS)] for place in places)


@cache
def word_list() -> tuple[str, ...]:
    """Return the word list. It is loaded on first use. Raise `BadParameter` if it is not the list of BIP-39."""
    from mnemonic import Mnemonic

    return require_bip39_list(tuple(Mnemonic("english").wordlist))


def require_bip39_list(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words. Raise `BadParameter` if they are not the English list of BIP-39."""
    if hashlib.sha512("".join(f"{word}\n" for word in words).encode()).hexdigest() != LIST_SHA512:
        raise BadParameter("the English word list of the package mnemonic is not that of BIP-39")
    return words
