"""Words to compare: the list that everybody has, and the bits that the page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from log.test_docs import H
from nodealer.errors import BadParameter
from nodealer.wordlist import key_words, require_bip39_list, session_words, word_list

PAGE = (Path(__file__).parents[1] / "docs" / "spec" / "lobby.md").read_text()
EXAMPLES = re.findall(r"^\| (session|key) \| `([0-9a-f]{64})` \| ([a-z ]+) \|$", PAGE, re.M)


def by_the_page(label: str, number: bytes, count: int) -> list[str]:
    bits = "".join(f"{byte:08b}" for byte in H(label, number))
    return [word_list()[int(bits[11 * place : 11 * place + 11], 2)] for place in range(count)]


def test_the_examples_of_the_page() -> None:
    assert [kind for kind, _, _ in EXAMPLES] == ["session", "key"]
    (_, session, three), (_, key, six) = EXAMPLES
    assert (
        list(session_words(bytes.fromhex(session)))
        == three.split()
        == by_the_page("session words", bytes.fromhex(session), 3)
    )
    assert list(key_words(bytes.fromhex(key))) == six.split() == by_the_page("key words", bytes.fromhex(key), 6)


def test_the_list() -> None:
    words = word_list()
    assert len(set(words)) == len(words) == 2048 and list(words) == sorted(words)
    # What makes the list fit to be read aloud and typed: four letters tell a word.
    assert len({word[:4] for word in words}) == 2048


@pytest.mark.parametrize("other", [(), word_list()[:-1], (*word_list()[:-1], "zebra"), tuple(reversed(word_list()))])
def test_another_list(other: tuple[str, ...]) -> None:
    with pytest.raises(BadParameter, match="is not that of BIP-39"):
        require_bip39_list(other)
