"""Entries: what is signed, how it is read, how it is chained, and what two of them prove."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nodealer.errors import BadSignature, DecodeError, EntryRefused
from nodealer.keys import Identity
from nodealer.log.entry import Entry, authenticate, first_head, next_head, read_entry, sign_entry
from nodealer.wire import encode

from .test_roster import roster

SESSION = b"s" * 32
KEYS = [Identity(number.to_bytes(32, "little")) for number in range(3)]


def entry(seat: int = 0, **changed: Any) -> bytes:
    fields: dict[str, Any] = {
        "session": SESSION,
        "roster": roster().digest,
        "hand": 0,
        "seat": seat,
        "seq": 0,
        "seen": bytes(32),
        "body": msgspec.Raw(b'{"type":"end"}'),
    }
    return sign_entry(KEYS[seat], Entry(**(fields | changed)))


def test_round_trip() -> None:
    arrival = read_entry(entry(1, hand=3, seq=7))
    assert (arrival.entry.seat, arrival.entry.hand, arrival.entry.seq) == (1, 3, 7)
    assert arrival.signed == encode(arrival.entry)
    authenticate(arrival, roster().keys, SESSION)


def test_a_bad_signature_names_nobody() -> None:
    good = read_entry(entry(0))
    forged = sign_entry(KEYS[1], good.entry)
    with pytest.raises(BadSignature) as caught:
        authenticate(read_entry(forged), roster().keys, SESSION)
    assert not hasattr(caught.value, "seat")
    with pytest.raises(BadSignature, match="does not exist"):
        authenticate(read_entry(entry(2)), roster(2).keys, SESSION)


def test_another_session_names_the_seat() -> None:
    with pytest.raises(EntryRefused) as caught:
        authenticate(read_entry(entry(1, session=bytes(32))), roster().keys, SESSION)
    assert caught.value.seat == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"entry":', b'{ "entry":'),
        (b'"seat":0', b'"seat":0.0'),
        (b'"seat":0', b'"seat":-1'),
        (b'"seat":0', b'"seat":20'),
        (b'"seat":0', b'"seat":"0"'),
        (b'"hand":0', b'"hand":9007199254740992'),
        (b'"hand":0', b'"hand":0,"hand":0'),
        (b'"hand":0,', b""),
        (b'"hand":0', b'"hand":0,"more":1'),
        (b'"seen":"AAAA', b'"seen":"AAA'),
        (b"}", b"},"),
    ],
)
def test_what_is_not_canonical_is_no_entry(old: bytes, new: bytes) -> None:
    data = entry(0)
    assert old in data
    with pytest.raises(DecodeError):
        read_entry(data.replace(old, new, 1))


def test_prefixes_are_no_entries() -> None:
    data = entry(0)
    for size in range(len(data)):
        with pytest.raises(DecodeError):
            read_entry(data[:size])
    for more in (b" ", b"\n", b"\0", b"{}"):
        with pytest.raises(DecodeError):
            read_entry(data + more)


def test_the_chain() -> None:
    one, two = entry(0), entry(1)
    start = first_head(SESSION)
    heads = [start, next_head(start, one), next_head(start, two), next_head(next_head(start, one), two)]
    heads.append(next_head(next_head(start, two), one))
    assert len(set(heads)) == 5 and all(len(head) == 32 for head in heads)
    assert first_head(bytes(32)) != start
