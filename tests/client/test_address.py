"""HOST:PORT is read in one way for every command."""

from __future__ import annotations

import pytest

from nodealer.client.address import parse_address
from nodealer.errors import BadParameter


def test_where_to_listen() -> None:
    assert parse_address("127.0.0.1:0", refusal="no") == ("127.0.0.1", 0)
    assert parse_address("[::1]:7777", refusal="no", least=1) == ("::1", 7777)


@pytest.mark.parametrize(
    "wrong", ["", "7777", ":7777", "host:", "host:x", "host:65536", "host:²", "host:" + "9" * 5000]
)
def test_no_address_is_refused_with_the_given_sentence(wrong: str) -> None:
    with pytest.raises(BadParameter, match=r"^type an address$"):
        parse_address(wrong, refusal="type an address")


def test_port_0_is_refused_where_others_must_know_it() -> None:
    with pytest.raises(BadParameter, match=r"^as others reach it$"):
        parse_address("host:0", refusal="as others reach it", least=1)
