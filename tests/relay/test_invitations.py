"""Links: one text for each invitation, and a clear message for everything else."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nodealer.errors import BadParameter, DecodeError, OtherFormat
from nodealer.keys import host_mark
from nodealer.relay.invitations import (
    EPOCH_MAX,
    Invitation,
    normalize_page_address,
    normalize_relay_address,
    parse_link,
)
from nodealer.relay.sealing import ReadKey, TableSecret

TABLE = bytes(range(50, 66)).hex()
SECRET = bytes(range(16))
PLAY = Invitation(("wss://relay.example",), TableSecret(SECRET, TABLE, 0), host_mark(bytes(32)))
WATCH = replace(
    PLAY.for_spectators(), relays=("ws://192.168.1.7:8765", "ws://[::1]:9/a/b"), page="https://cards.example/t"
)
LATER = replace(PLAY, key=ReadKey(bytes(32), TABLE, 7))
PLAY_LATER = PLAY.with_key(TableSecret(bytes(range(32)), TABLE, 7))


PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "invitations.md").read_text()


def raw(invitation: Invitation) -> bytes:
    return base64.urlsafe_b64decode(invitation.fragment + "==")


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize("invitation", [PLAY, WATCH, LATER, PLAY_LATER, replace(PLAY, page="http://localhost:8000")])
def test_what_is_written_is_read(invitation: Invitation) -> None:
    link, fragment = invitation.link, invitation.fragment
    half = len(fragment) // 2
    broken = f"  {fragment[:half]}\r\n {fragment[half:]}\n"
    for text in (link, f"nodealer:#{fragment}", fragment, f"#{fragment}", f"\n {link}\t\n", broken):
        assert parse_link(text) == invitation
    assert link == f"{invitation.page or 'nodealer:'}#{fragment}"


def test_the_bytes() -> None:
    """The bytes are those of the specification, computed in another way."""
    address = b"wss://relay.example"
    head = b"\x01\x00" + bytes.fromhex(TABLE) + SECRET + host_mark(bytes(32))
    assert raw(PLAY) == head + b"\x01" + bytes([len(address)]) + address + b"\x00"
    reading = PLAY.table_secret().read_key
    head = b"\x01\x01" + bytes.fromhex(TABLE) + bytes(4) + reading.key + host_mark(bytes(32))
    first, second, page = b"ws://192.168.1.7:8765", b"ws://[::1]:9/a/b", b"https://cards.example/t"
    texts = b"".join(bytes([len(text)]) + text for text in (first, second, page))
    assert raw(WATCH) == head + b"\x02" + texts
    head = b"\x01\x02" + bytes.fromhex(TABLE) + bytes([0, 0, 0, 7]) + bytes(range(32)) + host_mark(bytes(32))
    assert raw(PLAY_LATER) == head + b"\x01" + bytes([len(address)]) + address + b"\x00"


def test_the_example_of_the_page() -> None:
    assert [parse_link(line) for line in PAGE.splitlines() if line.startswith("    nodealer:#")] == [PLAY]


def test_who_watches_cannot_write() -> None:
    assert PLAY.can_play and PLAY.table_secret().write_token and PLAY.table == TABLE
    assert not WATCH.can_play and WATCH.read_key() == PLAY.read_key() and WATCH.table == TABLE
    with pytest.raises(BadParameter, match="spectator link; to play, ask the host"):
        WATCH.table_secret()
    # It contains neither the secret nor anything it could be derived from.
    assert SECRET not in raw(WATCH)


def test_secrets_are_not_shown() -> None:
    for invitation in (PLAY, WATCH):
        for secret in (SECRET, invitation.read_key().key):
            assert repr(secret)[2:-1] not in repr(invitation) and secret.hex() not in repr(invitation)


@pytest.mark.parametrize("invitation", [PLAY, WATCH, PLAY_LATER])
def test_every_cut_is_noticed(invitation: Invitation) -> None:
    for end in range(len(invitation.link)):
        with pytest.raises(DecodeError, match=r"the link is incomplete|not an? (nodealer )?invitation"):
            parse_link(invitation.link[:end])
    for end in range(2, len(raw(invitation))):
        with pytest.raises(DecodeError, match="the link is incomplete"):
            parse_link(text_of(raw(invitation)[:end]))


def test_there_is_one_text_for_each() -> None:
    """Any other character is refused, or makes another invitation."""
    for at in range(len(PLAY.fragment)):
        for letter in "A_9":
            changed = PLAY.fragment[:at] + letter + PLAY.fragment[at + 1 :]
            try:
                found = parse_link(changed)
            except DecodeError:
                continue
            assert found.fragment == changed and (found == PLAY) == (changed == PLAY.fragment)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is not an invitation"),
        (" \n", "this is not an invitation"),
        ("https://cards.example/#", "nothing after the #"),
        ("hello there", "not a nodealer invitation"),
        ("fnord", "not a nodealer invitation"),
        ("x", "not a nodealer invitation"),
        ("Grüße", "letters, digits"),
        (f"{PLAY.link}=", "letters, digits"),
        ("A" * 4097, "4097 characters"),
        (f"https://evil.example#{PLAY.fragment}", "this link was changed"),
        (f"https://evil.example#{WATCH.fragment}", "should start with https://cards.example/t"),
        (f"{PLAY.page}#x#{PLAY.fragment}", "this link was changed"),
        (text_of(raw(PLAY) + b"\0"), "after its end"),
        (text_of(b"\x01\x03" + raw(PLAY)[2:]), "neither a player link nor a spectator link"),
        (text_of(raw(PLAY_LATER).replace(bytes([0, 0, 0, 7]), bytes(4))), "damaged: a link to play must have a secret"),
        (text_of(raw(PLAY).replace(b"relay", b"r\xe9lay")), "contains an invalid address"),
        (text_of(raw(PLAY).replace(b"relay", b"Relay")), "must be written wss://relay.example, not wss://Relay.example"),
        (text_of(raw(PLAY).replace(b"wss:", b"ftp:")), "a relay's address looks like"),
        (text_of(raw(PLAY)[:50] + b"\0\0"), "1 to 4 different relays"),
        (text_of(raw(PLAY)[:50] + b"\2" + 2 * raw(PLAY)[51:-1] + b"\0"), "different relays"),
    ],
)  # fmt: skip
def test_what_is_no_link(text: str, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        parse_link(text)


def test_another_version() -> None:
    with pytest.raises(OtherFormat, match="the link has version 2; this program reads version 1"):
        parse_link(text_of(b"\x02" + raw(PLAY)[1:]))


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("wss://relay.example", "wss://relay.example"),
        (" WSS://Relay.Example:443/ ", "wss://relay.example"),
        ("ws://10.0.0.1:80", "ws://10.0.0.1"),
        ("ws://[FE80::1]:8765/Door", "ws://[fe80::1]:8765/Door"),
    ],
)
def test_one_way_to_write_an_address(typed: str, address: str) -> None:
    assert normalize_relay_address(typed) == address


@pytest.mark.parametrize(
    "bad",
    [
        "", "relay.example", "https://relay.example", "wss://", "wss:///x", "wss://me:secret@relay.example",
        "wss://relay.example#x", "wss://relay.example?x=1", "wss://relay.example:0", "wss://relay.example:65536",
        "wss://relay.example/a b", "wss://relay.example/\n", "wss://rêlay.example", "wss://-a", "wss://" + 195 * "a",
        "wss://relay.example:" + 5000 * "9",
    ],
)  # fmt: skip
def test_what_is_no_address(bad: str) -> None:
    if bad != "wss://relay.example/\n":
        with pytest.raises(BadParameter, match="a relay's address looks like"):
            normalize_relay_address(bad)
    with pytest.raises(BadParameter):
        replace(PLAY, relays=(bad,))
    with pytest.raises(BadParameter, match="a page's address looks like"):
        normalize_page_address(bad.replace("https", "ws"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"relays": ()}, "1 to 4 different relays"),
        ({"relays": tuple(f"ws://{name}" for name in "abcde")}, "1 to 4 different relays"),
        ({"relays": ("ws://a", "ws://a")}, "different relays"),
        ({"relays": ("ws://A",)}, "written ws://a, not ws://A"),
        ({"page": "https://A"}, "written https://a, not https://A"),
        ({"page": "javascript:x"}, "a page's address"),
        ({"host": bytes(32)}, "mark of a host's key must have 16 bytes"),
        ({"key": TableSecret(SECRET, "box-7", 0)}, "16 bytes in hex"),
        ({"key": TableSecret(bytes(32), TABLE, 0)}, "a secret of 16 bytes, or a later one of 32"),
        ({"key": TableSecret(SECRET, TABLE, 1)}, "a later one of 32"),
        ({"key": ReadKey(bytes(16), TABLE, 0)}, "a key of 32 bytes"),
        ({"key": ReadKey(bytes(32), TABLE, EPOCH_MAX + 1)}, "epoch must be at most"),
    ],
)
def test_what_is_no_invitation(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        replace(PLAY, **change)
